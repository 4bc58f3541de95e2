// Package permission decides what an agent may do without asking the user.
//
// A [Call] is the request of an agent. [Describe] derives from it what would happen: the simple commands of its
// command line (package shell), and the files it touches, with symbolic links resolved (package files). A [Set] holds
// the user's rules and decides about the resulting [Subject].
//
// The same pass produces the [Reading] that the user sees. It leaves out nothing that the agent sent without saying
// so.
//
// Guarantees:
//
//   - Every part of a request that has an effect must be covered by an allow rule. What Weft can't read with certainty
//     is not covered, so the user is asked.
//   - A rule about commands covers the known forms of a program, which are listed in a table, or one exact command.
//   - A command line that dash, bash, zsh and the BusyBox shell parse differently is not covered.
//   - No rule allows a change in a git folder. No rule about commands allows a git command if the repository makes git
//     run a program.
//   - If a reject rule matches any part of a request, the whole request is rejected. If one might match, no rule
//     allows the request.
//   - The order of the rules doesn't matter, and an allow rule never overrides a reject rule.
//
// Deciding has no side effects and bounded cost: above fixed limits, it doesn't grow with the size of the request.
// [Describe], [Set.Needs] and [Set.RejectsFile] need the disk: for links, git folders, packages, and what a repository
// makes git run. They take from [Place.Disk] what was read before (see [files.View]).
//
// It never asks the user and stores nothing: backend/space/requests and backend/store/permissions do. fields.go lists
// the fields that agents are known to send; cover.go decides what rules allow, refuse.go what they reject.
//
//	shell    what a command line does: programs, folders, files
//	files    where a path leads, and whether a change would be in a git folder
//	actions  whether two requests are about the same action (decisions 0017 and 0039)
//	unclear  the reasons why Weft can't tell what a request would do
package permission
