package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/builtin/folder"
	"weft/backend/llm"
)

// bench is a folder with an environment for the tools.
type bench struct {
	*testing.T
	dir  string
	env  *Env
	kept map[string]string
}

func newBench(t *testing.T, files map[string]string) *bench {
	t.Helper()
	b := &bench{T: t, dir: t.TempDir(), kept: map[string]string{}}
	for name, text := range files {
		b.put(name, text)
	}
	f, err := folder.Open(b.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	keep := t.TempDir()
	b.env = &Env{
		Folder: f, Seen: &Seen{},
		Keep: func(name string, content []byte) (string, error) {
			at := fmt.Sprintf("/kept/%d-%s", len(b.kept), name)
			b.kept[at] = filepath.Join(keep, filepath.Base(at))
			return at, os.WriteFile(b.kept[at], content, 0o600)
		},
		Kept: func(path string) (string, bool) { file, ok := b.kept[path]; return file, ok },
	}
	return b
}

func (b *bench) put(name, text string) {
	b.Helper()
	path := filepath.Join(b.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) get(name string) string {
	b.Helper()
	text, err := os.ReadFile(filepath.Join(b.dir, filepath.FromSlash(name)))
	if err != nil {
		b.Fatal(err)
	}
	return string(text)
}

type in map[string]any

func named1(name string) Tool {
	for _, t := range Builtin(Options{Fetch: true, FetchHosts: []string{"127.0.0.1"}}) {
		if t.Name == name {
			return t
		}
	}
	panic("no tool " + name)
}

func (b *bench) prepare(name string, input any) (Prepared, error) {
	b.Helper()
	raw, ok := input.(string)
	if !ok {
		text, err := json.Marshal(input)
		if err != nil {
			b.Fatal(err)
		}
		raw = string(text)
	}
	return named1(name).Prepare(b.Context(), b.env, json.RawMessage(raw))
}

func (b *bench) run(name string, input any) (Result, error) {
	b.Helper()
	p, err := b.prepare(name, input)
	if err != nil {
		return Result{}, err
	}
	return p.Run(b.Context(), func(Progress) {})
}

// ok runs a call that must succeed.
func (b *bench) ok(name string, input any) Result {
	b.Helper()
	r, err := b.run(name, input)
	if err != nil {
		b.Fatalf("%s %v: %v", name, input, err)
	}
	return r
}

// fails runs a call that must fail, and returns the message for the model.
func (b *bench) fails(name string, input any) string {
	b.Helper()
	r, err := b.run(name, input)
	var e *Error
	if !errors.As(err, &e) {
		b.Fatalf("%s %v: %v, %+v", name, input, err, r)
	}
	return e.Message
}

func told(parts []llm.Part) string {
	var b strings.Builder
	for _, p := range parts {
		if t, ok := p.(llm.Text); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

func contains(t *testing.T, got string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("%q isn't in:\n%s\n…\n%s", w, head(got, 1000), tail(got, 1000))
		}
	}
}

func TestSchemas(t *testing.T) {
	t.Parallel()
	names := []string{}
	for _, tool := range Builtin(Options{Fetch: true}) {
		names = append(names, tool.Name)
		var schema struct {
			Type       string
			Properties map[string]struct{ Type string }
			Required   []string
		}
		if err := json.Unmarshal(tool.Schema, &schema); err != nil || schema.Type != "object" {
			t.Errorf("%s: %s, %v", tool.Name, tool.Schema, err)
		}
		for _, name := range schema.Required {
			if schema.Properties[name].Type == "" {
				t.Errorf("%s requires %s, which it doesn't describe", tool.Name, name)
			}
		}
		if tool.Look(&Env{}, nil).Title == "" || tool.Description == "" || !regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`).MatchString(tool.Name) {
			t.Errorf("%+v", tool)
		}
	}
	if got := strings.Join(names, " "); got != "list glob search read edit write shell todo fetch" {
		t.Error(got)
	}
	if n := len(Builtin(Options{})); n != len(names)-1 {
		t.Errorf("%d tools without fetch", n)
	}
}

func TestInvalidInputIsExplained(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"a": "x"})
	for _, c := range []struct{ tool, input, want string }{
		{"read", `{}`, "`path` is missing, it must be a string (nothing usable was given)"},
		{"read", `{"nonsense":42}`, "`path` is missing"},
		{"read", `{"path":7}`, "`path` must be a string, but it is 7"},
		{"read", `{"path":null}`, "`path` is missing"},
		{"read", `{"path":"a","from":"1"}`, "`from` must be a whole number from 0 on, but it is the string \"1\""},
		{"read", `{"path":"a","from":-1,"to":1.5}`, "`from` must be a whole number from 0 on, but it is -1; `to` must be a whole number from 0 on, but it is 1.5"},
		{"read", `{"path":"a","from":4,"to":2}`, "`to` (2) is before `from` (4)"},
		{"read", `["a"]`, "must be a JSON object with `path` and optionally `from`, `to`, but it is the list [\"a\"]"},
		{"read", `not json`, "must be a JSON object"},
		{"edit", `{"path":"a","old_string":{"x":1}}`, "`old_string` must be a string, but it is the object {\"x\":1}; `new_string` is missing"},
		{"edit", `{"path":"a","old_string":"x","new_string":"y","replace_all":"yes"}`, "`replace_all` must be true or false"},
		{"todo", `{"todos":[{"content":"x","status":"done"},7]}`, "`todos[0].status` must be one of \"pending\", \"in_progress\", \"completed\", but it is the string \"done\"; `todos[1]` must be an object"},
		{"todo", `{"todos":"x"}`, "`todos` must be a list of objects with `content`, `status` and optionally `priority`"},
		{"shell", `{"command":"  "}`, "`command` is empty"},
		{"shell", `{"command":"x","timeout_ms":0}`, "from 1 on"},
		{"glob", `{"pattern":"[a"}`, "isn't valid"},
		{"search", `{"pattern":"a(b"}`, "missing closing )"},
		{"fetch", `{"url":"file:///etc/passwd"}`, "Only http and https"},
	} {
		contains(t, b.fails(c.tool, c.input), c.want)
	}
	b.ok("read", `{"path":"a","nobody":"knows","from":null}`)
}

func TestListAndGlob(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{
		".gitignore": "*.log\n", "b.go": "package b\n", "a.txt": "12345", "x.log": "", "src/main.go": "m", "src/deep/d.go": "d", "docs/r.md": "r",
	})
	r := b.ok("list", in{})
	if got, want := told(r.Parts), "docs/\nsrc/\n.gitignore (6 B)\na.txt (5 B)\nb.go (10 B)\n\n1 entry is ignored (.gitignore, version control, installed packages)."; got != want {
		t.Errorf("%q", got)
	}
	if r.Summary != "Listed 3 files and 2 folders" || r.Count != 3 {
		t.Errorf("%q, %d", r.Summary, r.Count)
	}
	r = b.ok("list", in{"depth": 0, "path": b.dir})
	all, err := b.env.Folder.List(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	back := folder.Listing{}
	through(t, r.Data, &back)
	if !reflect.DeepEqual(back, all) {
		t.Errorf("%+v, want %+v", back, all)
	}
	contains(t, told(r.Parts), "src/\n  deep/\n    d.go (1 B)\n  main.go (1 B)\n")
	if r.Summary != "Listed 6 files in 3 folders" {
		t.Error(r.Summary)
	}
	contains(t, b.fails("list", in{"path": "src/main.go"}), "is a file")
	contains(t, b.fails("list", in{"path": "scr"}), "Perhaps you mean src")

	for pattern, want := range map[string]string{"*.GO": "b.go\nsrc/main.go\nsrc/deep/d.go\n", "src/*.go": "src/main.go\n", b.dir + "/docs/*": "docs/r.md\n", "nope*": "No file or folder matches."} {
		contains(t, told(b.ok("glob", in{"pattern": pattern}).Parts), want)
	}
	contains(t, told(b.ok("glob", in{"pattern": "deep/*.go", "path": "src"}).Parts), "src/deep/d.go\n")
	if r := b.ok("glob", in{"pattern": "*.go"}); r.Summary != "Found 3 files" || r.Count != 3 {
		t.Errorf("%+v", r)
	}
}

// through encodes data as JSON and decodes it into out.
func through(t *testing.T, data, out any) {
	t.Helper()
	raw, err := json.Marshal(data)
	if err == nil {
		err = json.Unmarshal(raw, out)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"a.go": "one\ntwo\nfoo(x)\nfour\nfive\nsix\nfoo(y)\n", "sub/b.md": "FOO\n", ".gitignore": "no\n", "no": "foo\n"})
	r := b.ok("search", in{"pattern": `foo\(`})
	if got := told(r.Parts); got != "Found 2 matches in 1 file.\na.go:3: foo(x)\na.go:7: foo(y)\n" || r.Summary != "Found 2 matches in 1 file" || r.Count != 2 {
		t.Errorf("%q %q", got, r.Summary)
	}
	contains(t, told(b.ok("search", in{"pattern": "foo(", "literal": true}).Parts), "Found 2 matches")
	contains(t, told(b.ok("search", in{"pattern": "foo", "ignore_case": true, "path": b.dir + "/sub"}).Parts), "sub/b.md:1: FOO")
	contains(t, told(b.ok("search", in{"pattern": "FOO", "glob": "*.go"}).Parts), "No matches in 1 file")
	contains(t, told(b.ok("search", in{"pattern": "foo", "context": 1}).Parts), "a.go-2- two\na.go:3: foo(x)\na.go-4- four\n--\na.go-6- six\na.go:7: foo(y)\n")
	contains(t, b.fails("search", in{"pattern": "x", "path": "a.goo"}), "Perhaps you mean a.go")
	var found folder.Found
	through(t, r.Data, &found)
	if !reflect.DeepEqual(found, r.Data) {
		t.Errorf("%+v", found)
	}
	if title := named1("search").Look(b.env, map[string]json.RawMessage{"pattern": []byte(`"foo"`), "glob": []byte(`"*.go"`)}).Title; title != "Search “foo” in *.go" {
		t.Error(title)
	}
}

func TestLook(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	for _, c := range []struct{ tool, fields, title, at string }{
		{"edit", `{}`, "Edit a file", ""},
		{"edit", `{"path":"src/main.go"}`, "Edit src/main.go", "src/main.go"},
		{"edit", `{"path":"` + b.dir + `/src/main.go"}`, "Edit src/main.go", "src/main.go"},
		{"edit", `{"path":"../x"}`, "Edit ../x", ""},
		{"write", `{"path":"new.md"}`, "Write new.md", "new.md"},
		{"read", `{"path":"a","from":3,"to":9}`, "Read a (lines 3–9)", "a"},
		{"shell", `{"command":"npm test"}`, "Run npm test", ""},
		{"shell", `{"command":"a\nb"}`, "Run a b", ""},
		{"glob", `{"pattern":"**/*.go"}`, "Find files *.go", ""},
		{"fetch", `{"url":"https://example.com/x"}`, "Fetch https://example.com/x", ""},
		{"todo", `{}`, "Update the plan", ""},
	} {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal([]byte(c.fields), &fields); err != nil {
			t.Fatal(err)
		}
		look := named1(c.tool).Look(b.env, fields)
		at := ""
		if len(look.Locations) > 0 {
			at, _ = filepath.Rel(b.dir, look.Locations[0].Path)
		}
		if look.Title != c.title || at != c.at {
			t.Errorf("%s %s: %+v", c.tool, c.fields, look)
		}
	}
}

func TestTodo(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	r := b.ok("todo", `{"todos":[{"content":"first","status":"completed","priority":"high"},{"content":"second","status":"in_progress"}]}`)
	want := []acp.PlanEntry{{Content: "first", Status: "completed", Priority: "high"}, {Content: "second", Status: "in_progress", Priority: "medium"}}
	if !reflect.DeepEqual(r.Plan, want) || r.Summary != "1 of 2 steps done" {
		t.Errorf("%+v", r)
	}
	if r := b.ok("todo", `{"todos":[{"content":"only","status":"completed"}]}`); r.Summary != "1 of 1 step done" {
		t.Errorf("%+v", r)
	}
	if r := b.ok("todo", `{"todos":[]}`); r.Plan == nil || len(r.Plan) != 0 {
		t.Errorf("an empty plan has to replace the one before: %+v", r)
	}
}

func TestWithoutAFolder(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"list", "glob", "search", "read", "edit", "write", "shell"} {
		input := `{"path":"a","pattern":"a","old_string":"a","new_string":"b","content":"c","command":"true"}`
		_, err := named1(name).Prepare(context.Background(), &Env{}, json.RawMessage(input))
		if err == nil || !strings.Contains(err.Error(), "folder of this session can't be opened") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
