package tool

import (
	"os"

	"weft/backend/secret"
)

// quiet is what a command gets beside the agent's environment: nobody sits before it, and nothing pages.
var quiet = []string{"PAGER=cat", "GIT_PAGER=cat", "MANPAGER=cat", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "NO_COLOR=1"}

// environment is the agent's own without secrets.
func environment() []string {
	env, _ := secret.Split(os.Environ(), nil)
	return append(env, quiet...)
}
