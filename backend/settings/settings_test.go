package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/base/fault"
)

// mustOpen opens the settings in a new folder, holding text if it is not "".
func mustOpen(t *testing.T, text string) *File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "weft", "settings.json")
	if text != "" {
		write(t, path, text)
	}
	f, err := Open(path, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

type change struct {
	s Settings
	p *Problem
}

// changes subscribes; the channel holds more than any test makes.
func changes(t *testing.T, f *File) <-chan change {
	t.Helper()
	ch := make(chan change, 100)
	t.Cleanup(f.Subscribe(func(s Settings, p *Problem) { ch <- change{s, p} }))
	return ch
}

// await takes changes until one is as wanted.
func await(t *testing.T, ch <-chan change, what string, want func(change) bool) change {
	t.Helper()
	limit := time.After(10 * time.Second)
	for {
		select {
		case c := <-ch:
			if want(c) {
				return c
			}
		case <-limit:
			t.Fatalf("never saw: %s", what)
		}
	}
}

func TestFirstStartWritesDefaultsAndSchema(t *testing.T) {
	f := mustOpen(t, "")
	if got := f.Get(); !got.equal(Default()) {
		t.Errorf("settings = %+v", got)
	}
	text := read(t, f.Path())
	for _, want := range []string{`"$schema": "./settings.schema.json"`, `"defaultAgent": "guide"`, `"agents": []`, `"textScale": 100`, `"language": "system"`} {
		if !strings.Contains(text, want) {
			t.Errorf("file lacks %s:\n%s", want, text)
		}
	}
	var schema map[string]any
	if err := json.Unmarshal([]byte(read(t, filepath.Join(filepath.Dir(f.Path()), schemaName))), &schema); err != nil {
		t.Errorf("schema: %v", err)
	}
	if info, _ := os.Stat(f.Path()); runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v", info.Mode())
	}
}

func TestProblemsHaveAPosition(t *testing.T) {
	for _, c := range []struct {
		name, text string
		line, col  int
		message    string
	}{
		{"syntax", "{\n  \"agents\": [,]\n}", 2, 14, "isn't valid JSON"},
		{"syntax after umlauts", "{\n \"defaultAgent\": \"äöü\" x}", 2, 24, "isn't valid JSON"},
		{"cut off", "{\n  \"agents\": [\n", 2, 14, "ends too early"},
		{"text after the end", "{}\n}", 2, 1, "isn't valid JSON"},
		{"empty", "", 1, 1, "empty"},
		{"not an object", "[]", 1, 1, "must be an object"},
		{"wrong type", "{\n  \"defaultAgent\": 5\n}", 2, 19, "must be a text"},
		{"agents no list", `{"agents": {}}`, 1, 12, "must be a list"},
		{"wrong type deep", "{\"agents\": [\n {\"id\": \"a\", \"command\": \"a\",\n  \"args\": [\"x\", 7]}]}", 3, 17, "must be a text"},
		{"wrong env", `{"agents": [{"id": "a", "command": "a", "env": {"X": 1}}]}`, 1, 54, "“X” must be a text"},
		{"same key", "{\n \"agents\": [],\n \"agents\": []\n}", 3, 2, "given twice"},
		{"same id", "{\"agents\": [\n {\"id\": \"a\", \"command\": \"x\"},\n {\"id\": \"a\", \"command\": \"y\"}\n]}", 3, 9, "Two agents"},
		{"no id", `{"agents": [{"command": "x"}]}`, 1, 13, "needs an id"},
		{"empty command", "{\"agents\": [\n {\"id\": \"a\", \"command\": \" \"}]}", 2, 25, "needs a command"},
		{"relative cwd", `{"agents": [{"id": "a", "command": "x", "cwd": "src"}]}`, 1, 48, "absolute path"},
		{"theme", "{\n \"appearance\": {\"theme\": \"blue\"}}", 2, 26, "system, light, dark"},
		{"scale", `{"appearance": {"textScale": 79}}`, 1, 30, "between 80 and 150"},
		{"language", `{"appearance": {"language": "tlh"}}`, 1, 29, "must be one of system, en, de"},
		{"half scale", `{"appearance": {"textScale": 99.5}}`, 1, 30, "whole number"},
		{"first of two", "{\n \"appearance\": {\"theme\": 1},\n \"defaultAgent\": 2}", 2, 26, "theme"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, p := decode([]byte(c.text))
			if p == nil {
				t.Fatal("no problem")
			}
			if p.Line != c.line || p.Col != c.col || !strings.Contains(p.Message, c.message) {
				t.Errorf("got %d:%d %s\nwant %d:%d …%s…", p.Line, p.Col, p.Message, c.line, c.col, c.message)
			}
			if p.Said().String() != p.Message {
				t.Errorf("%q has no template", p.Message)
			}
		})
	}
}

func TestBrokenFileIsKeptAndLastGoodStaysInForce(t *testing.T) {
	f := mustOpen(t, `{"defaultAgent": "mine", "agents": [{"id": "mine", "command": "mine"}]}`)
	ch := changes(t, f)
	broken := "{\n  \"defaultAgent\": \"other\",\n  \"agents\": [\n}"
	write(t, f.Path(), broken)
	// Before it is written it is empty for a moment, which may be seen.
	c := await(t, ch, "the problem", func(c change) bool { return c.p != nil && c.p.Line == 4 })
	if c.p.Col != 1 || c.p.File != f.Path() {
		t.Errorf("problem = %+v", c.p)
	}
	if c.s.DefaultAgent != "mine" || f.Get().DefaultAgent != "mine" {
		t.Error("last good settings are not in force")
	}
	err := f.Update(func(s *Settings) error { s.DefaultAgent = "guide"; return nil })
	var refused *Problem
	if !errors.As(err, &refused) || refused.Line != 4 {
		t.Fatalf("update of a broken file: %v", err)
	}
	if said := fault.Of(err).Said(); !strings.Contains(string(said), `["This isn't valid JSON: {{reason}}."`) {
		t.Errorf("the refusal has no template for the mistake: %s", said)
	}
	if got := read(t, f.Path()); got != broken {
		t.Errorf("broken file was changed:\n%s", got)
	}
	write(t, f.Path(), `{"defaultAgent": "other"}`)
	await(t, ch, "the mended file", func(c change) bool { return c.p == nil && c.s.DefaultAgent == "other" })
}

func TestBrokenAtStart(t *testing.T) {
	f := mustOpen(t, `{"agents": nope}`)
	if p := f.Problem(); p == nil || p.Line != 1 || p.Col != 13 {
		t.Errorf("problem = %+v", p)
	}
	if !f.Get().equal(Default()) {
		t.Error("defaults are not in force")
	}
	if got := read(t, f.Path()); got != `{"agents": nope}` {
		t.Errorf("file was changed: %s", got)
	}
}

// An edit that the watcher hasn't reported yet must not be overwritten.
func TestUpdateBuildsOnTheFileAsItIs(t *testing.T) {
	f := mustOpen(t, `{"defaultAgent": "a"}`)
	write(t, f.Path(), `{"defaultAgent": "b", "hiddenAgents": ["x"]}`)
	if err := f.Update(func(s *Settings) error { s.Appearance.Theme = "dark"; return nil }); err != nil {
		t.Fatal(err)
	}
	if s := f.Get(); s.DefaultAgent != "b" || len(s.HiddenAgents) != 1 || s.Appearance.Theme != "dark" {
		t.Errorf("settings = %+v", s)
	}
	write(t, f.Path(), `{`)
	if err := f.Update(func(s *Settings) error { s.Appearance.Theme = "light"; return nil }); err == nil {
		t.Error("update over a broken file that the watcher has not seen yet")
	}
}

func TestWriteKeepsUnknownFieldsOrderAndMode(t *testing.T) {
	f := mustOpen(t, `{
		"future": {"deep": [1, 2.50, 1e400]},
		"appearance": {"font": "Iosevka", "theme": "light"},
		"agents": [
			{"id": "b", "command": "b", "note": "<keep & see>", "env": {"K": "v"}},
			{"id": "a", "command": "a", "colour": "red"}
		]
	}`)
	if err := os.Chmod(f.Path(), 0o640); err != nil {
		t.Fatal(err)
	}
	err := f.Update(func(s *Settings) error {
		s.Appearance.Theme = "dark"
		s.Agents[0].Env = nil
		s.Agents[0], s.Agents[1] = s.Agents[1], s.Agents[0]
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{
  "future": {
    "deep": [
      1,
      2.50,
      1e400
    ]
  },
  "appearance": {
    "font": "Iosevka",
    "theme": "dark",
    "density": "comfortable",
    "textScale": 100,
    "thoughts": "in-place",
    "language": "system"
  },
  "agents": [
    {
      "id": "a",
      "command": "a",
      "colour": "red",
      "name": "",
      "args": []
    },
    {
      "id": "b",
      "command": "b",
      "note": "<keep & see>",
      "name": "",
      "args": []
    }
  ],
  "defaultAgent": "guide",
  "hiddenAgents": []
}
`
	if got := read(t, f.Path()); got != want {
		t.Errorf("file:\n%s", got)
	}
	if info, _ := os.Stat(f.Path()); runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("mode = %v", info.Mode())
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(f.Path()), ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestUpdateRefusesInvalidSettings(t *testing.T) {
	f := mustOpen(t, `{"defaultAgent": "a"}`)
	before := read(t, f.Path())
	var p *Problem
	err := f.Update(func(s *Settings) error {
		s.Agents = append(s.Agents, Agent{ID: "x", Command: "x"}, Agent{ID: "x", Command: "y"})
		return nil
	})
	if !errors.As(err, &p) || !strings.Contains(p.Message, `"x"`) {
		t.Errorf("error = %v", err)
	}
	called := errors.New("called off")
	if err := f.Update(func(s *Settings) error { s.DefaultAgent = "z"; return called }); !errors.Is(err, called) {
		t.Errorf("error = %v", err)
	}
	if read(t, f.Path()) != before || f.Get().DefaultAgent != "a" || f.Problem() != nil {
		t.Error("something was changed")
	}
}

func TestConcurrentUpdatesAllCount(t *testing.T) {
	f := mustOpen(t, "")
	ch := changes(t, f)
	const n = 16
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			err := f.Update(func(s *Settings) error {
				s.Agents = append(s.Agents, Agent{ID: fmt.Sprint("a", i), Command: "x"})
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			_ = f.Get()
		})
	}
	wg.Wait()
	if got := len(f.Get().Agents); got != n {
		t.Errorf("%d of %d updates are there", got, n)
	}
	await(t, ch, "all agents", func(c change) bool { return len(c.s.Agents) == n })
	again, err := Open(f.Path(), zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if !again.Get().equal(f.Get()) {
		t.Error("the file says something else")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"agents":[{"id":"a","command":"b","env":{"k":"v"}}],"x":[1,{"y":null}]}`))
	f.Add([]byte("{\"a\":\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, root, p := decode(data)
		if p != nil {
			if p.Line < 1 || p.Col < 1 {
				t.Fatalf("no place: %+v", p)
			}
			return
		}
		out := encode(s, root)
		again, _, p := decode(out)
		if p != nil {
			t.Fatalf("own output does not read back: %v\n%s", p, out)
		}
		if !again.equal(s) {
			t.Fatalf("own output reads back as something else:\n%s", out)
		}
	})
}

func TestRegistryFieldsAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	text := `{"registry":"https://example.com/r.json","agents":[{"id":"a","command":"/a","registry":{"id":"a","version":"1.0.0"}},{"id":"b","command":"/b"}]}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if p := f.Problem(); p != nil {
		t.Fatal(p)
	}
	before := f.Get()
	if before.Registry != "https://example.com/r.json" || before.Agents[0].Registry == nil || before.Agents[1].Registry != nil {
		t.Fatalf("%+v", before)
	}
	before.Agents[0].Registry.Version = "changed in a copy"
	if err := f.Update(func(s *Settings) error {
		if s.Agents[0].Registry.Version != "1.0.0" {
			t.Error("Get hands out what it keeps")
		}
		s.Agents[0].Registry = &FromRegistry{ID: "a", Version: "2.0.0"}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(raw), `"version": "2.0.0"`) || !strings.Contains(string(raw), "https://example.com/r.json") {
		t.Errorf("%s, %v", raw, err)
	}
	for _, bad := range []string{`{"registry":7}`, `{"registry":"ftp://e.com"}`, `{"registry":"/tmp/r.json"}`, `{"agents":[{"id":"a","command":"/a","registry":"x"}]}`} {
		if _, _, p := decode([]byte(bad)); p == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}
