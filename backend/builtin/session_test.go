package builtin

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLoadReplaysTheLiveTranscript(t *testing.T) {
	data, dir := t.TempDir(), jsProject(t)
	c := start(t, data)
	c.answer = allow("allow-once")
	session := c.open(dir, nil)
	prompts := []string{"summarize this project", "where is tideAt", "make a CONTRIBUTING file", "read ../x"}
	var want strings.Builder
	for _, p := range prompts {
		from := len(c.seen)
		c.prompt(session, p)
		want.WriteString("user: " + p + "\n" + c.transcript(from))
	}
	c.in.Close()
	for range c.lines {
	}

	again := start(t, data)
	again.call("initialize", map[string]any{"protocolVersion": 1})
	from := len(again.seen)
	again.call("session/load", map[string]any{"sessionId": session, "cwd": dir, "mcpServers": []any{}})
	if got := again.transcript(from); got != want.String() {
		t.Errorf("replay differs\n got %s\nwant %s", got, want.String())
	}
	// It continues with fresh ids and without introducing itself again.
	from = len(again.seen)
	again.prompt(session, "list TODOs")
	if got := again.transcript(from); !strings.Contains(got, "call call-5-1") || strings.Contains(got, "language model") {
		t.Error(got)
	}
	var list struct {
		Sessions []struct{ SessionID, Title, Cwd, UpdatedAt string }
	}
	if err := json.Unmarshal(again.call("session/list", map[string]any{}).Result, &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Sessions) != 1 || list.Sessions[0].Title != prompts[0] || list.Sessions[0].Cwd != dir || list.Sessions[0].UpdatedAt == "" {
		t.Errorf("%+v", list)
	}
	if err := json.Unmarshal(again.call("session/list", map[string]any{"cwd": "/elsewhere"}).Result, &list); err != nil || len(list.Sessions) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
	again.call("session/close", map[string]any{"sessionId": session})
	from = len(again.seen)
	again.call("session/resume", map[string]any{"sessionId": session, "cwd": dir})
	if got := again.transcript(from); got != "" {
		t.Errorf("resume replayed %s", got)
	}
	if stop := again.prompt(session, "/help"); stop != "end_turn" {
		t.Error(stop)
	}
}

func TestInterruptedSessionLoads(t *testing.T) {
	data, dir := t.TempDir(), jsProject(t)
	c := start(t, data)
	c.answer = func(message) any { return nil } // never decides
	session := c.open(dir, nil)
	c.request("session/prompt", promptOf(session, "make a CONTRIBUTING file"))
	c.until("permission request", func(m message) bool { return m.Method == "session/request_permission" })
	// A kill -9 leaves the log and half a line.
	path, _ := logPath(data, "")
	path = filepath.Join(filepath.Dir(path), session+".jsonl")
	log, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	killed := t.TempDir()
	if err := os.WriteFile(filepath.Join(killed, session+".jsonl"), append(log, []byte(`{"at":1,"update":{"sessionUpd`)...), 0o600); err != nil {
		t.Fatal(err)
	}
	again := start(t, killed)
	again.call("initialize", map[string]any{"protocolVersion": 1})
	for range 2 { // the second load finds the marks on disk
		from := len(again.seen)
		again.call("session/load", map[string]any{"sessionId": session, "cwd": dir, "mcpServers": []any{}})
		if got := again.transcript(from); strings.Count(got, "Interrupted") != 1 {
			t.Errorf("%s", got)
		}
		again.call("session/close", map[string]any{"sessionId": session})
	}
	again.call("session/resume", map[string]any{"sessionId": session, "cwd": dir})
	if stop := again.prompt(session, "/help"); stop != "end_turn" {
		t.Error(stop)
	}
	if err := (sessionStore{dir: killed}).read("../"+"x", func(record) bool { return true }); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
