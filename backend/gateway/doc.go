// Package gateway is Weft's MCP server for agents. It offers the tools for spaces, the display tools, the user's own
// tools and those of the user's MCP servers, over streamable HTTP on loopback with a token for each session. Agents
// that only know stdio use it through weft mcp-stdio (docs/gateway.md).
//
// It promises that a call is validated, asked about if necessary, executed and shown once; that arguments, results and
// definition files have size limits; that errors are sentences; and that a call whose failure may pass is repeated only
// where that is safe (decision 0023). A token belongs to one session and ends with it.
//
// It doesn't access spaces or the store itself but asks a [Host] (host.go; the service implements it). It adds
// targetSpaceId to the schema of a display tool and removes the argument before a call is validated or executed. It
// doesn't know which line of the conversation a call belongs to: that is space/gatecalls.
//
// A request is checked in http.go, a token's server is in session.go, the list of tools in catalog.go, the way of a
// call in runner.go and call.go. spaces.go has the tools for spaces, upstream.go and proxied.go those of the user's
// servers, and called.go the names by which agents call tools.
//
//	tools  tools that are defined by data: Weft's displays (*.json there) and the user's files
package gateway
