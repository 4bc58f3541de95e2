package actions

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
	"weft/backend/permission"
)

func TestPathsAreComparedInOneForm(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"a.txt": "/space/a.txt", "./a.txt": "/space/a.txt", "in/../a.txt": "/space/a.txt", "/space/a.txt": "/space/a.txt", "file:///space/a.txt": "/space/a.txt",
		"../a.txt": "/a.txt", "": "/space", "/tmp//a": "/tmp/a",
	} {
		if got := Path("/space", path); got != want {
			t.Errorf("%q is %q, want %q", path, got, want)
		}
	}
}

// wordedCall is a call that describes an action in one of the ways of agents, and what it shows.
func (g grammar) wordedCall(w *Action, folder string) (permission.Call, []Change) {
	path := func(abs string) string {
		if rel, err := filepath.Rel(folder, abs); err == nil && g.IntN(2) == 0 {
			return rel
		}
		return abs
	}
	members := map[string]any{}
	call := permission.Call{Kind: w.Kind, Title: "Do it"}
	var shown []Change
	switch w.Kind {
	case Execute:
		line := g.pick("npm test", "rm -rf build", "make")
		run := Run{Command: CommandKey(line, nil), Dir: folder}
		name := g.pick("command", "cmd")
		members[name] = line
		switch g.IntN(4) {
		case 0:
			members[name] = []string{g.pick("bash", "/bin/sh"), g.pick("-c", "-lc"), line}
		case 1:
			members[name] = "bash -lc '" + line + "'"
		case 2:
			delete(members, name)
			members["commands"] = []string{line}
		}
		if g.IntN(2) == 0 {
			run.Dir = filepath.Join(folder, "in")
			members[g.pick("cwd", "workdir")] = path(run.Dir)
		}
		if g.IntN(3) == 0 {
			run.Env = "A=b"
			members["env"] = []any{map[string]any{"A": "b", "TERM": "dumb"}, []string{"A=b"}, []any{map[string]string{"name": "A", "value": "b"}}}[g.IntN(3)]
		}
		w.Runs = []Run{run}
	case Read:
		call.Paths = []string{path(w.Files[0])}
	case Edit:
		c := w.Changes[0]
		c.Path = path(c.Path)
		shown = []Change{c}
		call.Paths, call.Diffs, call.Texts = []string{path(w.Files[0])}, []string{c.Path}, []string{c.Old, c.New}
	}
	if len(members) > 0 {
		call.Input, _ = json.Marshal(members)
	}
	return call, shown
}

// A call that shows an operation of Weft is the same action as a permission request about it. Its approval covers that
// action and no other.
func TestShownActionIsTheRequestedOne(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "in"), 0o700); err != nil {
		t.Fatal(err)
	}
	at := permission.Place{SpaceID: "s", Folder: folder}
	for n := range uint64(1000) {
		g := grammar{rand.New(rand.NewPCG(*seedFlag, n))}
		f := filepath.Join(folder, g.pick("a.txt", "in/b.txt"))
		w := Action{Kind: g.pick(Read, Edit, Execute)}
		if w.Kind != Execute {
			w.Files = []string{f}
		}
		if w.Kind == Edit {
			w.Changes = []Change{{Path: f, Old: "one\n", New: g.pick("two\n", "three")}}
		}
		call, shown := g.wordedCall(&w, folder)
		if w.FitOf(&call, shown, permission.Place{Folder: folder}) != Shows {
			t.Fatalf("seed %d, case %d: %+v is not shown by %+v", *seedFlag, n, w, call)
		}
		a := Requested(&call, permission.Describe(&call, at), shown)
		if a == nil {
			t.Fatalf("seed %d, case %d: %+v can't be compared", *seedFlag, n, call)
		}
		var answers Answers
		answers.Remember(Answer{Action: *a, Allow: true})
		other := w
		switch w.Kind {
		case Execute:
			other.Runs = []Run{w.Runs[0]}
			other.Runs[0].Command += "\x00x"
		case Read:
			other.Files = []string{f + "x"}
		case Edit:
			other.Changes = []Change{{Path: f, Old: "one\n", New: "four"}}
		}
		if other.FitOf(&call, shown, permission.Place{Folder: folder}) == Shows || answers.Covers(&other, false, other.OldText) != nil {
			t.Fatalf("seed %d, case %d: %+v passes for %+v", *seedFlag, n, other, w)
		}
		if answers.Covers(&w, false, w.OldText) == nil {
			t.Fatalf("seed %d, case %d: the answer to %+v does not cover %+v", *seedFlag, n, *a, w)
		}
		own := Answers{}
		own.Remember(Answer{Action: w, Own: true})
		if own.Settles(a) == nil {
			t.Fatalf("seed %d, case %d: the answer to %+v does not settle %+v", *seedFlag, n, w, *a)
		}
	}
}

func TestRequestsThatCannotBeCompared(t *testing.T) {
	t.Parallel()
	at := permission.Place{SpaceID: "s", Folder: t.TempDir()}
	for name, c := range map[string]struct {
		call  permission.Call
		shown []Change
	}{
		"long arguments":                 {call: permission.Call{Kind: Edit, Paths: []string{"a"}, Long: true}},
		"a command that shows a change":  {call: permission.Call{Kind: Execute, Input: jsontext.Value(`{"command":"ls"}`)}, shown: []Change{{Path: "a"}}},
		"a command with odd variables":   {call: permission.Call{Kind: Execute, Input: jsontext.Value(`{"command":"ls","env":{"A":1}}`)}},
		"an edit in a form of its own":   {call: permission.Call{Kind: Edit, Paths: []string{"a"}, Input: jsontext.Value(`{"path":"a","edits":[{}]}`)}},
		"a read that shows a change":     {call: permission.Call{Kind: Read, Paths: []string{"a"}}, shown: []Change{{Path: "a"}}},
		"something that is not compared": {call: permission.Call{Kind: "fetch", Title: "https://example.org"}},
	} {
		if a := Requested(&c.call, permission.Describe(&c.call, at), c.shown); a != nil {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

// The changes of a call are kept until it ends, and what a request shows takes their place.
func TestShownChangesLastAsLongAsTheirCall(t *testing.T) {
	t.Parallel()
	var shown Shown
	diff := func(text string) *[]transcript.Content {
		return &[]transcript.Content{{Type: "text", Text: "x"}, {Type: "diff", Path: "a", OldText: "o", NewText: text}}
	}
	shown.Update(&transcript.ToolPatch{ID: "unknown", Content: diff("1")}, false)
	shown.Update(&transcript.ToolPatch{ID: "call", Content: diff("1")}, true)
	shown.Update(&transcript.ToolPatch{ID: "call"}, true)
	if len(shown) != 1 || len(shown["call"]) != 1 || shown["call"][0] != (Change{Path: "a", Old: "o", New: "1"}) {
		t.Fatalf("%+v", shown)
	}
	if got := shown.With(&transcript.ToolPatch{ID: "call"}); got[0].New != "1" {
		t.Errorf("%+v", got)
	}
	if got := shown.With(&transcript.ToolPatch{ID: "call", Content: diff("2")}); got[0].New != "2" {
		t.Errorf("%+v", got)
	}
	large := (*diff("3"))[1]
	large.NewText = string(make([]byte, maxShown))
	shown.Update(&transcript.ToolPatch{ID: "call", Content: &[]transcript.Content{large}}, true)
	if c := shown["call"][0]; c.Gives(large.NewText, func() string { return "o" }) || c.Gives("", func() string { return "o" }) {
		t.Error("a change that is too large to be kept covers something")
	}
	done := transcript.StatusCompleted
	shown.Update(&transcript.ToolPatch{ID: "call", Status: &done, Content: diff("4")}, true)
	if len(shown) != 0 {
		t.Errorf("%+v is kept", shown)
	}
}
