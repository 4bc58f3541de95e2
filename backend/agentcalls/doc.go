// Package agentcalls tracks the tool calls of a session, and defines the order in which it processes a report of a call.
//
// What an agent reports of a call concerns several values, each of a package of its own: whether Weft's own tools are trusted by their names
// (gatecalls), which call its model writes (modelcalls), what is shown of calls of the gateway (gatedrafts), diffs and titles for the user and secrets that
// are hidden (toolcalls), what was done without asking (unasked), and the requests for permission (asking). [Calls] has these values for one session.
//
// It starts nothing, has no lock and doesn't wait: its methods are called in a step of the space (decision 0029). What the conversation is to have and
// what follows for the session goes through [Host].
package agentcalls
