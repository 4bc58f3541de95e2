package tool

import (
	"weft/backend/permission/shell"
	"weft/backend/secret"
)

// environment is what a command gets: the agent's own environment without secrets, and what keeps it from waiting for a user.
func environment() []string { return append(secret.Environ(), shell.Quiet()...) }
