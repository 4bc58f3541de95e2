// Package worktree gives a space its own working tree: it creates git worktrees, reports their state, and removes
// them.
//
// Guarantees:
//
//   - No unsaved work is lost. A worktree is removed only if nothing is uncommitted or untracked and every commit is
//     on a branch, unless the caller passes a token of exactly the state that the user was shown, and confirms the
//     removal. The state is read again right before the removal.
//   - Nothing else is changed: not the user's index, working tree, branches or other worktrees. A branch is deleted
//     only if all of its commits are on its base and it hasn't moved meanwhile.
//   - Git is run by package git: nothing that the repository's own configuration defines is run. Checked-out files
//     pass through the filters of the user's configuration, which Git LFS needs, and through those of the repository
//     only if the user agreed to them.
//   - Every call ends with its context or after a timeout.
//
// The package stores nothing; the caller must remember which worktrees exist.
package worktree
