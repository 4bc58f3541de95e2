// Package mcp connects to Model Context Protocol servers: for a look, which tells who a server is and which
// tools it has (the settings screen's Test), and for those who call them, the built-in agent and the gateway: a
// [Standing] is connected when it is needed, and again after it was lost. Other agents connect to their servers by
// themselves.
//
// What it promises: [Look] ends within its time-out or with its context, [Connection.Close] and [Standing.Close] soon, and
// then nothing of the server is left, however it behaves. Headers go to the server's own host only. What the server says is
// bounded, and is text for people.
package mcp
