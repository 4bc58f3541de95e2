// Package permission decides what an agent may do without asking the user again.
//
// A [Call] is what an agent asks for. [Describe] reads from it what would happen: the simple
// commands of its command line (package shell), and the files it touches, as they lie in the folder once links are
// followed (package files). A [Set] holds the user's rules and decides about such a [Subject].
//
// The same pass makes the [Reading] that the user is shown: nothing that an agent sends is left out of it
// without being said.
//
// What it promises:
//
//   - Every part of a request that has an effect has to be covered by an allow rule; what cannot be read for certain
//     is not covered, and so the user is asked.
//   - A rule about commands covers known forms of a program, which a table lists, or one exact command.
//   - What dash, bash, zsh and the shell of BusyBox don't read the same way is not covered.
//   - No rule allows a change of a git folder. No rule about commands allows a git command whose repository makes git run something.
//   - One reject rule that matches any part refuses the whole. Where one might, no rule allows.
//   - The order of the rules does not matter, and no allow rule ever undoes a rejection.
//
// Deciding is pure and bounded: its cost does not grow with what an agent sends beyond fixed limits.
// Only [Describe] looks at the disk: for links, git folders and packages, and for what the repository of a git command would run.
package permission
