// Package terminal runs commands on an agent's behalf (ACP: terminal/*), each in a terminal
// of its own that nobody can type into; and sign-ins of agents, into which the user types.
//
// What it promises:
//
//   - A command and everything that it starts ends when it is stopped or released, when its
//     [Set] is closed, when the command itself ends, and when Weft ends, however it ends:
//     they run under the supervisor of backend/agent.
//   - Reading never waits for anyone. Of the output the end is held, up to a limit; it is
//     valid UTF-8 and begins at a character.
//   - [Terminal.Exited] fires when the command has ended and all that it wrote is held.
//
// Confining the working directory is the caller's, and so is whatever may refuse a command.
package terminal
