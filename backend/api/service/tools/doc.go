// Package tools gives agents tools besides their own: it opens the gateway, Weft's MCP server for agents, and
// implements its host ([OwnServer]: spaces, messages, runs, posts, displays, earlier conversations and permissions),
// and it implements the commands about the user's MCP servers ([UserServers]).
//
// An agent reaches only what its space and the user's settings allow. If the gateway can't be opened, agents work
// without its tools, and the app reports the problem.
package tools
