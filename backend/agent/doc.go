// Package agent knows which agents exist, and runs their processes.
//
// The list consists of the built-in guide, the published agents found on this machine ([Discover]) and the user's own
// entries in the settings, merged by [Registry]. [Start] starts an agent's process. [Process.Stop] ends it in steps: it
// closes stdin, then sends SIGTERM, then SIGKILL. Guarantees:
//
//   - When an agent ends, its whole process tree ends: including grandchildren that left the process group, and also
//     if the agent crashed, Weft was killed with SIGKILL or, on Linux, its supervisor was.
//   - [Process.Done] fires when the tree is gone, and never waits for a stray process that keeps stdout open. What was
//     written to stdout before can still be read; then comes io.EOF.
//   - No process is killed only because of its pid: a recorded process must also have the recorded start time.
//
// On Linux and macOS a small supervisor runs between Weft and the agent (see [SuperviseMain]); on Windows a Job Object
// does the same. macOS can't adopt orphans: a grandchild that left the group and cleared its environment can escape
// there. With Spec.TTY a program gets a terminal instead of pipes.
//
// The package doesn't speak ACP and doesn't log; it returns errors. Nothing in this room knows a space, or decides
// whether an agent may do something. Below it:
//
//	agentproc         running agents with their ACP connections, shared by sessions (decision 0036)
//	sandbox           command lines that confine an agent (decision 0018); hidden.json lists what is hidden
//	terminal          runs commands for an agent; terminalview shows their output
//	agentauth         signing in to agents
//	mcp               connections to MCP servers: tests, and calls for the gateway and the built-in agent
//	registry          the public list of agents; registry/install installs from it
//	failure           errors of runs, starts and commands, as the user sees them
//	flags             the options of the built-in agent
//	agenttest         for tests of packages that start programs
//	weft-supervise    the supervisor as a small program of its own
package agent
