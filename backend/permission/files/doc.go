// Package files resolves the files that a request of an agent names: where they are in the folder of the space once
// symbolic links are resolved, whether they are outside of it, and whether changing one would change a git folder.
//
// It reads the disk, or takes what was read before from a [View], and changes nothing. A path that can't be resolved
// counts as outside of the folder. paths.go decides for the rules, target.go for what the card shows: a change of what
// is outside belongs in both.
package files
