// Package tools implements the tools that Weft defines for agents: its own displays and those that the user defines in files. It loads and checks
// definitions, validates the arguments of calls, and executes calls by a web service or a program.
//
// It doesn't talk to agents and doesn't ask for permission; package gateway does.
package tools
