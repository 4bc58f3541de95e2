// Package modelproxy is between an agent and its model, on a port of the loopback, and reads along.
//
// A [Tunnel] is the way of one agent process: it has a token of its own, and a route for each address that the agent
// uses. What passes is never changed: requests go to the address of their route, with the path, the headers and the body that the
// agent sent, and answers come back byte by byte as they arrive, in the encoding in which they were sent. Requests are not read at
// all. Of answers, a copy is read in the background: the inputs of tool calls as the model writes them, and what was used. If
// that fails, is too slow, or the format is unknown, passing continues.
//
// Nothing that passes is stored or logged. The package knows httpguard, llm and partialargs.
package modelproxy
