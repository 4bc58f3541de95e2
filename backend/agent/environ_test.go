package agent

import (
	"slices"
	"strings"
	"testing"
)

func TestEnvironmentExcludesVariablesOfTheParentProgram(t *testing.T) {
	for _, name := range []string{"CLAUDECODE", "CODEX_SANDBOX", "NODE_OPTIONS", "GIT_DIR", "GIT_CONFIG_KEY_0", "npm_lifecycle_event"} {
		t.Setenv(name, "of the parent")
	}
	t.Setenv("GIT_SSH_COMMAND", "ssh -i key")
	t.Setenv("npm_config_registry", "https://registry.example")
	env := Spec{Env: map[string]string{"NODE_OPTIONS": "--max-old-space-size=4096"}}.environ("/bin", "1")
	for _, pair := range env {
		if strings.HasSuffix(pair, "=of the parent") {
			t.Errorf("the agent is told %s", pair)
		}
	}
	for _, want := range []string{"NODE_OPTIONS=--max-old-space-size=4096", "GIT_SSH_COMMAND=ssh -i key", "npm_config_registry=https://registry.example"} {
		if !slices.Contains(env, want) {
			t.Errorf("%s is missing", want)
		}
	}
}
