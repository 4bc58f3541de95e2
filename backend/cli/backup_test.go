package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a backup leaves out of the settings is listed where it is made, and asked for where it is restored.
func TestSecretsThatBackupLeavesOutAreListed(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{
		"conversation.json": `[{"role":"user","content":"Hello"},{"role":"assistant","content":"Hi."}]`,
		"settings.json":     `{"agents":[{"id":"mine","name":"Mine","command":"agent","env":{"OPENAI_API_KEY":"sk-0123456789abcdefghij"}}]}`,
	} {
		if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"import", at("conversation.json"), "--data", at("data"), "--settings", at("settings.json")}, ""},
		{[]string{"backup", at("backup.zip"), "--data", at("data"), "--settings", at("settings.json")}, "Left out of the settings, because it looks like a secret:\n  agents.mine.env.OPENAI_API_KEY\n"},
		{[]string{"restore", at("backup.zip"), "--data", at("other"), "--settings", at("other.json")}, "Enter them again in Settings:\n  agents.mine.env.OPENAI_API_KEY\n"},
	} {
		code, out, complaint := told(t, func() int { return run(c.args) })
		if code != 0 || !strings.Contains(complaint, c.says) || strings.Contains(out+complaint, "sk-0123456789") {
			t.Errorf("weft %q: %d, %q, %q", c.args, code, out, complaint)
		}
	}
}
