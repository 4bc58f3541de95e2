// Package spaces stores everything about a space except its messages: its title, folder and state, its members, the
// sessions and runs of their agents, its tree of branches, and worktrees.
package spaces
