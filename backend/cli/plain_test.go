package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// Commands repeat file names, arguments and file contents. None of it may control the terminal.
func TestCommandsSayNothingThatSteersTheTerminal(t *testing.T) {
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	dir := t.TempDir()
	evil := "a\x1b]0;owned\x07\u009b2J\x9b\u202eb"
	file, settings := filepath.Join(dir, "recording.jsonl"), filepath.Join(dir, "settings.json")
	bad := `{"t":0,"dir":"` + "\u009b2J\u202e" + `","msg":{}}` + "\n"
	if err := os.WriteFile(file, []byte(bad), 0o600); err != nil {
		t.Fatal(err)
	}
	all := ""
	for _, args := range [][]string{
		{evil},
		{"open", evil},
		{"open", "weft://space/" + evil},
		{"open", "https://" + evil},
		{"open", "a", evil},
		{"import", evil},
		{"import", file},
		{"restore", evil},
		{"backup", filepath.Join(dir, evil, "x")},
		{"export", evil},
		{"export", evil, "--format", evil},
		{"export", "x", "--out", evil},
		{"fold", evil},
		{"fold", file},
		{"replay", evil},
		{"replay", file},
		{"replay", "x", "--speed", evil},
		{"serve", "--addr", evil},
		{"serve", "--" + evil},
		{"serve", evil},
		{"import", "--from", evil},
		{"import", "--from", "claude", "--since", evil},
		{"update", evil},
		{"import", "x", "--data", filepath.Join(file, evil)},
	} {
		if name := args[0]; name != "fold" && name != "replay" && name != evil && len(args) < 4 {
			args = append(args, "--data", filepath.Join(dir, "data"), "--settings", settings)
		}
		out := printed(t, func() { run(args) })
		if strings.ContainsAny(out, "\x1b\x07\u009b\u202e\r") || !utf8.ValidString(out) {
			t.Errorf("weft %q: %q", args, out)
		}
		all += out
	}
	if !strings.Contains(all, "owned") {
		t.Error("nothing of it was said")
	}
}
