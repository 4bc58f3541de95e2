package builtin

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// allow answers permission requests with an option, and handles fs/write_text_file.
func allow(option string) func(message) any {
	return func(m message) any {
		if m.Method == "fs/write_text_file" {
			if err := os.WriteFile(m.Params.Path, []byte(m.Params.Content), 0o644); err != nil {
				panic(err)
			}
			return map[string]any{}
		}
		return map[string]any{"outcome": map[string]any{"outcome": "selected", "optionId": option}}
	}
}

const readTide = `read {"path":"src/tide.js"}`

func editTide(from, to string) string {
	return fmt.Sprintf(`edit {"path":"src/tide.js","old_string":%q,"new_string":%q}`, from, to)
}

func contents(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}

func TestWriteAsksWritesAndChecks(t *testing.T) {
	for _, fs := range []bool{false, true} {
		dir := jsProject(t)
		c := start(t, t.TempDir())
		c.answer = allow("allow-once")
		session := c.open(dir, map[string]any{"fs": map[string]any{"writeTextFile": fs}})
		from := len(c.seen)
		c.prompt(session, "make a CONTRIBUTING file")
		text := contents(t, filepath.Join(dir, "CONTRIBUTING.md"))
		for _, want := range []string{"# Contributing to Tide clock", "`npm test` — `vitest run`"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is missing in\n%s", want, text)
			}
		}
		got := c.transcript(from)
		for _, want := range []string{"completed: Create CONTRIBUTING.md: Created CONTRIBUTING.md", "Read CONTRIBUTING.md", "is on disk as proposed"} {
			if !strings.Contains(got, want) {
				t.Errorf("%q is missing in\n%s", want, got)
			}
		}
		var kinds []string
		wrote := false
		for _, m := range c.seen {
			wrote = wrote || m.Method == "fs/write_text_file"
			if m.Method == "session/request_permission" {
				for _, o := range m.Params.Options {
					kinds = append(kinds, o.Kind)
				}
				var call struct {
					Content []struct{ Type, Path, NewText string }
				}
				if err := json.Unmarshal(m.Params.ToolCall, &call); err != nil || len(call.Content) != 1 || call.Content[0].Type != "diff" || call.Content[0].NewText != text || call.Content[0].Path != filepath.Join(dir, "CONTRIBUTING.md") {
					t.Errorf("the request shows %+v, %v", call.Content, err)
				}
			}
		}
		if strings.Join(kinds, " ") != "allow_once allow_always reject_once" || wrote != fs {
			t.Errorf("options %v, written through the client: %v", kinds, wrote)
		}
	}
}

func TestRejectedEditIsNotWritten(t *testing.T) {
	dir := jsProject(t)
	c := startWith(t, t.TempDir(), script(obeys))
	session := c.open(dir, nil)
	before := contents(t, filepath.Join(dir, "src/tide.js"))
	if stop := c.prompt(session, readTide+"\n"+editTide("1", "2")); stop != "end_turn" {
		t.Error(stop)
	}
	if contents(t, filepath.Join(dir, "src/tide.js")) != before {
		t.Error("the file was changed")
	}
	if got := c.transcript(0); !strings.Contains(got, "failed: Edit src/tide.js: Declined by the user") {
		t.Error(got)
	}
}

func TestAllowAlwaysAsksOnce(t *testing.T) {
	data, dir := t.TempDir(), jsProject(t)
	asked := 0
	answer := func(m message) any { asked++; return allow("allow-always")(m) }
	c := startWith(t, data, script(obeys))
	c.answer = answer
	session := c.open(dir, nil)
	c.prompt(session, readTide+"\n"+editTide("return 1", "return 2"))
	c.prompt(session, editTide("tideAt", "tideNow"))
	again := startWith(t, data, script(obeys))
	again.answer = answer
	again.call("session/resume", map[string]any{"sessionId": session, "cwd": dir})
	again.prompt(session, readTide+"\n"+editTide("tideNow", "tide"))
	if got := contents(t, filepath.Join(dir, "src/tide.js")); got != "export function tide() {\n  return 2\n}  \n" || asked != 1 {
		t.Errorf("asked %d times, file %q", asked, got)
	}
}

func TestCancelWhileAPermissionIsPending(t *testing.T) {
	for _, how := range []string{"session/cancel", "answer", "end of input"} {
		dir := jsProject(t)
		c := start(t, t.TempDir())
		c.answer = func(message) any { return nil }
		session := c.open(dir, nil)
		id := c.request("session/prompt", promptOf(session, "make a CONTRIBUTING file"))
		m := c.until("permission request", func(m message) bool { return m.Method == "session/request_permission" })
		from := len(c.seen)
		switch how {
		case "session/cancel":
			c.notify("session/cancel", map[string]any{"sessionId": session})
		case "answer":
			c.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": map[string]any{"outcome": map[string]any{"outcome": "cancelled"}}})
		case "end of input":
			c.in.Close()
		}
		if stop := stopReason(c.response(id)); stop != "cancelled" {
			t.Errorf("%s: stop %q", how, stop)
		}
		if got := c.transcript(from); !strings.Contains(got, "Cancelled.") {
			t.Errorf("%s: %s", how, got)
		}
		if contents(t, filepath.Join(dir, "CONTRIBUTING.md")) != "" {
			t.Errorf("%s: the file was written", how)
		}
	}
}

func TestEditOfAChangedFileIsRefused(t *testing.T) {
	dir := jsProject(t)
	path := filepath.Join(dir, "src/tide.js")
	c := startWith(t, t.TempDir(), script(obeys))
	c.answer = func(m message) any {
		if err := os.WriteFile(path, []byte("mine now \n"), 0o644); err != nil {
			panic(err)
		}
		return allow("allow-once")(m)
	}
	session := c.open(dir, nil)
	c.prompt(session, readTide+"\n"+editTide("1", "2"))
	if contents(t, path) != "mine now \n" || !strings.Contains(c.said(0), "has changed since") {
		t.Errorf("%q, %s", contents(t, path), c.said(0))
	}
}

func TestLinksAreNotFollowedOut(t *testing.T) {
	outside := workspace(t, map[string]string{"secret.txt": "hush  \n"})
	dir := workspace(t, map[string]string{"a.txt": "a\n"})
	if err := os.Symlink(filepath.Join(outside, "secret.txt"), filepath.Join(dir, "leak.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, "new.md"), filepath.Join(dir, "CONTRIBUTING.md")); err != nil {
		t.Fatal(err)
	}
	c := startWith(t, t.TempDir(), script(obeys))
	c.answer = allow("allow-once")
	session := c.open(dir, map[string]any{"fs": map[string]any{"writeTextFile": true}})
	calls := []string{`search {"pattern":"hush"}`}
	for _, path := range []string{"leak.txt", "CONTRIBUTING.md", outside + "/secret.txt"} {
		input := func(fields map[string]any) string {
			fields["path"] = path
			raw, _ := json.Marshal(fields)
			return string(raw)
		}
		calls = append(calls, "read "+input(map[string]any{}), "write "+input(map[string]any{"content": "mine"}), "edit "+input(map[string]any{"old_string": "hush", "new_string": "mine"}))
	}
	if stop := c.prompt(session, strings.Join(calls, "\n")); stop != "end_turn" || strings.Count(c.transcript(0), " failed: ") != len(calls)-1 {
		t.Errorf("%s\n%s", stop, c.transcript(0))
	}
	all, err := json.Marshal(c.transcript(0))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(all), "hush  ") || contents(t, filepath.Join(outside, "secret.txt")) != "hush  \n" || contents(t, filepath.Join(outside, "new.md")) != "" {
		t.Errorf("%s", c.transcript(0))
	}
	for _, m := range c.seen {
		if m.Method == "session/request_permission" || m.Method == "fs/write_text_file" {
			t.Errorf("%s for %s", m.Method, m.Params.Path)
		}
	}
}

// If the session's folder is replaced with another one while the user is asked, the rest of the turn touches neither.
func TestTurnTouchesNoOtherFolder(t *testing.T) {
	const tide = "export function tideAt() {\n  return 1\n}  \n"
	for name, calls := range map[string]string{
		"edit":        readTide + "\n" + editTide("1", "2"),
		"write":       `write {"path":"new/file.js","content":"text"}`,
		"shell":       `shell {"command":"echo written > src/tide.js"}`,
		"then read":   `shell {"command":"true"}` + "\n" + readTide,
		"then list":   `shell {"command":"true"}` + "\n" + `list {"path":"."}`,
		"then search": `shell {"command":"true"}` + "\n" + `search {"pattern":"tide"}`,
		"then glob":   `shell {"command":"true"}` + "\n" + `glob {"pattern":"**"}`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := jsProject(t)
			c := startWith(t, t.TempDir(), script(obeys))
			replaced := false
			c.answer = func(m message) any {
				if !replaced {
					replaced = true
					if err := os.Rename(dir, dir+".bak"); err != nil {
						panic(err)
					}
					if err := os.MkdirAll(filepath.Join(dir, "src"), 0o755); err != nil {
						panic(err)
					}
					if err := os.WriteFile(filepath.Join(dir, "src/tide.js"), []byte(tide), 0o644); err != nil {
						panic(err)
					}
				}
				return allow("allow-once")(m)
			}
			session := c.open(dir, nil)
			c.prompt(session, calls)
			if said := c.said(0); !replaced || !strings.Contains(said, "was moved, deleted or replaced") {
				t.Errorf("replaced %v: %q", replaced, said)
			}
			for _, at := range []string{dir, dir + ".bak"} {
				if contents(t, filepath.Join(at, "src/tide.js")) != tide || contents(t, filepath.Join(at, "new/file.js")) != "" {
					t.Errorf("%s was changed", at)
				}
			}
			from := len(c.seen)
			if c.prompt(session, readTide); !strings.Contains(c.said(from), "return 1") {
				t.Errorf("the next turn: %q", c.said(from))
			}
		})
	}
}
