// Package terminal runs commands on an agent's behalf (ACP: terminal/*), each in its own terminal, into which nobody
// can type. It also runs sign-ins of agents, into which the user types.
//
// It guarantees:
//
//   - A command and all processes that it starts end when it is stopped or released, when its [Set] is closed, when the
//     command itself ends, and when Weft ends in any way: they run under the supervisor of backend/agent.
//   - Reading never blocks. The end of the output is kept, up to a limit; it is valid UTF-8 and begins at a character
//     boundary.
//   - [Terminal.Exited] is closed when the command has ended and all of its output was read.
//
// The caller must restrict the working directory, and refuse commands that aren't allowed.
package terminal
