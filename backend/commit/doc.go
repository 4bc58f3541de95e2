// Package commit makes git commits of the changes that the user has accepted, and of nothing else: neither what the user has staged or
// edited nor what still waits for review becomes part of them.
//
// A commit is put together beside the user's index: the accepted changes are applied to what the last commit holds, so that changes of
// others in the same files stay out. The user's index and working tree keep what they have, except that the index holds the committed
// files as they were committed. No hook of the repository is run, and no commit is signed, as both would run programs; [Plan] says so.
package commit
