// Package permission decides what an agent may do without asking the person again.
//
// A [Call] is what an agent asks for. [Describe] reads from it what would happen: the simple
// commands of its command line, and the files it touches, as they lie in the folder once links are
// followed. A [Set] holds the person's rules and decides about such a [Subject].
//
// The same pass makes the [Reading] that the user is shown: nothing that an agent sends is left out of it
// without being said.
//
// What it promises:
//
//   - Every part of a request has to be covered by an allow rule; what cannot be read for certain
//     is not covered, and so the person is asked.
//   - One reject rule that matches any part refuses the whole.
//   - No rule allows a change of a git folder. No rule about commands allows a git command whose repository makes git run something.
//   - The order of the rules does not matter, and no allow rule ever undoes a rejection.
//
// Deciding is pure and bounded: its cost does not grow with what an agent sends beyond fixed limits.
// Only [Describe] looks at the disk: for links, for git folders, and for what the repository of a git command would run.
package permission
