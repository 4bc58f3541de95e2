// Package worktree gives a space a working tree of its own: it makes git worktrees, tells what is in them, and
// removes them.
//
// What it promises:
//
//   - Nothing unsaved is lost. A worktree is removed only where nothing is uncommitted or untracked and no commit
//     stands on no branch, unless the caller names exactly what it was shown before (a token over
//     the list) and says that it may go. What is there is looked at again right before it is removed.
//   - Nothing else is touched: not the person's index, working tree, branches or other worktrees.
//     A branch is deleted only if every commit of it is on its base, and it has not moved meanwhile.
//   - Git is run as a program with arguments, never through a shell, without the hooks and monitors that a repository
//     configures, without GIT_ variables of Weft's own environment, and never asks anybody. What it checks out passes
//     the filters that are configured (Git LFS needs that).
//   - Every call ends: with its context, or with a time-out of its own.
//
// It keeps nothing itself; which worktrees there are is its caller's to remember.
package worktree
