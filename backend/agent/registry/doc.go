// Package registry reads the ACP registry: the public list of agents and how to install them
// (https://github.com/agentclientprotocol/registry, FORMAT.md).
//
// [Parse] is pure and lenient: it ignores unknown fields, and reports an entry that can't be used as [Broken] with the
// reason, without hiding the others. [Room] holds the current list: the last one from the source, kept on disk, or the
// one that is shipped with Weft. A failed refresh changes nothing and reports why.
//
// The content of a list is untrusted. This package limits its size and rejects values that could lead elsewhere (paths,
// addresses, package names with more than a name). It installs nothing; that is the job of
// backend/agent/registry/install.
package registry
