//go:build unix

package terminal

import (
	"os"
	"strings"
	"testing"
)

// A command that an agent runs sees none of the keys that Weft itself was started with, neither in its own environment
// nor in that of its supervisor.
func TestCommandsSeeNoKeys(t *testing.T) {
	const value = "sk-ant-weft-0123456789"
	for _, name := range []string{"ANTHROPIC_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "MY_OWN_SECRET"} {
		t.Setenv(name, value)
	}
	t.Setenv("SSH_AUTH_SOCK", "/run/agent.sock")
	text, exit := start(t, sh(`env; tr '\0' '\n' < /proc/$PPID/environ`)).wait(t)
	if strings.Contains(text, value) {
		t.Errorf("the command saw a key (%v):\n%s", exit, text)
	}
	if !strings.Contains(text, "SSH_AUTH_SOCK=/run/agent.sock") || !strings.Contains(text, "HOME="+os.Getenv("HOME")) {
		t.Errorf("what commands need is missing:\n%s", text)
	}
}
