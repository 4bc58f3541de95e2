// Package cli implements Weft's command line: all commands, and the start-up code that they share with the window.
// commands.go lists the commands, which are commands of cobra.
//
// It promises that commands behave alike: errors are sentences on stderr, a failure exits with 1 and wrong usage with
// 2, and nothing that is printed can steer the terminal. Where a running Weft has the data folder open, open, import
// and export hand their work over to it (package desktop/handover) and never open the database beside it.
//
// It doesn't depend on the window: package main passes a function that opens one. It has no subject of its own:
// commands read options, call the service, a room below or the built-in agent's program, and print.
//
// The man page and the shell completions are made from these commands (build/packages/manual).
package cli
