package guidemodel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/backend/builtin/folder"
	"weft/backend/builtin/guide"
	"weft/backend/llm"
)

// world is a folder with tools that really work on it, and what may go wrong with them.
type world struct {
	folder  *folder.Folder
	decline bool
	fails   map[int]string // the call with that number, from 1, fails with this
	calls   []string       // in order, without plans
	plan    string         // the last
}

func open(t *testing.T, dir string) *world {
	t.Helper()
	f, err := folder.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return &world{folder: f}
}

// use runs a tool.
func (w *world) use(ctx context.Context, tool string, input json.RawMessage) (data any, err error) {
	var in struct {
		Path, Pattern, Glob, Content string
		Literal                      bool
		IgnoreCase                   bool `json:"ignore_case"`
		From, To                     int
	}
	if err := json.Unmarshal(input, &in); err != nil {
		return nil, err
	}
	w.calls = append(w.calls, tool+" "+string(input))
	if why := w.fails[len(w.calls)]; why != "" {
		return nil, errors.New(why)
	}
	if tool == "glob" {
		return w.folder.Glob(ctx, in.Pattern)
	}
	if tool == "search" {
		return w.folder.Search(ctx, folder.Query{Pattern: in.Pattern, Regexp: !in.Literal, Case: !in.IgnoreCase, Glob: in.Glob})
	}
	rel, err := w.folder.Rel(in.Path)
	if err != nil {
		return nil, err
	}
	switch tool {
	case "list":
		return w.folder.List(ctx, rel)
	case "read":
		text, err := w.folder.Read(rel, in.From, in.To)
		return readData{text, text.Content}, err
	case "write":
		if w.decline {
			return nil, guide.ErrDeclined
		}
		return map[string]any{"path": rel}, w.folder.Write(rel, in.Content)
	}
	return nil, fmt.Errorf("no tool %s", tool)
}

// direct lets the guide work without a model in between. It is what the model has to equal.
type direct struct {
	world *world
	text  strings.Builder
	think strings.Builder
}

func (d *direct) Say(s string)   { d.text.WriteString(s) }
func (d *direct) Think(s string) { d.think.WriteString(s) }
func (d *direct) Plan(steps []guide.Step) {
	d.world.plan = string(todos(steps))
}

func ask[T any](ctx context.Context, d *direct, tool string, input any) (T, error) {
	var out T
	raw, err := encode(input)
	if err != nil {
		return out, err
	}
	data, err := d.world.use(ctx, tool, raw)
	if err != nil {
		return out, err
	}
	text, _ := json.Marshal(data)
	return out, json.Unmarshal(text, &out)
}

func (d *direct) List(ctx context.Context, dir string) (folder.Listing, error) {
	return ask[folder.Listing](ctx, d, "list", listInput{Path: dir})
}

func (d *direct) Glob(ctx context.Context, pattern string) (folder.Listing, error) {
	return ask[folder.Listing](ctx, d, "glob", globInput{pattern})
}

func (d *direct) Search(ctx context.Context, q folder.Query) (folder.Found, error) {
	return ask[folder.Found](ctx, d, "search", searchInput{q.Pattern, q.Glob, !q.Regexp, !q.Case})
}

func (d *direct) Read(ctx context.Context, path string, from, to int) (folder.Text, error) {
	if from <= 1 {
		from = 0
	}
	data, err := ask[readData](ctx, d, "read", readInput{path, from, to})
	data.Text.Content = data.Content
	return data.Text, err
}

func (d *direct) Write(ctx context.Context, e guide.Edit) error {
	_, err := ask[any](ctx, d, "write", writeInput{e.Path, e.Content})
	return err
}

var allTools = []llm.Tool{{Name: "list"}, {Name: "glob"}, {Name: "search"}, {Name: "read"}, {Name: "write"}, {Name: "todo"}}

// run is one run of an agent over the model: history in, the new messages out.
func run(ctx context.Context, t *testing.T, w *world, history []llm.Message, prompt llm.Message) []llm.Message {
	t.Helper()
	fresh := []llm.Message{prompt}
	for range 100 {
		var streamed stream
		res, err := New().Stream(ctx, llm.Request{Messages: append(append([]llm.Message{}, history...), fresh...), Tools: allTools}, streamed.add)
		if err != nil {
			t.Fatal(err)
		}
		streamed.check(t, res)
		fresh = append(fresh, res.Message)
		calls := res.Message.Calls()
		if len(calls) == 0 {
			return fresh
		}
		fresh = append(fresh, w.results(ctx, calls))
	}
	t.Fatal("the run does not end")
	return nil
}

func (w *world) results(ctx context.Context, calls []llm.ToolCall) llm.Message {
	m := llm.Message{Role: llm.RoleUser}
	for _, c := range calls {
		r := llm.ToolResult{CallID: c.ID, Name: c.Name}
		if c.Name == todoTool {
			w.plan = string(c.Input)
			r.Parts = []llm.Part{llm.Text{Text: "ok"}}
			m.Parts = append(m.Parts, r)
			continue
		}
		data, err := w.use(ctx, c.Name, c.Input)
		if err == nil {
			r.Data, _ = json.Marshal(data)
		} else {
			r.Failed, r.Parts = true, []llm.Part{llm.Text{Text: err.Error()}}
			if errors.Is(err, guide.ErrDeclined) {
				r.Data = json.RawMessage(`{"rejected":true}`)
			}
		}
		m.Parts = append(m.Parts, r)
	}
	return m
}

// stream rebuilds a message from what was emitted.
type stream struct{ parts []llm.Part }

func (s *stream) add(d llm.Delta) {
	last := len(s.parts) - 1
	switch d.Kind {
	case llm.DeltaText:
		if last >= 0 {
			if text, ok := s.parts[last].(llm.Text); ok {
				s.parts[last] = llm.Text{Text: text.Text + d.Text}
				return
			}
		}
		s.parts = append(s.parts, llm.Text{Text: d.Text})
	case llm.DeltaThinking:
		s.parts = append(s.parts, llm.Thinking{Text: d.Text})
	case llm.DeltaCallStart:
		s.parts = append(s.parts, llm.ToolCall{ID: d.ID, Name: d.Name})
	case llm.DeltaCallInput:
		c := s.parts[last].(llm.ToolCall)
		c.Input = append(c.Input, d.Text...)
		s.parts[last] = c
	}
}

// check compares what was streamed with the response.
func (s *stream) check(t *testing.T, res llm.Response) {
	t.Helper()
	got, _ := json.Marshal(llm.Message{Role: llm.RoleModel, Parts: s.parts})
	want, _ := json.Marshal(res.Message)
	if string(got) != string(want) || len(s.parts) == 0 {
		t.Errorf("streamed\n%s\nbut the message is\n%s", got, want)
	}
	wantStop := llm.StopEnd
	if len(res.Message.Calls()) > 0 {
		wantStop = llm.StopTools
	}
	if res.Stop != wantStop || res.Model != Name || res.Usage != (llm.Usage{}) {
		t.Errorf("stop %s, model %s, usage %+v", res.Stop, res.Model, res.Usage)
	}
}

// heard is all that was said and thought in a run.
func heard(messages []llm.Message) (text, thoughts string) {
	for _, m := range messages {
		if m.Role != llm.RoleModel {
			continue
		}
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llm.Text:
				text += p.Text
			case llm.Thinking:
				thoughts += p.Text
			}
		}
	}
	return text, thoughts
}

func workspace(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tide")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func project(t *testing.T) string {
	t.Helper()
	return workspace(t, map[string]string{
		"package.json":     `{"name": "tide", "version": "0.3.1", "scripts": {"test": "vitest run", "build": "vite build"}}`,
		"README.md":        "# Tide clock\n\nTells the tide. It has <no> database.\n",
		"src/index.js":     "// Starts the server.\nimport { tideAt } from './tide.js'\n// TODO: read the port\ntideAt()\n",
		"src/tide.js":      "export function tideAt() {\n  return 1\n}  \n",
		"src/tide.test.js": "import { tideAt } from './tide.js'\n",
		"empty.txt":        "",
		".gitignore":       "ignored.js\n",
		"ignored.js":       "tideAt() // TODO: never seen\n",
	})
}
