// Package mcp connects to a Model Context Protocol server for a look: who it is and which tools it
// has. It is what the settings screen's Test does; agents connect to their servers by themselves.
//
// What it promises: [Look] ends within its time-out or with its context, and then nothing of the
// server is left, however it behaves. Headers go to the server's own host only. What the server says is
// bounded, and is text for people.
package mcp
