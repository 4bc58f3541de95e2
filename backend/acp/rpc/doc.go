// Package rpc finds JSON-RPC messages in the output of a program. The program may print other text between them,
// truncate them, or spread one over several lines. The package doesn't decode params or results.
package rpc
