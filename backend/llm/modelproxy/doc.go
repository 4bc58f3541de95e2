// Package modelproxy is a proxy on a loopback port between an agent and its model, which reads the responses.
//
// A [Tunnel] belongs to one agent process: it has its own token, and a route for each address that the agent uses.
// Traffic is never modified: requests go to the address of their route with the path, headers and body that the agent
// sent, and responses are passed on byte by byte as they arrive, in their original encoding. Requests aren't read at
// all. A copy of each response is parsed in the background, for the inputs of tool calls as the model writes them and
// for the usage. If parsing fails, is too slow, or the format is unknown, the traffic continues.
//
// No traffic is stored or logged. serve.go passes requests on, trace.go makes the copy, and read.go and a file for each
// format parse it. The package knows neither spaces nor the store.
package modelproxy
