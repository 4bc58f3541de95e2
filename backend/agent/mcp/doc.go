// Package mcp connects to Model Context Protocol servers. [Look] tests a server: what it is and which tools it has
// (the Test button in the settings). [Standing] is for the callers of tools, the built-in agent and the gateway: it
// connects on demand, and reconnects after the connection was lost. Other agents connect to their servers themselves.
//
// Guarantees: [Look] ends within its timeout or with its context, and [Connection.Close] and [Standing.Close] end
// soon. Then nothing of the server is left, however it behaves. Headers are sent only to the server's own host.
// Everything that a server sends is limited in size, and is text for users.
package mcp
