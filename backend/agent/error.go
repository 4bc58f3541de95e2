package agent

import "weft/backend/base/fault"

// Codes of [Error].
const (
	CodeMissing       = "agent_missing"        // the command wasn't found
	CodeNotExecutable = "agent_not_executable" // found, but not executable
	CodeDirMissing    = "agent_dir_missing"    // its working directory doesn't exist
	CodeStartFailed   = "agent_start_failed"   // any other failure to start
	CodeExited        = "agent_exited"         // it exited by itself
	CodeUnknown       = "agent_unknown"        // no agent has this id
)

// Error is an error that the user can act on.
type Error = fault.Error
