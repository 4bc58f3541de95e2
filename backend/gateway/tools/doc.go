// Package tools has the tools that Weft defines for agents: its own displays, and those that the user defines in files. It reads and checks
// definitions, holds the arguments of calls against their schemas, and carries out the calls of tools that a web service or a program executes.
//
// It knows no agents and asks no permission; package gateway does.
package tools
