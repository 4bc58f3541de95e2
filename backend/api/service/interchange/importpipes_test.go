//go:build unix

package interchange_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"weft/backend/api/service/interchange"
)

// TestPipesAreNotWaitedFor has a pipe in the place of each file and folder that is read.
func TestPipesAreNotWaitedFor(t *testing.T) {
	const session = "01a2140c-5e40-7f62-87f7-cd8ba251d5b2"
	for _, name := range []string{
		".claude/projects", ".claude/projects/-home", ".claude/projects/-home/" + session + ".jsonl",
		".codex/sessions", ".codex/session_index.jsonl", ".codex/sessions/2026/03/01/rollout-2026-03-01T00-00-00-" + session + ".jsonl",
		".local/share/opencode", ".local/share/opencode/opencode.db", ".local/share/opencode/storage/session", ".local/share/opencode/storage/session/global/ses_1.json",
		".gemini/projects.json", ".gemini/tmp/x/.project_root", ".gemini/tmp/x/chats/session-1.json", ".gemini/tmp/x/chats/session-1.jsonl",
		".qwen/projects/-home/chats/" + session + ".jsonl",
	} {
		h := newHome(t)
		path := filepath.Join(h.home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if filepath.Base(name) == ".project_root" {
			if err := os.MkdirAll(filepath.Join(filepath.Dir(path), "chats"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(filepath.Dir(path), "chats", "session-1.json"), []byte("{}"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		_, report := h.importing(interchange.ConversationsFilter{})
		for _, p := range report.Programs {
			if p.Imported != 0 {
				t.Errorf("%s: %+v", name, p)
			}
		}
	}
}
