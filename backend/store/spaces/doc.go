// Package spaces keeps what is known of a space besides its messages: its title, folder and state, its members, the sessions
// and runs of their agents, the tree of branches that it belongs to, and worktrees.
package spaces
