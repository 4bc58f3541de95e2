// Package shell analyzes the command lines of agents: which programs they start, in which folder, and which files
// these read and write.
//
// A [Script] parses a line as dash, bash, zsh and the BusyBox shell would. It records why a line is unclear: these
// shells parse it differently, or something is known only at run time. Programs that start other programs are
// unwrapped. A [Command] of a known program is matched against the known forms of that program (a [Use]), which define
// the meaning of its options and operands.
//
// The package makes no decisions; see package permission. It reads the disk only for links, git folders, packages, and
// what a repository makes git run.
//
// shell.go, word.go and portable.go parse; launch.go and launchers.go unwrap programs that start others; programs*.go
// are the known forms; access.go finds the files that a line reads and writes; settle.go and variables.go what one
// command changes for the next; repository.go the repository of a git command. corpus_test.go and attack_test.go of
// package permission have examples. differential_test.go compares random lines with real shells (WEFT_FUZZ_LINES,
// WEFT_FUZZ_SEED).
package shell
