package permission

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/backend/base/fault"

	"weft/backend/base/raced"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"weft/backend/conversation/transcript"
)

var (
	somePrefixes = []string{"git status", "git", "git log", "ls", "make", "rm", "go test ./...", "bash"}
	someLines    = []string{"git status", "git status; ls", "rm x", "make | ls", "bash -c 'rm x; ls'", "git log > src/x", "ls $(make)", "x '", "go test ./... && git log", "sudo rm x"}
	someGlobs    = []string{"**", "src/**", "*.go", "src/*.go", "**/*.md", "docs/x.md"}
	somePaths    = []string{"src/a.go", "docs/x.md", "src/deep/b.go", "/etc/passwd", "src/../x", "new.txt", "src/leaves/x"}
)

func drawRule(t *rapid.T, id string) Rule {
	r := Rule{
		ID: id, Enabled: rapid.IntRange(0, 9).Draw(t, "on") > 0,
		Effect: rapid.SampledFrom([]Effect{Allow, Allow, Reject}).Draw(t, "effect"),
		Scope:  rapid.SampledFrom([]Scope{InSpace, InFolder, Everywhere, Everywhere}).Draw(t, "scope"),
	}
	r.SpaceID = rapid.SampledFrom([]string{"s1", "s2"}).Draw(t, "space")
	r.Folder = rapid.SampledFrom([]string{"/nowhere/a", "/nowhere/b"}).Draw(t, "folder")
	r.AgentID = rapid.SampledFrom([]string{"", "", "a1", "a2"}).Draw(t, "agent")
	switch rapid.IntRange(0, 2).Draw(t, "what") {
	case 0:
		r.Kind = rapid.SampledFrom(Kinds).Draw(t, "kind")
	case 1:
		r.Command = rapid.SampledFrom(somePrefixes).Draw(t, "command")
	default:
		r.Path = rapid.SampledFrom(someGlobs).Draw(t, "glob")
		r.Kind = rapid.SampledFrom([]string{"", "edit", "read"}).Draw(t, "kind of file")
	}
	clean, err := r.Clean()
	if err != nil {
		t.Fatalf("%+v: %v", r, err)
	}
	return clean
}

func drawSubject(t *rapid.T, dir string) *Subject {
	c := &Call{Kind: rapid.SampledFrom(append([]string{"", "strange"}, Kinds...)).Draw(t, "kind")}
	if rapid.Bool().Draw(t, "has a command") {
		c.Input = jsontext.Value(fmt.Sprintf(`{"command":%q}`, rapid.SampledFrom(someLines).Draw(t, "line")))
	}
	c.Paths = rapid.SliceOfN(rapid.SampledFrom(somePaths), 0, 3).Draw(t, "paths")
	return Describe(c, Place{
		SpaceID: rapid.SampledFrom([]string{"s1", "s2"}).Draw(t, "space"), Folder: dir,
		AgentID: rapid.SampledFrom([]string{"a1", "a2"}).Draw(t, "agent"),
	})
}

// An allow rule never overrides a rejection or another allowance, a reject rule never allows, and the order of the
// rules doesn't matter.
func TestRulesTogetherCoverARequest(t *testing.T) {
	dir := project(t)
	rapid.Check(t, func(t *rapid.T) {
		sub := drawSubject(t, dir)
		mode := rapid.SampledFrom([]Mode{FollowRules, FollowRules, ReadOnly, AskAlways}).Draw(t, "mode")
		var rules []Rule
		for i := range rapid.IntRange(0, 8).Draw(t, "rules") {
			rules = append(rules, drawRule(t, fmt.Sprint("r", i)))
		}
		before := NewSet(rules).Decide(sub, mode)

		shuffled := append([]Rule(nil), rules...)
		seed := rapid.Uint64().Draw(t, "order")
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(shuffled), func(i, k int) { shuffled[i], shuffled[k] = shuffled[k], shuffled[i] })
		if other := NewSet(shuffled).Decide(sub, mode); !reflect.DeepEqual(before, other) {
			t.Fatalf("the order of the rules matters: %+v and %+v", before, other)
		}
		added := drawRule(t, "added")
		after := NewSet(append(rules, added)).Decide(sub, mode)
		switch {
		case added.Effect == Allow && before.Verdict == Rejected && after.Verdict != Rejected:
			t.Fatalf("%+v made an allowance of a rejection", added)
		case added.Effect == Allow && before.Verdict == Allowed && after.Verdict != Allowed:
			t.Fatalf("%+v took an allowance back", added)
		case added.Effect == Reject && before.Verdict != Allowed && after.Verdict == Allowed:
			t.Fatalf("%+v allows", added)
		case before.Verdict != Ask && before.Rule == nil && before.Mode == "":
			t.Fatalf("nobody decided %+v", before)
		}
		if mode == ReadOnly && changesFiles(sub.Kind) && after.Verdict != Rejected {
			t.Fatalf("a read-only space answers %s to %s", after.Verdict, sub.Kind)
		}
	})
}

// A command after an allowed command isn't allowed with it.
func TestAppendedCommandsAreNotAllowed(t *testing.T) {
	dir := project(t)
	set := NewSet([]Rule{rule(Allow, "cmd:git status"), rule(Allow, "cmd:ls")})
	joins := []string{";", "&&", "||", "|", "&", "\n", "|&", "; (", "; {", " $(", " `", " <(", " \"$(", "\\\n;", ">", ">>", "<<<$(", "; if ", "; while ", " ;! "}
	ends := []string{"", ")", "`", ")\"", "; }", "; then ls; fi", "; do ls; done", "'", "\""}
	rapid.Check(t, func(t *rapid.T) {
		line := "git status" + rapid.SampledFrom(joins).Draw(t, "join") + "evil" + rapid.SampledFrom([]string{"", " x", "\tx", "$IFS", "''"}).Draw(t, "args") + rapid.SampledFrom(ends).Draw(t, "end")
		sub := Describe(&Call{Kind: "execute", Input: jsontext.Value(fmt.Sprintf(`{"command":%q}`, line))}, Place{Folder: dir})
		if d := set.Decide(sub, FollowRules); d.Verdict != Ask {
			t.Fatalf("%q: %s", line, d.Verdict)
		}
	})
}

func FuzzDescribe(f *testing.F) {
	for _, line := range someLines {
		f.Add("execute", `{"command":"`+strings.ReplaceAll(line, `"`, `\"`)+`"}`)
	}
	f.Add("edit", `{"path":"../x","command":["a","b"]}`)
	set := NewSet([]Rule{rule(Allow, "cmd:git status"), rule(Allow, "path:src/**"), rule(Reject, "cmd:rm")})
	dir := f.TempDir()
	f.Fuzz(func(_ *testing.T, kind, input string) {
		sub := Describe(&Call{Kind: kind, Input: jsontext.Value(input)}, Place{Folder: dir})
		set.Decide(sub, FollowRules)
		Suggest(sub)
	})
}

func TestDecisionNamesTheMostSpecificRule(t *testing.T) {
	dir := project(t)
	general, words, here := rule(Allow, "kind:execute"), rule(Allow, "cmd:git"), rule(Allow, "cmd:git")
	here.Scope, here.SpaceID, here.ID = InSpace, "s1", "z"
	set := NewSet([]Rule{general, words, here})
	for space, want := range map[string]string{"s1": "z", "s2": words.ID} {
		d := set.Decide(Describe(&Call{Kind: "execute", Input: jsontext.Value(`{"command":"git status"}`)}, Place{SpaceID: space, Folder: dir}), FollowRules)
		if d.Rule == nil || d.Rule.ID != want {
			t.Errorf("in %s: %+v, want %s", space, d.Rule, want)
		}
	}
}

func TestInvalidRulesAreRefused(t *testing.T) {
	for _, r := range []Rule{
		{},
		{Effect: Allow, Scope: Everywhere},
		{Effect: "maybe", Scope: Everywhere, Kind: "edit"},
		{Effect: Allow, Scope: "universe", Kind: "edit"},
		{Effect: Allow, Scope: InSpace, Kind: "edit"},
		{Effect: Allow, Scope: InFolder, Kind: "edit", Folder: "src"},
		{Effect: Allow, Scope: Everywhere, Kind: "dance"},
		{Effect: Allow, Scope: Everywhere, Command: "git status; rm"},
		{Effect: Allow, Scope: Everywhere, Command: "git $x"},
		{Effect: Allow, Scope: Everywhere, Command: "git st*"},
		{Effect: Allow, Scope: Everywhere, Command: "X=1 git"},
		{Effect: Allow, Scope: Everywhere, Command: "git > x"},
		{Effect: Allow, Scope: Everywhere, Command: "git '"},
		{Effect: Allow, Scope: Everywhere, Command: "$(git)"},
		{Effect: Allow, Scope: Everywhere, Command: "''"},
		{Effect: Allow, Scope: Everywhere, Command: "git\nrm"},
		{Effect: Allow, Scope: Everywhere, Command: "git", Path: "x"},
		{Effect: Allow, Scope: Everywhere, Command: "git", Kind: "read"},
		{Effect: Allow, Scope: Everywhere, Path: "/etc/**"},
		{Effect: Allow, Scope: Everywhere, Path: "../**"},
		{Effect: Allow, Scope: Everywhere, Path: "~/x"},
		{Effect: Allow, Scope: Everywhere, Path: "src/[a"},
		{Effect: Allow, Scope: Everywhere, Path: "src/**", Kind: "execute"},
		{Effect: Allow, Scope: Everywhere, Command: strings.Repeat("x", 2000)},
	} {
		var wrong *fault.Error
		if _, err := r.Clean(); !errors.As(err, &wrong) || !strings.HasSuffix(wrong.Message, ".") {
			t.Errorf("%+v: %v", r, err)
		}
	}
	got, err := Rule{Effect: Allow, Scope: Everywhere, Path: " ./src/ ", Folder: "/x", SpaceID: "y"}.Clean()
	if err != nil || got.Path != "src/**" || got.Folder != "" || got.SpaceID != "" {
		t.Errorf("%+v %v", got, err)
	}
}

func TestSuggestions(t *testing.T) {
	dir := project(t)
	twice := Describe(&Call{Kind: "edit", Paths: []string{"new.md", dir + "/new.md"}, Diffs: []string{"./new.md"}}, Place{Folder: dir})
	if got := Suggest(twice); len(twice.Files) != 1 || twice.About() != "new.md" || got.Paths[0] != "new.md" {
		t.Errorf("one file in three spellings: %+v, %+v", twice.Files, got)
	}
	for line, want := range map[string]string{
		"git status --short":      "git status",
		"cd src && go test ./...": "go test",
		"npm run build -- -w":     "npm run build -- -w",
		"rm -rf build":            "rm -rf build",
		"python3 -c 'print(1)'":   "python3 -c 'print(1)'",
		"git -C src status":       "git -C src status",
		"ls -la; ls src | wc -l":  "ls",
		"bash -lc 'make test'":    "make test",
		"sudo make install":       "sudo make install",
		"$x y":                    "",
		"git '":                   "",
	} {
		sub := Describe(&Call{Kind: "execute", Input: raw(t, map[string]string{"command": line})}, Place{Folder: dir})
		if got := strings.Join(Suggest(sub).Commands, "|"); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
	for paths, want := range map[string]string{
		"src/a.go": "src/**", "src/a.go src/deep/b.go": "src/**", "src/a.go docs/x.md": "**", "new[1].txt": `new\[1].txt`, "/etc/passwd": "", "": "",
	} {
		sub := Describe(&Call{Kind: "edit", Paths: strings.Fields(paths)}, Place{Folder: dir})
		if got := strings.Join(Suggest(sub).Paths, "|"); got != want {
			t.Errorf("%s: %s, want %s", paths, got, want)
		}
	}
}

// Rules that are saved as suggested answer the request, unless no rule can.
func TestSuggestionsCover(t *testing.T) {
	dir := project(t)
	rapid.Check(t, func(t *rapid.T) {
		sub := drawSubject(t, dir)
		if sub.Unclear != "" {
			return
		}
		s := Suggest(sub)
		var rules []Rule
		for _, p := range s.Writes {
			rules = append(rules, rule(Allow, "kind:edit", "path:"+p))
		}
		for _, c := range s.Commands {
			rules = append(rules, rule(Allow, "cmd:"+c))
		}
		for _, p := range s.Paths {
			rules = append(rules, rule(Allow, "kind:"+s.Kind, "path:"+p))
		}
		if len(rules) == 0 {
			rules = append(rules, rule(Allow, "kind:"+s.Kind))
		}
		if d := NewSet(rules).Decide(sub, FollowRules); d.Verdict != Allowed {
			t.Fatalf("%+v does not cover %+v: %s", rules, sub, d.Verdict)
		}
	})
}

func TestOptionMatchesTheEffect(t *testing.T) {
	o := func(list ...string) (out []transcript.PermissionOption) {
		for _, s := range list {
			id, kind, _ := strings.Cut(s, "=")
			out = append(out, transcript.PermissionOption{ID: id, Kind: kind})
		}
		return out
	}
	for _, c := range []struct {
		options       []transcript.PermissionOption
		allow, reject int
	}{
		{o("a=allow_always", "b=allow_once", "c=reject_once"), 1, 2},
		{o("a=allow_always", "c=reject_always"), -1, 1},
		{o("a=allow_once", "b=allow_once"), 0, -1},
		{o("x=allow_once", "x=reject_once", "y=reject_always"), -1, 2},
		{o("x=allow_always", "x=allow_once", "y=allow_once"), 2, -1},
		{o("a=", "b=whatever"), -1, -1},
		{nil, -1, -1},
	} {
		if a, r := Option(c.options, Allow), Option(c.options, Reject); a != c.allow || r != c.reject {
			t.Errorf("%v: %d %d, want %d %d", c.options, a, r, c.allow, c.reject)
		}
	}
}

// thousand returns a thousand rules of all kinds, and a few requests that no rule answers early.
func thousand(b *testing.B) (*Set, string, map[string]*Call) {
	b.Helper()
	dir := project(b)
	rules := make([]Rule, 0, 1000)
	for i := range raced.Of(1000) {
		r := rule(Allow, fmt.Sprintf("cmd:git sub%d", i))
		switch i % 4 {
		case 1:
			r = rule(Allow, "kind:edit", fmt.Sprintf("path:src%d/**/*.go", i))
		case 2:
			r = rule(Reject, fmt.Sprintf("path:**/secret%d/*.pem", i))
		case 3:
			r = rule(Reject, fmt.Sprintf("cmd:git never%d --force", i))
		}
		r.ID = fmt.Sprint(i)
		rules = append(rules, r)
	}
	return NewSet(rules), dir, map[string]*Call{
		"command": {Kind: "execute", Input: jsontext.Value(`{"command":"cd src && git status --short | head -3"}`)},
		"wrapped": {Kind: "execute", Input: jsontext.Value(`{"command":"sudo timeout 5 git -C . --no-pager push origin main"}`)},
		"unknown": {Kind: "execute", Input: jsontext.Value(`{"command":"deploy --to=staging src/a.go docs/x.md one two three four"}`)},
		"edit":    {Kind: "edit", Paths: []string{"src/a.go"}, Diffs: []string{"src/a.go"}},
		"16 KB":   {Kind: "execute", Input: jsontext.Value(`{"command":"git status ` + strings.Repeat("word ", 3<<10) + `"}`)},
	}
}

// BenchmarkDecide measures reading and deciding a request with a thousand rules.
func BenchmarkDecide(b *testing.B) {
	set, dir, calls := thousand(b)
	for name, call := range calls {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				set.Decide(Describe(call, Place{SpaceID: "s", Folder: dir}), FollowRules)
			}
		})
	}
}

// BenchmarkDecision measures only the decision, without reading the request. It reports the 99th percentile.
func BenchmarkDecision(b *testing.B) {
	set, dir, calls := thousand(b)
	for name, call := range calls {
		sub := Describe(call, Place{SpaceID: "s", Folder: dir})
		b.Run(name, func(b *testing.B) {
			took := make([]time.Duration, 0, 1<<16)
			for b.Loop() {
				start := time.Now()
				set.Decide(sub, FollowRules)
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100])/1e3, "p99-µs")
			b.ReportMetric(float64(took[len(took)/2])/1e3, "p50-µs")
		})
	}
}
