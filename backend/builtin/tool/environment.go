package tool

import (
	"weft/backend/permission/shell"
	"weft/backend/settings/secret"
)

// environment returns the environment of commands: the agent's own without secrets, plus variables that prevent
// prompts.
func environment() []string { return append(secret.Environ(), shell.Quiet()...) }
