// Package worktree gives a space a working tree of its own: it makes git worktrees, tells what is in them, and
// removes them.
//
// What it promises:
//
//   - Nothing unsaved is lost. A worktree is removed only where nothing is uncommitted or untracked and no commit
//     is on no branch, unless the caller names exactly what it was shown before (a token over
//     the list) and says that it may go. What is there is looked at again right before it is removed.
//   - Nothing else is touched: not the user's index, working tree, branches or other worktrees.
//     A branch is deleted only if every commit of it is on its base, and it has not moved meanwhile.
//   - Git is run by package git: nothing that the repository's own configuration defines is run. What is checked out passes the
//     filters of the user's configuration (Git LFS needs that), and those of the repository only where the user agreed to them.
//   - Every call ends: with its context, or with a time-out of its own.
//
// It keeps nothing itself; which worktrees there are is its caller's to remember.
package worktree
