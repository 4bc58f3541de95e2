// Package tools implements the tools that Weft defines for agents: its own displays and those that the user defines in
// files. It loads and checks definitions, validates the arguments of calls, and executes calls by a web service or a
// program.
//
// It doesn't talk to agents and doesn't ask for permission; package gateway does.
//
// load.go and definition.go read definitions, settle.go decides what of them is left out, prune.go and explain.go what
// of a call's arguments is ignored or refused, render.go and template.go how a call is drawn (decision 0021).
package tools
