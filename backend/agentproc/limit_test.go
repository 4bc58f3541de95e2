package runs

import (
	"testing"
	"time"

	"weft/backend/agent"
)

func TestPatience(t *testing.T) {
	m := NewManager(Options{Limits: Limits{Initialize: time.Second, Download: time.Minute}})
	for command, want := range map[string]time.Duration{
		"opencode": time.Second, "/usr/bin/npx": time.Minute, "npx.cmd": time.Minute, "uvx": time.Minute, "npxx": time.Second, "": time.Second,
	} {
		if got := m.patience(agent.Config{Command: command}); got != want {
			t.Errorf("%q: %s, want %s", command, got, want)
		}
	}
}
