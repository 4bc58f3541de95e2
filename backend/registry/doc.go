// Package registry reads the ACP registry: the public list of agents and of how each is
// installed (https://github.com/agentclientprotocol/registry, FORMAT.md).
//
// [Parse] is pure. It takes what it can: unknown fields are left alone, an entry that cannot be
// used is told as [Broken] with the reason and never hides the others. [Room] holds the list that
// is in force: the one that came last from the source, kept on disk, or the one that is
// shipped with Weft. A refresh that fails changes nothing and says why.
//
// Everything that a list says is someone else's text. This package bounds it and refuses what
// could lead elsewhere (paths, addresses, package names that are more than that); it installs nothing.
// That is the work of backend/registry/install.
package registry
