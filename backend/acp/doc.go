// Package acp holds one connection to an agent that speaks the Agent Client Protocol:
// JSON-RPC 2.0, one message per line, over a reader and a writer. It knows nothing of
// processes; whoever owns the agent's stdin and stdout hands them to [New].
//
// What it promises:
//
//   - Order. Updates, requests, notifications and responses reach the [Handler] on one
//     goroutine in the order in which the agent wrote them. A pending [Conn.Call] returns
//     only after everything before its response has been handled.
//   - Delivery. Nothing that the agent wrote is dropped. What cannot be read arrives as
//     [KindBroken] or as an opaque update with the bytes as sent; a line above the limit
//     arrives as [KindOversize]. After EOF everything that was read is delivered before
//     pending calls fail with [ErrClosed].
//   - Back-pressure. The queue between reader and handler is bounded in things and in
//     bytes. A handler that is slow, or blocks, stops the reader and so slows the agent.
//   - No blocking by the other side. The reader never writes. Writes have a goroutine of
//     their own; an agent that does not read its input for [Options.WriteTimeout] ends
//     the connection with [ErrStalled].
//
// The decoder is our own because an agent's updates must survive what the typed
// decoders of the protocol's libraries do not: unknown kinds, single fields of a wrong
// type, big integers and key order in raw values. So is the table of pending calls: the
// one of acp-go-sdk ends the connection at lines of 10 MiB, keeps neither raw results
// nor error data, and loses a response that is followed at once by EOF. The types of
// outgoing requests are the SDK's.
//
// It never interprets a session, answers a permission request or touches a file.
package acp
