// Package jobs runs work that may outlast the command that started it ([Work]), and tracks tests of agents, MCP servers
// and providers, so that the user can cancel them ([Tests]). Closing the service stops both and waits for their end.
//
// Both types are safe for concurrent use.
package jobs
