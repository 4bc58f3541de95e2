package guide

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/backend/builtin/folder"
	"weft/backend/builtin/tool"
	"weft/backend/llm"
)

// session runs the guide with the agent's own tools on a folder.
type session struct {
	env     *tool.Env
	tools   []tool.Tool
	history []llm.Message
	reject  bool           // the user rejects every edit
	fails   map[int]string // the call with this number, from 1, fails with this message
	calls   []string       // the names of the tools that were called
}

// noClient is a client that offers nothing.
type noClient struct{ tool.Client }

func (noClient) ReadsFiles() bool   { return false }
func (noClient) WritesFiles() bool  { return false }
func (noClient) HasTerminals() bool { return false }
func (noClient) Permits() bool      { return false }

func open(t testing.TB, files map[string]string) *session {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f, err := folder.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return &session{env: &tool.Env{Folder: f, Client: noClient{}, Seen: &tool.Seen{}}, tools: tool.Builtin(tool.Options{})}
}

var tide = map[string]string{
	"package.json": `{"name": "tide", "scripts": {"test": "vitest run", "build": "vite build"}}`,
	"README.md":    "# Tide clock\n\nTells the tide. It has <no> database.\n",
	"src/index.js": "// Starts the server.\nimport { tideAt } from './tide.js'\n// TODO: read the port\ntideAt()\n",
	"src/tide.js":  "export function tideAt() {\n  return 1\n}  \n",
	"empty.txt":    "",
	".gitignore":   "ignored.js\n",
	"ignored.js":   "tideAt() // TODO: never seen\n",
}

func (s *session) offered() (list []llm.Tool) {
	for _, one := range s.tools {
		list = append(list, one.Tool)
	}
	return list
}

// prompt runs the guide until it ends the turn, and returns what it said.
func (s *session) prompt(t testing.TB, parts ...llm.Part) string {
	t.Helper()
	s.history = append(s.history, llm.Message{Role: llm.RoleUser, Parts: parts})
	said := ""
	for range 30 {
		streamed := ""
		res, err := New().Stream(context.Background(), llm.Request{Messages: s.history, Tools: s.offered()}, func(d llm.Delta) {
			if d.Kind == llm.DeltaText || d.Kind == llm.DeltaCallInput {
				streamed += d.Text
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		whole := res.Message.Text()
		for _, c := range res.Message.Calls() {
			whole += string(c.Input)
		}
		if whole != streamed || len(res.Message.Parts) == 0 {
			t.Fatalf("streamed %q, the message is %q", streamed, whole)
		}
		said += res.Message.Text()
		s.history = append(s.history, res.Message)
		if res.Stop == llm.StopEnd {
			return said
		}
		results := llm.Message{Role: llm.RoleUser}
		for _, c := range res.Message.Calls() {
			results.Parts = append(results.Parts, s.use(t, c))
		}
		s.history = append(s.history, results)
	}
	t.Fatal("the turn doesn't end")
	return ""
}

func (s *session) use(t testing.TB, c llm.ToolCall) llm.ToolResult {
	t.Helper()
	s.calls = append(s.calls, c.Name)
	r := llm.ToolResult{CallID: c.ID, Name: c.Name}
	fail := func(message string) llm.ToolResult {
		r.Failed, r.Parts = true, []llm.Part{llm.Text{Text: message}}
		return r
	}
	if message := s.fails[len(s.calls)]; message != "" {
		return fail(message)
	}
	i := slices.IndexFunc(s.tools, func(one tool.Tool) bool { return one.Name == c.Name })
	prepared, err := s.tools[i].Prepare(context.Background(), s.env, c.Input)
	if err == nil && s.reject && c.Name == "write" {
		r.Data = json.RawMessage(`{"rejected":true}`)
		return fail("The user rejected the call.")
	}
	var out tool.Result
	if err == nil {
		out, err = prepared.Run(context.Background(), func(tool.Progress) {})
	}
	if err != nil {
		return fail(err.Error())
	}
	if r.Data, err = json.Marshal(out.Data); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAnswers(t *testing.T) {
	for _, tc := range []struct {
		prompt string
		want   []string
		calls  string
	}{
		{"/help", []string{"not a language model", "Summarize", "add an agent"}, ""},
		{"what next?", []string{"add an agent", "Browse agents"}, ""},
		{"summarise this project", []string{"6 files in 1 folder", "## Tide clock", "> Tells the tide. It has &lt;no> database.", "JavaScript (2 files)", "`npm test` — `vitest run`", "`src/` (2 files)"}, "list read read"},
		{"list TODOs", []string{"**1 note in 1 file**", "    3  // TODO: read the port"}, "search"},
		{"show the tree", []string{"**6 files in 1 folder", "src/\n  index.js\n", "1 entry is left out"}, "list"},
		{"read README.md", []string{"`README.md`, 3 lines:", "# Tide clock"}, "glob read"},
		{"explain tide.js", []string{"`src/tide.js`, 3 lines:", "export function tideAt"}, "glob read"},
		{"show src/index.js lines 2-3", []string{"lines 2–3 of 4", "import { tideAt }"}, "glob read"},
		{"read src", []string{"**2 files in 0 folders", "tide.js"}, "glob list"},
		{"read empty.txt", []string{"`empty.txt` is empty."}, "glob read"},
		{"read nothere.py", []string{"No file named `nothere.py` found"}, "glob"},
		{"read ../../etc/passwd", []string{"I couldn't read ../../etc/passwd: ", "outside this session's folder"}, "read"},
		{"where is tideAt defined?", []string{"**3 matches in 2 files**", "`src/tide.js`", "    1  export function tideAt"}, "glob search"},
		{"find tide", []string{"**1 match by name**", "`src/tide.js`"}, "glob search"},
		{"find files named *.js", []string{"`src/index.js`"}, "glob"},
		{"find files named *.rs", []string{"No file matches `*.rs`."}, "glob"},
		{"find no-such-thing-here", []string{"No match found for `no-such-thing-here` in 6 files."}, "glob search"},
		{"find where the server has a database", []string{"search for its words", "`README.md`", "`src/index.js`"}, "search search"},
		{"why is the sky blue", []string{"not a language model", "Here is what I can do", "add an agent"}, ""},
		{"explain @src/tide.js", []string{"`src/tide.js`, 3 lines:"}, "glob read"},
		{`what does this mean @"src/tide.js"`, []string{"`src/tide.js`, 3 lines:"}, "glob read"},
		{`open @"https://example.com/x"`, []string{"I work offline"}, ""},
		{"", []string{"Here is what I can do"}, ""},
	} {
		s := open(t, tide)
		got := s.prompt(t, llm.Text{Text: tc.prompt})
		for _, want := range append(tc.want, "I'm Weft's offline guide, not a language model.") {
			if !strings.Contains(got, want) {
				t.Errorf("%q: %q is missing in\n%s", tc.prompt, want, got)
			}
		}
		if calls := strings.Join(s.calls, " "); calls != tc.calls {
			t.Errorf("%q called %q, want %q", tc.prompt, calls, tc.calls)
		}
		if strings.Contains(got, "never seen") || strings.Contains(got, "%!") {
			t.Errorf("%q said\n%s", tc.prompt, got)
		}
	}
}

func TestContributeWritesTheProposalAndChecksIt(t *testing.T) {
	s := open(t, tide)
	got := s.prompt(t, llm.Text{Text: "make a CONTRIBUTING file"})
	text, err := os.ReadFile(s.env.Folder.Abs("CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# Contributing to Tide clock", "From `package.json`:", "- `npm install`\n", "- `npm test` — `vitest run`"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if calls := strings.Join(s.calls, " "); calls != "list read read write read" || !strings.Contains(got, "Done: `CONTRIBUTING.md` is on disk as proposed.") {
		t.Errorf("%s\n%s", calls, got)
	}
	if got := s.prompt(t, llm.Text{Text: "make a CONTRIBUTING file"}); !strings.Contains(got, "already exists") || strings.Contains(got, "language model") {
		t.Error(got)
	}
	ids := map[string]bool{}
	for _, m := range s.history {
		for _, c := range m.Calls() {
			if ids[c.ID] {
				t.Errorf("two calls have the id %s", c.ID)
			}
			ids[c.ID] = true
		}
	}
}

func TestRejectedEditIsNotWritten(t *testing.T) {
	s := open(t, tide)
	s.reject = true
	got := s.prompt(t, llm.Text{Text: "make a CONTRIBUTING file"})
	if _, err := os.Stat(s.env.Folder.Abs("CONTRIBUTING.md")); !errors.Is(err, os.ErrNotExist) || !strings.Contains(got, "You rejected that, so nothing was changed.") {
		t.Errorf("%v\n%s", err, got)
	}
}

func TestAttachmentThatIsNoTextIsIgnored(t *testing.T) {
	s := open(t, tide)
	if got := s.prompt(t, llm.Text{Text: "/help"}, llm.Image{MIME: "image/png"}); !strings.Contains(got, "I can only read text files") {
		t.Error(got)
	}
}

// Whatever fails, the turn ends, and no text is repeated.
func TestFailingToolsEndTheTurn(t *testing.T) {
	prompts := []string{"summary", "list TODOs", "show the tree", "read tide.js", "find tideAt", "find a server database", "make a CONTRIBUTING file"}
	rapid.Check(t, func(rt *rapid.T) {
		s := open(t, tide)
		s.fails = rapid.MapOf(rapid.IntRange(1, 6), rapid.SampledFrom([]string{"no such file", "it took too long."})).Draw(rt, "fails")
		s.reject = rapid.Bool().Draw(rt, "reject")
		got := s.prompt(t, llm.Text{Text: rapid.SampledFrom(prompts).Draw(rt, "prompt")})
		failed := 0
		for n := range s.fails {
			if n <= len(s.calls) {
				failed++
			}
		}
		if strings.Count(got, "I'm Weft's") != 1 || strings.Count(got, "I couldn't") != failed || got == "" {
			rt.Errorf("%d of %v failed:\n%s", failed, s.calls, got)
		}
	})
}

// Results that the guide can't decode and calls that it would not make come from older versions or damaged sessions.
func TestDamagedConversationEndsTheTurn(t *testing.T) {
	for _, data := range []string{`7`, ``, `null`, `{"entries":7}`, `{"entries":[{"path":"a/b/c","dir":true},{"path":""}],"files":2}`} {
		for _, call := range []llm.ToolCall{
			{ID: "guide-1", Name: "list", Input: json.RawMessage(`{ "depth":0, "path":"."}`)}, {ID: "x", Name: "dance", Input: json.RawMessage(`{}`)},
		} {
			s := open(t, tide)
			history := []llm.Message{
				llm.UserText("show the tree"),
				{Role: llm.RoleModel, Parts: []llm.Part{llm.Text{Text: "Old."}, call}},
				{Role: llm.RoleUser, Parts: []llm.Part{llm.ToolResult{CallID: call.ID, Name: call.Name, Data: json.RawMessage(data)}}},
			}
			res, err := New().Stream(t.Context(), llm.Request{Messages: history, Tools: s.offered()}, func(llm.Delta) {})
			if err != nil || len(res.Message.Parts) == 0 {
				t.Errorf("%s: %+v, %v", data, res, err)
			}
			if calls := res.Message.Calls(); (len(calls) == 1) != (call.Name == "dance") {
				t.Errorf("%s after %s: %+v", data, call.Name, res.Message)
			}
		}
	}
}

func TestUnsupportedRequestsAreRefused(t *testing.T) {
	for code, req := range map[llm.Code]llm.Request{
		llm.CodeUnmappable: {Output: &llm.Output{Name: "x"}, Messages: []llm.Message{llm.UserText("x")}},
		llm.CodeRequest:    {},
	} {
		var failure *llm.Error
		if _, err := New().Stream(t.Context(), req, nil); !errors.As(err, &failure) || failure.Code != code {
			t.Errorf("%s: %v", code, err)
		}
	}
	res, err := New().Stream(t.Context(), llm.Request{Messages: []llm.Message{llm.UserText("list TODOs")}}, func(llm.Delta) {})
	if err != nil || res.Stop != llm.StopEnd || !strings.Contains(res.Message.Text(), "the tool search isn't available") {
		t.Errorf("%+v, %v", res, err)
	}
	list, err := New().Models(t.Context())
	if err != nil || len(list) != 1 || list[0].ID != Name {
		t.Errorf("%v, %v", list, err)
	}
}

func TestCancellationStopsTheMessage(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	s := open(t, tide)
	_, err := New().Stream(ctx, llm.Request{Messages: []llm.Message{llm.UserText("/help")}, Tools: s.offered()}, func(llm.Delta) { n++; cancel() })
	if !errors.Is(err, context.Canceled) || n != 1 {
		t.Errorf("%v after %d", err, n)
	}
	if _, err := New().Stream(ctx, llm.Request{}, func(llm.Delta) { t.Error("it continued") }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
