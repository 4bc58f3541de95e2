// Package builtin is Weft's own agent: the server side of the Agent Client Protocol over stdio, so that it runs under
// Weft and under any other ACP client alike. It is the program weft-agent, which Weft starts like any other agent.
//
// Package loop keeps the conversation and makes the model's calls, and package llm talks to the model. This package
// does the rest: sessions and their files, tools in the protocol's format, permissions, options. Every update of a turn
// is written to the session's file before it is sent, in the same order. Sessions run concurrently, each with one
// prompt at a time. The file tools never read or write outside the session's folder.
//
// What it may do is decided by the session's mode and by permission requests to the client. Weft is also asked about
// calls without a request, such as reading a file (_weft/permit). The room never reads Weft's database or settings
// file.
//
// agent.go has a method for each method of the protocol. A prompt is in turn.go, a call in do.go and toolcalls.go, the
// system prompt in system.go, and the project's own instructions in workdir.go. sessionlog.go and sessionstore.go keep
// sessions, and earlier.go and replay.go load them.
//
//	loop        sends a prompt, makes the calls, sends the results, until the model is done
//	tool        the tools, a file for each; a new one is listed in builtin.go there
//	folder      lists, searches, reads and writes files of one folder
//	mcptools    the tools of a session's MCP servers
//	mapper      makes the mapper of a provider
//	guide       the offline guide, which needs no model (decision 0033)
//	weft-agent  the program, the only one with the providers' clients (decision 0048)
package builtin
