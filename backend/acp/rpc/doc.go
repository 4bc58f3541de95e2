// Package rpc finds the messages of JSON-RPC in the output of a program, which may print other things beside them, break them off, or write one
// over several lines. It doesn't decode what they say.
package rpc
