//go:build linux

package systemtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/backend/api/service/permissions"
	stored "weft/backend/store/permissions"
)

func (r *room) path(name string) string { return filepath.Join(r.folder, name) }

// put makes a file in the space's folder.
func (r *room) put(t testing.TB, name, text string) string {
	t.Helper()
	path := r.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func (r *room) holds(t testing.TB, name, want string) {
	t.Helper()
	got, err := os.ReadFile(r.path(name))
	if want == "" && os.IsNotExist(err) {
		return
	}
	if err != nil && want != "" || string(got) != want {
		t.Errorf("%s holds %q (%v), want %q", name, got, err, want)
	}
}

func (a *app) rule(t testing.TB, list ...stored.Rule) (ids []string) {
	t.Helper()
	for i := range list {
		list[i].Scope, list[i].Enabled = "everywhere", true
	}
	var saved permissions.SavedRules
	a.do(t, "SavePermissionRules", permissions.PermissionRulesRequest{Rules: list}, &saved)
	for _, one := range saved.Rules {
		ids = append(ids, one.ID)
	}
	return ids
}

func starting(t testing.TB, what string, told []string, want ...string) {
	t.Helper()
	for i, line := range told {
		if i >= len(want) || !strings.HasPrefix(line, want[i]) {
			t.Errorf("%s: the agent told\n  %s\nwant\n  %s", what, strings.Join(told, "\n  "), strings.Join(want, "\n  "))
			return
		}
	}
	if len(told) != len(want) {
		t.Errorf("%s: the agent told\n  %s\nwant\n  %s", what, strings.Join(told, "\n  "), strings.Join(want, "\n  "))
	}
}

// A rule that rejects holds in every mode, on every way.
func TestRejectRulesHoldInEveryMode(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "steps")
	env := r.put(t, ".env", "KEY=1\n")
	a.rule(t, stored.Rule{Effect: "reject", Path: "**/.env"}, stored.Rule{Effect: "reject", Command: "rm"})
	for _, mode := range []string{"ask", "rules", "read-only"} {
		r.mode(t, mode)
		told, asked := r.steps(t, always("yes"),
			reads(env), writes(env, "KEY=2\n"), starts("rm", "-f", env), starts("rm -f "+env),
			asksFor("t1", changing(env, "KEY=1\n", "KEY=2\n")), asksFor("t2", runsCommand("rm -f "+env)))
		starting(t, mode, told, "0 error", "1 error", "2 error", "3 error", "4 rejected", "5 rejected")
		if len(asked) > 0 {
			t.Errorf("%s: asked about %q", mode, asked)
		}
		r.holds(t, ".env", "KEY=1\n")
	}
	for _, line := range a.history(t, permissions.HistoryRequest{SpaceID: r.id}) {
		if !strings.Contains(line, "refused by") {
			t.Errorf("the history has %q", line)
		}
	}
	r.kept(t)
}

// What an agent does through Weft is asked about where nothing covers it.
func TestWritesAndCommandsThroughWeftAreAsked(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "steps")
	for _, c := range []struct {
		mode, answer, name string
		do                 step
		asked              int
		told               string
	}{
		{"rules", "no", "a.txt", writes("a.txt", "new"), 1, "0 error"},
		{"rules", "yes", "b.txt", writes("b.txt", "new"), 1, "0 done"},
		{"rules", "no", "c.txt", starts("touch", "c.txt"), 1, "0 error"},
		{"ask", "no", "d.txt", writes("d.txt", "new"), 1, "0 error"},
		{"ask", "yes", "e.txt", writes("e.txt", "new"), 1, "0 done"},
		{"ask", "no", "f.txt", starts("touch f.txt"), 1, "0 error"},
		{"ask", "no", "f.txt", reads("b.txt"), 1, "0 error"},
		{"ask", "yes", "f.txt", reads("b.txt"), 1, "0 done"},
		{"rules", "no", "f.txt", reads("b.txt"), 0, "0 done"},
		{"read-only", "yes", "g.txt", writes("g.txt", "new"), 0, "0 error"},
		{"read-only", "yes", "g.txt", starts("touch", "g.txt"), 0, "0 error"},
		{"read-only", "yes", "g.txt", reads("b.txt"), 0, "0 done"},
	} {
		r.mode(t, c.mode)
		told, asked := r.steps(t, always(c.answer), c.do)
		what := fmt.Sprintf("%s, %s %v answered %q", c.mode, c.do.Method, c.do.Params, c.answer)
		starting(t, what, told, c.told)
		if len(asked) != c.asked {
			t.Errorf("%s: asked %d times, want %d: %q", what, len(asked), c.asked, asked)
		}
		want := ""
		if c.told == "0 done" && c.do.Method == "fs/write_text_file" {
			want = "new"
		}
		r.holds(t, c.name, want)
	}
	r.kept(t)
}

// Nobody is asked twice for one thing: neither where an agent asks before it writes, nor where it writes before it asks.
func TestNobodyIsAskedTwice(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "steps")
	sh := starts("bash", "-c", "echo x >> ran.txt")
	inOther := starts("make")
	inOther.Params["cwd"] = r.path("other")
	withEnv := starts("make")
	withEnv.Params["env"] = []any{map[string]any{"name": "LD_PRELOAD", "value": "/evil.so"}}
	twoFiles := changing("f.txt", "old\n", "new\n")
	twoFiles["locations"] = []any{map[string]any{"path": "f.txt"}, map[string]any{"path": "g.txt"}}
	quiet := starts("true")
	quiet.Params["env"] = []any{map[string]any{"name": "OPENAI_API_KEY", "value": ""}, map[string]any{"name": "NO_COLOR", "value": "1"}}
	if err := os.Mkdir(r.path("other"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		answer string
		do     []step
		asked  int
		told   []string
	}{
		"asks, then writes":                          {"yes", []step{asksFor("t", changing("f.txt", "old\n", "new\n")), writes("f.txt", "new\n")}, 1, []string{"0 allowed", "1 done"}},
		"asks, then writes with other line ends":     {"yes", []step{asksFor("t", changing("f.txt", "old\n", "new\n")), writes("f.txt", "new\r\n")}, 1, []string{"0 allowed", "1 done"}},
		"asks with a fragment, then writes":          {"yes", []step{asksFor("t", changing("f.txt", "ol", "new")), writes("f.txt", "newd\n")}, 1, []string{"0 allowed", "1 done"}},
		"asks, then writes something else":           {"yes", []step{asksFor("t", changing("f.txt", "old\n", "new\n")), writes("f.txt", "evil\n")}, 2, []string{"0 allowed", "1 done"}},
		"asks, then writes another file":             {"yes", []step{asksFor("t", changing("f.txt", "old\n", "new\n")), writes("g.txt", "new\n")}, 2, []string{"0 allowed", "1 done"}},
		"asks with a fragment, then writes it alone": {"no", []step{asksFor("t", changing("f.txt", "ol", "new")), writes("f.txt", "new")}, 2, []string{"0 rejected", "1 error"}},
		"asks with a diff of one of two files":       {"yes", []step{asksFor("t", twoFiles), writes("g.txt", "evil\n")}, 2, []string{"0 allowed", "1 done"}},
		"asks for a file of git without a diff":      {"yes", []step{asksFor("t", map[string]any{"kind": "edit", "locations": []any{map[string]any{"path": ".git/config"}}}), writes(".git/config", "x")}, 2, []string{"0 allowed", "1 done"}},
		"asks once, writes twice":                    {"yes", []step{asksFor("t", changing("f.txt", "old\n", "new\n")), writes("f.txt", "new\n"), writes("f.txt", "new\n")}, 1, []string{"0 allowed", "1 done", "2 done"}},
		"asks once, writes, changes it and writes":   {"yes", []step{asksFor("t", changing("f.txt", "old\n", "new\n")), writes("f.txt", "new\n"), writesItself(r.path("f.txt"), "old\n"), writes("f.txt", "new\n")}, 2, []string{"0 allowed", "1 done", "3 done"}},
		"asks for the file alone":                    {"yes", []step{asksFor("t", map[string]any{"kind": "edit", "locations": []any{map[string]any{"path": "f.txt"}}}), writes("f.txt", "new\n")}, 1, []string{"0 allowed", "1 done"}},
		"asks to read, then writes":                  {"yes", []step{asksFor("t", map[string]any{"kind": "read", "locations": []any{map[string]any{"path": "f.txt"}}}), writes("f.txt", "new\n")}, 2, []string{"0 allowed", "1 done"}},
		"writes, then asks":                          {"yes", []step{writes("f.txt", "new\n"), asksFor("t", changing("f.txt", "old\n", "new\n"))}, 1, []string{"0 done", "1 allowed"}},
		"writes, then asks for more":                 {"yes", []step{writes("f.txt", "new\n"), asksFor("t", changing("f.txt", "old\n", "evil\n"))}, 2, []string{"0 done", "1 allowed"}},
		"asks, is refused, and writes":               {"no", []step{asksFor("t", changing("f.txt", "old\n", "new\n")), writes("f.txt", "new\n")}, 1, []string{"0 rejected", "1 error"}},
		"writes, is refused, and asks":               {"no", []step{writes("f.txt", "new\n"), asksFor("t", changing("f.txt", "old\n", "new\n"))}, 1, []string{"0 error", "1 rejected"}},
		"always, then other edits":                   {"always", []step{asksFor("t", changing("f.txt", "old\n", "new\n")), writes("f.txt", "more\n"), writes("g.txt", "more\n")}, 1, []string{"0 allowed", "1 done", "2 done"}},
		"asks, then runs":                            {"yes", []step{asksFor("t", runsCommand("true")), starts("true")}, 1, []string{"0 allowed", "1 done"}},
		"asks, then runs by a shell":                 {"yes", []step{asksFor("t", runsCommand("echo x >> ran.txt")), sh}, 1, []string{"0 allowed", "1 done"}},
		"asks, then runs with quiet variables":       {"yes", []step{asksFor("t", runsCommand("true")), quiet}, 1, []string{"0 allowed", "1 done"}},
		"asks, then runs another command":            {"yes", []step{asksFor("t", runsCommand("true")), starts("true", "--really")}, 2, []string{"0 allowed", "1 done"}},
		"asks, then runs by another shell":           {"no", []step{asksFor("t", runsCommand("true")), starts("/evil/bash", "-c", "true")}, 2, []string{"0 rejected", "1 error"}},
		"asks, then runs in another folder":          {"no", []step{asksFor("t", runsCommand("make")), inOther}, 2, []string{"0 rejected", "1 error"}},
		"asks, then runs with variables":             {"no", []step{asksFor("t", runsCommand("make")), withEnv}, 2, []string{"0 rejected", "1 error"}},
		"runs, then asks":                            {"yes", []step{starts("true"), asksFor("t", runsCommand("true"))}, 1, []string{"0 done", "1 allowed"}},
	} {
		for _, mode := range []string{"rules", "ask"} {
			if mode == "ask" && c.answer == "always" {
				c.asked = 3 // a mode in which each thing is asked
			}
			r := r
			if c.answer == "always" { // which holds for the session
				r = a.scripted(t, "steps")
			}
			r.mode(t, mode)
			r.put(t, "f.txt", "old\n")
			for _, name := range []string{"g.txt", ".git/config"} { // what is written as it is already isn't asked about
				r.put(t, name, mode+"\n")
			}
			told, asked := r.steps(t, always(c.answer), c.do...)
			starting(t, mode+": "+name, told, c.told...)
			if len(asked) != c.asked {
				t.Errorf("%s: %s: asked %d times, want %d: %q", mode, name, len(asked), c.asked, asked)
			}
		}
	}
	r.kept(t)
}
