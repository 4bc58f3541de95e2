// Package acp implements one connection to an agent that speaks the Agent Client Protocol: JSON-RPC 2.0, one message
// per line, over a reader and a writer. It doesn't start processes: the owner of the agent's stdin and stdout passes
// them to [New].
//
// It guarantees:
//
//   - Order. Updates, requests, notifications and responses reach the [Handler] on one goroutine in the order in which
//     the agent wrote them. A pending [Conn.Call] returns only after everything before its response has been handled.
//   - Delivery. Nothing that the agent wrote is dropped. Unreadable output arrives as [KindBroken] or as an opaque
//     update with the raw bytes; a line above the limit arrives as [KindOversize]. After EOF, everything that was read
//     is delivered before pending calls fail with [ErrClosed].
//   - Back-pressure. The queue between reader and handler is bounded in items and in bytes. A slow or blocked handler
//     stops the reader and so slows the agent.
//   - The agent can't block Weft. The reader never writes, and a separate goroutine does all writes. If the agent
//     doesn't read its input for [Options.WriteTimeout], the connection ends with [ErrStalled].
//
// The decoder is our own because the typed decoders of the protocol's libraries lose unknown kinds, updates with one
// field of a wrong type, big integers, and the key order of raw values. The table of pending calls is our own because
// that of acp-go-sdk ends the connection at lines of 10 MiB, drops raw results and error data, and loses a response
// that is followed at once by EOF. The types of outgoing requests are the SDK's.
//
// The package doesn't decide on permission requests, access files or know what a session is for. update.go decodes
// updates, and fast.go the common ones faster; what differs between versions of the protocol is in version1.go.
//
// Below it:
//
//	lines        splits a stream into lines of limited length
//	rpc          finds JSON-RPC messages in output that also has other text
//	callids      makes the ids of tool calls unique, because agents reuse them (decision 0026)
//	output       reads the output of terminals that an agent runs itself
//	recording    records the traffic of an agent, replays it and folds it
//	protocollog  writes the log of a session, without secrets
package acp
