// Package changes is the room of what agents change in the user's files: it keeps the original versions, shows the
// differences, accepts or undoes them, commits them, and gives a space a working tree of its own.
//
// It promises that the user's work isn't lost: what the user edits is never overwritten by an undo, a worktree with
// unsaved work is removed only if the user confirms exactly that, and a commit has accepted changes and nothing else.
// Files are compared and restored byte by byte, and a crash leaves each file old or new.
//
// It never runs git except through package git, so no program that a repository names is run (filters only if the user
// agreed). It doesn't decide what an agent may do: that is permission. It doesn't draw anything.
//
//	review            what turns change, by space; accept, reject, undo (decision 0004)
//	review/hunk       compares two versions of a file and reverts parts
//	review/snapshots  the snapshot store: contents of files, and what has changed since the last scan
//	commit            commits of accepted changes, pushing, pull requests (decision 0040)
//	worktree          git worktrees for spaces (decision 0010)
package changes
