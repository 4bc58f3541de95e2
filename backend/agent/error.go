// Package agent knows which agents there are and runs their processes.
//
// Which agents: the built-in guide, the published ones found on this machine
// ([Discover]) and the user's own from the settings, merged by [Registry].
//
// Their processes: [Start] spawns an agent, [Process.Stop] ends it by the ladder
// stdin close, SIGTERM, SIGKILL. What this room promises:
//
//   - When an agent ends, however it ends, its whole process tree ends: also
//     grandchildren that left the process group, also when the agent crashed, also
//     when Weft itself is killed with SIGKILL, also (on Linux) when its supervisor is.
//   - [Process.Done] fires when the tree is gone, and never waits for a stray
//     process that holds stdout open. What was written to stdout before can still
//     be read; after it comes io.EOF.
//   - Nothing that a pid alone names is ever killed: a recorded process must have
//     the same start time too.
//
// On Linux and macOS a small supervisor is between Weft and the agent (see
// [SuperviseMain]); on Windows a Job Object does its work. macOS cannot adopt
// orphans: there a grandchild that left the group and wiped its environment can
// escape.
//
// With Spec.TTY a program gets a terminal instead of pipes; backend/terminal runs commands so.
//
// This room never speaks ACP and never logs; it returns errors.
package agent

import "weft/backend/fault"

// Codes of [Error].
const (
	CodeMissing       = "agent_missing"        // the command was not found
	CodeNotExecutable = "agent_not_executable" // found, but it cannot be run
	CodeDirMissing    = "agent_dir_missing"    // its working directory is not there
	CodeStartFailed   = "agent_start_failed"   // any other failure to start
	CodeExited        = "agent_exited"         // it ended by itself
	CodeUnknown       = "agent_unknown"        // no agent has this id
)

// Error is a failure that a user can act on.
type Error = fault.Error
