// Package gateway is Weft's MCP server for agents. It offers the tools for spaces, the display tools, the user's own
// tools and those of the user's MCP servers, over streamable HTTP on loopback with a token for each session.
//
// It doesn't access spaces or the store itself but asks a [Host]. It adds targetSpaceId to the schema of a display tool
// and removes the argument before a call is validated or executed. Arguments, results and definition files have size
// limits, and errors are sentences.
package gateway
