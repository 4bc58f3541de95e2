// Package gateway is the MCP server that Weft hands to agents: the tools of spaces, the display tools, and the user's
// MCP servers, over streamable HTTP on loopback with a token for each session.
//
// It knows nothing of spaces or of the store: it asks a [Host]. It adds targetSpaceId to the schema of a display tool
// and takes it out again before anything is validated or executed. What a caller sends, what a tool answers and what a
// definition file says is bounded, and what is wrong is told in a sentence.
package gateway
