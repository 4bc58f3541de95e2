// Package shell reads what the command lines of an agent would do: which programs they start, in which folder, and which files these read and write.
//
// A [Script] parses a line as dash, bash, zsh and the shell of BusyBox would, and notes why it is unclear where these don't read it the same way, or
// where something is known only when it runs. Programs that start others are looked through. A [Command] of a program that Weft knows is held against
// the known forms of that program (a [Use]), which say what its options and operands mean.
//
// It decides nothing; see package permission. It looks at the disk only for links, git folders and packages, and for what the repository of a git
// command would run.
package shell
