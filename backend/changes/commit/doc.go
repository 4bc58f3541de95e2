// Package commit makes git commits of the changes that the user has accepted, and of nothing else: not of what the
// user has staged or edited, nor of what still needs review.
//
// A commit is built next to the user's index: the accepted changes are applied to the content of the last commit, so
// that other changes in the same files stay out. The user's index and working tree keep their content, except that the
// index gets the committed files as they were committed. Hooks aren't run and commits aren't signed, because both
// would run programs; [Plan] reports this.
//
// version.go decides which lines, plan.go which files, make.go writes the commit and the index, and push.go pushes and
// finds the address of a pull request.
package commit
