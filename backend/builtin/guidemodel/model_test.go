package guidemodel

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

	"weft/backend/builtin/guide"
	"weft/backend/llm"
)

// prompts go through every intent, with what can be found and what cannot.
var prompts = []string{
	"/help", "hello there", "many thanks", "summarise this project", "where is tideAt defined?", "find database tide", "find no-such-thing-here",
	"find files named *.js", "find files named nothere.zz", "list TODOs", "show the tree", "list the files in src", "explain src/tide.js", "explain tide.js", "explain src",
	"explain nothere.py", "read README.md", "read src/index.js lines 2-3", "read empty.txt", "read ../../etc/passwd", "read src", "why is the database so lovely", "zz?", "",
	"make a CONTRIBUTING file", "make a README", "rewrite the README", "make an .editorconfig", "write a CHANGELOG", "make a .gitignore",
	"fix trailing whitespace in tide.js", "fix trailing whitespace in README.md", "replace tideAt with tideNow in src/tide.js", "replace nothing-like-it with x in src/tide.js",
}

// same runs a prompt through the model and directly, each in a folder of its own, and compares.
func same(t *testing.T, text string, prepare func(*world)) (*world, []llm.Message) {
	t.Helper()
	req := guide.Request{Text: text, First: true, Folder: "tide", Root: "/tide"}
	plain := &direct{world: open(t, project(t))}
	prepare(plain.world)
	if err := guide.Answer(context.Background(), plain, req); err != nil {
		t.Fatal(err)
	}
	w := open(t, project(t))
	prepare(w)
	prompt := llm.Message{Role: llm.RoleUser, Parts: Prompt([]llm.Part{llm.Text{Text: text}}, req)}
	fresh := run(context.Background(), t, w, nil, prompt)
	said, thoughts := heard(fresh)
	if want := plain.text.String(); said != want {
		t.Errorf("%q: said\n%s\nwanted\n%s", text, said, want)
	}
	if want := plain.think.String(); thoughts != want {
		t.Errorf("%q: thought %q, wanted %q", text, thoughts, want)
	}
	if !slices.Equal(w.calls, plain.world.calls) {
		t.Errorf("%q: calls\n%s\nwanted\n%s", text, strings.Join(w.calls, "\n"), strings.Join(plain.world.calls, "\n"))
	}
	if w.plan != plain.world.plan {
		t.Errorf("%q: plan %s, wanted %s", text, w.plan, plain.world.plan)
	}
	last := fresh[len(fresh)-1]
	if last.Role != llm.RoleModel || last.Text() == "" || len(last.Calls()) > 0 {
		t.Errorf("%q ends with %+v", text, last)
	}
	return w, fresh
}

func TestTheModelAnswersAsTheGuideDoes(t *testing.T) {
	for _, text := range prompts {
		w, _ := same(t, text, func(*world) {})
		if strings.HasPrefix(text, "make a CONTR") && w.plan == "" {
			t.Error("no plan was shown")
		}
	}
}

func TestDeclinedWrite(t *testing.T) {
	w, fresh := same(t, "fix trailing whitespace in tide.js", func(w *world) { w.decline = true })
	if said, _ := heard(fresh); !strings.Contains(said, "You declined, so nothing was written.") {
		t.Error(said)
	}
	if len(w.calls) != 3 {
		t.Errorf("%q", w.calls)
	}
}

func TestToolsThatFail(t *testing.T) {
	_, fresh := same(t, "read README.md", func(w *world) { w.fails = map[int]string{2: "the disk is on fire"} })
	if said, _ := heard(fresh); !strings.Contains(said, "I could not read README.md: the disk is on fire.") {
		t.Error(said)
	}
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.SampledFrom(prompts).Draw(rt, "prompt")
		fails := rapid.MapOfN(rapid.IntRange(1, 8), rapid.SampledFrom([]string{"no such file", "it took too long."}), 0, 4).Draw(rt, "fails")
		decline := rapid.Bool().Draw(rt, "decline")
		same(t, text, func(w *world) { w.fails, w.decline = fails, decline })
	})
}

// A message is text and one call, with the plan beside it; the last is text.
func TestHowAnAnswerIsCutIntoMessages(t *testing.T) {
	_, fresh := same(t, "fix trailing whitespace in tide.js", func(*world) {})
	var got []string
	for _, m := range fresh[1:] {
		var parts []string
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llm.Text:
				parts = append(parts, "text")
			case llm.Thinking:
				parts = append(parts, "thinking")
			case llm.ToolCall:
				parts = append(parts, p.Name+"#"+p.ID)
			case llm.ToolResult:
				parts = append(parts, "result#"+p.CallID)
			}
		}
		got = append(got, strings.Join(parts, " "))
	}
	want := []string{
		"thinking text todo#guide-1 glob#guide-2", "result#guide-1 result#guide-2",
		"read#guide-3", "result#guide-3",
		"todo#guide-4 text write#guide-5", "result#guide-4 result#guide-5",
		"todo#guide-6 read#guide-7", "result#guide-6 result#guide-7",
		"todo#guide-8", "result#guide-8",
		"text",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwanted\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestLaterPromptsStandAlone(t *testing.T) {
	w := open(t, project(t))
	history := run(context.Background(), t, w, nil, llm.UserText("list TODOs"))
	if said, _ := heard(history); !strings.Contains(said, "not a language model") || !strings.Contains(said, "`TODO: read the port`") {
		t.Error(said)
	}
	again := run(context.Background(), t, w, history, llm.UserText("list TODOs"))
	if said, _ := heard(again); strings.Contains(said, "not a language model") || !strings.Contains(said, "`TODO: read the port`") {
		t.Error(said)
	}
	seen := map[string]bool{}
	for _, m := range append(history, again...) {
		for _, c := range m.Calls() {
			if seen[c.ID] {
				t.Errorf("two calls have the id %s", c.ID)
			}
			seen[c.ID] = true
		}
	}
	if len(w.calls) != 2 {
		t.Errorf("%q", w.calls)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	_, err := New().Stream(ctx, llm.Request{Messages: []llm.Message{llm.UserText("list TODOs")}, Tools: allTools}, func(llm.Delta) { n++; cancel() })
	if !errors.Is(err, context.Canceled) || n != 1 {
		t.Errorf("%v after %d", err, n)
	}
	if _, err := New().Stream(ctx, llm.Request{Messages: []llm.Message{llm.UserText("x")}}, func(llm.Delta) { t.Error("it went on") }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// An agent that was cancelled in a tool closes the run; the next prompt begins anew.
func TestAfterACancelledRun(t *testing.T) {
	w := open(t, project(t))
	first, err := New().Stream(context.Background(), llm.Request{Messages: []llm.Message{llm.UserText("list TODOs")}, Tools: allTools}, func(llm.Delta) {})
	if err != nil {
		t.Fatal(err)
	}
	call := first.Message.Calls()[0]
	history := []llm.Message{
		llm.UserText("list TODOs"), first.Message,
		{Role: llm.RoleUser, Parts: []llm.Part{llm.ToolResult{CallID: call.ID, Name: call.Name, Failed: true, Parts: []llm.Part{llm.Text{Text: "Cancelled."}}}}},
		llm.ModelText("[cancelled]"),
	}
	if said, _ := heard(run(context.Background(), t, w, history, llm.UserText("list TODOs"))); !strings.Contains(said, "`TODO: read the port`") {
		t.Error(said)
	}
}

// Calls that the guide would not make, as from another version of it, are passed over, and it says so once.
func TestConversationThatDoesNotFit(t *testing.T) {
	for _, data := range []string{`{}`, `7`, ``, `{"entries":[{"path":"x"}],"files":-3}`} {
		w := open(t, project(t))
		odd := llm.ToolCall{ID: "guide-1", Name: "dance", Input: json.RawMessage(`{"how":"slowly"}`)}
		history := []llm.Message{
			llm.UserText("list TODOs"),
			{Role: llm.RoleModel, Parts: []llm.Part{llm.Text{Text: "I dance."}, odd}},
			{Role: llm.RoleUser, Parts: []llm.Part{llm.ToolResult{CallID: odd.ID, Name: odd.Name, Data: json.RawMessage(data)}}},
		}
		said := ""
		for range 10 {
			res, err := New().Stream(context.Background(), llm.Request{Messages: history, Tools: allTools}, func(llm.Delta) {})
			if err != nil {
				t.Fatal(err)
			}
			said += res.Message.Text()
			history = append(history, res.Message)
			if res.Stop == llm.StopEnd {
				break
			}
			history = append(history, w.results(context.Background(), res.Message.Calls()))
		}
		if strings.Count(said, doesNotFit) != 1 || strings.Count(said, "I’ll look for TODO") != 1 || !strings.Contains(said, "**1 note in 1 file**") {
			t.Errorf("%s: %s", data, said)
		}
	}
}

func TestResultsThatCannotBeRead(t *testing.T) {
	for _, data := range []string{`7`, ``, `{"entries":7}`, `null`, `{"entries":[{"path":"a/b/c","dir":true},{"path":""}],"files":2}`} {
		first, err := New().Stream(context.Background(), llm.Request{Messages: []llm.Message{llm.UserText("show the tree in src")}, Tools: allTools}, func(llm.Delta) {})
		if err != nil {
			t.Fatal(err)
		}
		call := first.Message.Calls()[0]
		res, err := New().Stream(context.Background(), llm.Request{Tools: allTools, Messages: []llm.Message{
			llm.UserText("show the tree in src"), first.Message,
			{Role: llm.RoleUser, Parts: []llm.Part{llm.ToolResult{CallID: call.ID, Name: call.Name, Data: json.RawMessage(data)}}},
		}}, func(llm.Delta) {})
		var failure *llm.Error
		switch {
		case errors.As(err, &failure):
			if failure.Message == "" {
				t.Error(err)
			}
		case err != nil || len(res.Message.Parts) == 0:
			t.Errorf("%s: %+v, %v", data, res, err)
		}
	}
}

func TestToolsThatAreNotOffered(t *testing.T) {
	res, err := New().Stream(context.Background(), llm.Request{Messages: []llm.Message{llm.UserText("list TODOs")}}, func(llm.Delta) {})
	if err != nil || res.Stop != llm.StopEnd || !strings.Contains(res.Message.Text(), "`search`") && !strings.Contains(res.Message.Text(), `"search" is not offered`) {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestWhatItCannotDo(t *testing.T) {
	_, err := New().Stream(context.Background(), llm.Request{Output: &llm.Output{Name: "x"}, Messages: []llm.Message{llm.UserText("x")}}, nil)
	var failure *llm.Error
	if !errors.As(err, &failure) || failure.Code != llm.CodeUnmappable {
		t.Error(err)
	}
	if _, err := New().Stream(context.Background(), llm.Request{}, nil); !errors.As(err, &failure) || failure.Code != llm.CodeRequest {
		t.Error(err)
	}
	list, err := New().Models(context.Background())
	if err != nil || len(list) != 1 || list[0].ID != Name {
		t.Errorf("%v, %v", list, err)
	}
}

func TestPromptsAreSealedAndOpened(t *testing.T) {
	file := strings.Repeat("package note\n\nfunc Ring() {}\n", 50)
	req := guide.Request{
		Text: "explain this", Folder: "tide", Root: "/x/tide", Files: []string{"a.go"}, Notices: []string{"Only text."}, Problem: errors.New("it is locked"),
		Embedded: []guide.Embedded{{Name: "note.go", Text: file}, {Name: "elsewhere.go", Text: "not in a part"}, {Name: "empty.go"}},
	}
	parts := []llm.Part{llm.Image{MIME: "image/png"}, llm.Text{Text: "explain this"}, llm.Text{Text: "<file name=note.go>\n" + file + "</file>"}}
	m := llm.Message{Role: llm.RoleUser, Parts: Prompt(parts, req)}
	if parts[1].(llm.Text).Sealed != nil {
		t.Error("the given parts were changed")
	}
	stored, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if len(stored) > len(file)*2 {
		t.Errorf("%d bytes are stored for a file of %d", len(stored), len(file))
	}
	var back llm.Message
	if err := json.Unmarshal(stored, &back); err != nil {
		t.Fatal(err)
	}
	got := takePrompt(back, true)
	want := req
	if got.Problem == nil || got.Problem.Error() != want.Problem.Error() {
		t.Errorf("problem %v", got.Problem)
	}
	got.Problem, want.Problem = nil, nil
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(want)
	if string(a) != string(b) {
		t.Errorf("got %s\nwanted %s", a, b)
	}
}

func TestPromptsWithoutASeal(t *testing.T) {
	m := llm.Message{Role: llm.RoleUser, Parts: []llm.Part{
		llm.Text{Text: "explain", Sealed: &llm.Sealed{Provider: "other", Data: json.RawMessage(`{"text":"no"}`)}}, llm.Text{Text: "tide.js"}, llm.Image{}, llm.Text{Sealed: &llm.Sealed{Provider: Name, Data: json.RawMessage(`[`)}},
	}}
	req := takePrompt(m, true)
	if req.Text != "explain tide.js" || !req.First || !slices.Equal(req.Notices, []string{notText}) || req.Folder == "" {
		t.Errorf("%+v", req)
	}
	hostile := llm.Message{Parts: []llm.Part{llm.Text{Text: "x", Sealed: &llm.Sealed{Provider: Name, Data: json.RawMessage(`{"embedded":[{"name":"a","part":9,"at":3,"length":1},{"name":"b","part":0,"at":-1,"length":9},{"name":"c","part":0,"at":1,"length":9223372036854775807}]}`)}}}}
	for _, e := range takePrompt(hostile, true).Embedded {
		if e.Text != "" {
			t.Errorf("%+v", e)
		}
	}
}

func TestWritesReachTheDisk(t *testing.T) {
	dir := project(t)
	w := open(t, dir)
	run(context.Background(), t, w, nil, llm.UserText("replace tideAt with tideNow in src/tide.js"))
	text, err := os.ReadFile(filepath.Join(dir, "src/tide.js"))
	if err != nil || !strings.HasPrefix(string(text), "export function tideNow()") {
		t.Errorf("%q, %v", text, err)
	}
}
