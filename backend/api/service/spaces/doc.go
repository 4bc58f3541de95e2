// Package spaces implements the commands about spaces: the spaces themselves, their members and presets of members
// ([Spaces]), the worktrees that Weft makes for them ([Worktrees]), the order of their list ([Order]), and unsent text
// ([Drafts]).
//
// A command returns after its change is stored, and then calls the functions that report the change. Weft deletes no
// folder of the user; it removes a worktree only with RemoveWorktree.
package spaces
