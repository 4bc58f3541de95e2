package permission

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft/backend/base/raced"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/permission/files"
)

func place(t *testing.T, files ...string) Place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("old\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return Place{SpaceID: "s", Folder: dir}
}

// gitDiff is a diff as copilot writes it: prefixes before absolute paths, also before /dev/null.
func gitDiff(from, to string) string {
	head := "\ndiff --git a" + to + " b" + to + "\n"
	if from == "/dev/null" {
		head += "create file mode 100644\n"
	}
	return head + "index 0000000..0000000 100644\n--- a" + from + "\n+++ b" + to + "\n@@ -1 +1 @@\n-old\n+new\n"
}

func TestPrefixesOfGitNameNoSecondFile(t *testing.T) {
	t.Parallel()
	at := place(t, "src/x.go", "src/y.go")
	for _, c := range []struct {
		name string
		call Call
		want string
	}{
		{"absolute", Call{Kind: "edit", Input: jsontext.Value(`{"fileName":` + asJSON(t, at.Folder+"/src/x.go") + `,"diff":` + asJSON(t, gitDiff(at.Folder+"/src/x.go", at.Folder+"/src/x.go")) + `}`)}, "src/x.go"},
		{"absolute, named by the location", Call{Kind: "edit", Paths: []string{at.Folder + "/src/x.go"}, Input: jsontext.Value(`{"diff":` + asJSON(t, gitDiff(at.Folder+"/src/x.go", at.Folder+"/src/x.go")) + `}`)}, "src/x.go"},
		{"absolute and new", Call{Kind: "edit", Input: jsontext.Value(`{"fileName":` + asJSON(t, at.Folder+"/n/new.go") + `,"diff":` + asJSON(t, gitDiff("/dev/null", at.Folder+"/n/new.go")) + `}`)}, "n/new.go"},
		{"relative", Call{Kind: "edit", Input: jsontext.Value(`{"path":"src/x.go","diff":` + asJSON(t, gitDiff("/src/x.go", "/src/x.go")) + `}`)}, "src/x.go"},
		{"relative, without the line of git", Call{Kind: "edit", Input: jsontext.Value(`{"diff":` + asJSON(t, "--- a/src/x.go\n+++ b/src/x.go\n@@ -1 +1 @@\n-old\n+new\n") + `}`)}, "src/x.go"},
		{"one side only, and the file is there", Call{Kind: "edit", Input: jsontext.Value(`{"diff":` + asJSON(t, "--- src/x.go\n+++ b/src/x.go\n@@ -1 +1 @@\n-old\n+new\n") + `}`)}, "src/x.go"},
	} {
		sub := Describe(&c.call, at)
		if got := strings.ReplaceAll(sub.About(), "\n", "|"); got != c.want {
			t.Errorf("%s: about %q, want %q", c.name, got, c.want)
		}
		if n := len(sub.Reading().Files); n != 1 {
			t.Errorf("%s: the card shows %d files: %+v", c.name, n, sub.Reading().Files)
		}
		rules := NewSet([]Rule{{ID: "1", Effect: Allow, Path: "src/**", Scope: Everywhere, Enabled: true}, {ID: "2", Effect: Allow, Path: "n/**", Scope: Everywhere, Enabled: true}})
		if d := rules.Decide(sub, FollowRules); d.Verdict != Allowed {
			t.Errorf("%s: a rule that allows the file answers %s (%s)", c.name, d.Verdict, sub.Unclear)
		}
	}
}

// A folder with the name of a prefix is a folder.
func TestFoldersCalledLikeAPrefixAreJudged(t *testing.T) {
	t.Parallel()
	at := place(t, "a/x.go", "x.go", "a/only.go")
	reject := NewSet([]Rule{{ID: "1", Effect: Reject, Path: "a/**", Scope: Everywhere, Enabled: true}, {ID: "2", Effect: Allow, Path: "*.go", Scope: Everywhere, Enabled: true}})
	for _, name := range []string{"x.go", "only.go"} {
		call := Call{Kind: "edit", Input: jsontext.Value(`{"diff":` + asJSON(t, "--- a/"+name+"\n+++ b/"+name+"\n@@ -1 +1 @@\n-old\n+new\n") + `}`)}
		if d := reject.Decide(Describe(&call, at), FollowRules); d.Verdict != Rejected {
			t.Errorf("%s: a rule that rejects a/** answers %s", name, d.Verdict)
		}
	}
}

func TestCommandBesideAListOfCommandsIsCovered(t *testing.T) {
	t.Parallel()
	at := place(t, "a.txt", "sub/b.txt")
	allow := []Rule{{ID: "1", Effect: Allow, Command: "npm test", Scope: Everywhere, Enabled: true}, {ID: "2", Effect: Allow, Command: "git status", Scope: Everywhere, Enabled: true}}
	all := append(slices.Clone(allow), Rule{ID: "3", Effect: Reject, Command: "rm", Scope: Everywhere, Enabled: true})
	for _, c := range []struct {
		input string
		want  Verdict // with the rules that allow
		with  Verdict // with the one that rejects, too
		lines string
	}{
		{`{"command":"npm test","commands":["npm test"]}`, Allowed, Allowed, "npm test"},
		{`{"commands":["npm test"],"command":"npm test"}`, Allowed, Allowed, "npm test"},
		{`{"command":"npm test && git status","commands":["npm test","git status"]}`, Allowed, Allowed, "npm test && git status|npm test|git status"},
		{`{"command":"npm test","commands":["git status"]}`, Allowed, Allowed, "npm test|git status"},
		{`{"command":"npm test","commands":["npm test","rm a.txt"]}`, Ask, Rejected, "npm test|npm test|rm a.txt"},
		{`{"command":"rm a.txt","commands":["npm test"]}`, Ask, Rejected, "rm a.txt|npm test"},
		{`{"command":"npm test && rm a.txt","commands":["npm test"]}`, Ask, Rejected, "npm test && rm a.txt|npm test"},
		{`{"command":"npm test","commands":[]}`, Allowed, Allowed, "npm test"},
		{`{"command":"npm test","commands":[{"command":"npm test"}]}`, Allowed, Allowed, "npm test"},
		{`{"command":["npm","test"],"commands":["npm test"]}`, Allowed, Allowed, "npm test"},
		{`{"command":"npm test","commands":"rm a.txt"}`, Ask, Rejected, "npm test|rm a.txt"},
		{`{"command":"npm test","cmd":"git status"}`, Ask, Ask, "npm test|git status"},
		{`{"command":"npm test","commands":[["rm","a.txt"]]}`, Ask, Ask, "npm test"},
		{`{"command":"git status","commands":["git status"],"cwd":"sub"}`, Allowed, Allowed, "git status"},
	} {
		sub := Describe(&Call{Kind: "execute", Title: "Run it", Input: jsontext.Value(c.input)}, at)
		if got := strings.ReplaceAll(sub.Line, "\n", "|"); got != c.lines {
			t.Errorf("%s: shown as %q, want %q", c.input, got, c.lines)
		}
		if d := NewSet(allow).Decide(sub, FollowRules); d.Verdict != c.want {
			t.Errorf("%s: rules that allow answer %s (%s), want %s", c.input, d.Verdict, sub.Unclear, c.want)
		}
		if d := NewSet(all).Decide(sub, FollowRules); d.Verdict != c.with {
			t.Errorf("%s: with a rule that rejects: %s, want %s", c.input, d.Verdict, c.with)
		}
	}
	// All of them run in the folder next to them.
	for _, input := range []string{`{"command":"cat b.txt","commands":["cat b.txt"],"cwd":"sub"}`, `{"command":"pwd","commands":["cat b.txt"],"cwd":"sub"}`} {
		sub := Describe(&Call{Kind: "execute", Input: jsontext.Value(input)}, at)
		if !slices.ContainsFunc(sub.Reads, func(f files.File) bool { return f.Real == "sub/b.txt" }) || sub.Reading().Folder != filepath.Join(at.Folder, "sub") {
			t.Errorf("%s: reads %+v in %s", input, sub.Reads, sub.Reading().Folder)
		}
	}
}

// The command, the list and their order are random.
func TestRandomCommandListsAreCoveredCompletely(t *testing.T) {
	t.Parallel()
	at := place(t, "a.txt")
	pool := []string{"npm test", "git status", "rm a.txt", "ls", "curl example.org"}
	rules := NewSet([]Rule{
		{ID: "1", Effect: Allow, Command: "npm test", Scope: Everywhere, Enabled: true},
		{ID: "2", Effect: Allow, Command: "git status", Scope: Everywhere, Enabled: true},
		{ID: "3", Effect: Reject, Command: "rm", Scope: Everywhere, Enabled: true},
	})
	for seed := range uint64(raced.Of(2000)) {
		r := rand.New(rand.NewPCG(seed, 7))
		pick := func() string { return pool[r.IntN(len(pool))] }
		main := []string{pick()}
		for r.IntN(2) == 0 {
			main = append(main, pick())
		}
		var list []string
		for r.IntN(3) > 0 {
			list = append(list, pick())
		}
		raw, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		if list == nil {
			raw = jsontext.Value("[]")
		}
		members := []string{fmt.Sprintf(`"command":%s`, asJSON(t, strings.Join(main, []string{" && ", "; ", "\n"}[r.IntN(3)]))), `"commands":` + string(raw), `"description":"x"`}
		r.Shuffle(len(members), func(i, k int) { members[i], members[k] = members[k], members[i] })
		input := "{" + strings.Join(members, ",") + "}"
		every := slices.Concat(main, list)
		want := Allowed
		for _, c := range every {
			if c != "npm test" && c != "git status" {
				want = Ask
			}
		}
		if slices.Contains(every, "rm a.txt") {
			want = Rejected
		}
		sub := Describe(&Call{Kind: "execute", Input: jsontext.Value(input)}, at)
		if d := rules.Decide(sub, FollowRules); d.Verdict != want {
			// "ls" alone may be covered as a command that only reads, together with other covered ones.
			if want == Ask && d.Verdict == Allowed && !slices.Contains(every, "curl example.org") {
				continue
			}
			t.Fatalf("seed %d: %s: %s, want %s (%s)", seed, input, d.Verdict, want, sub.Unclear)
		}
	}
}

// The form in which cline reads files.
func TestFilesInAListOfObjectsAreCovered(t *testing.T) {
	t.Parallel()
	at := place(t, "a.txt", "secret.txt")
	rules := NewSet([]Rule{{ID: "1", Effect: Allow, Kind: "read", Scope: Everywhere, Enabled: true}, {ID: "2", Effect: Reject, Path: "secret.txt", Scope: Everywhere, Enabled: true}})
	for input, want := range map[string]Verdict{
		`{"files":[{"path":"a.txt"}]}`:                       Allowed,
		`{"files":[{"path":"a.txt","start_line":1}]}`:        Allowed,
		`{"files":[{"path":"a.txt","line":1,"limit":5}]}`:    Allowed,
		`{"files":[{"path":"a.txt"},{"path":"secret.txt"}]}`: Rejected,
		`{"files":[{"path":"a.txt","script":"rm -rf /"}]}`:   Ask,
		`{"files":[{"path":"a.txt","run":"rm -rf /"}]}`:      Ask,
		`{"files":[{"path":"a.txt"},"secret.txt"]}`:          Ask,
		`{"files":[["a.txt"]]}`:                              Ask,
		`{"files":[{"path":"a.txt"}],"other":["x"]}`:         Ask,
		`{"files":[{"path":"/etc/passwd"}]}`:                 Ask,
		`{"files":[{"file":{"path":"a.txt"}}]}`:              Ask,
		`{"files":[]}`:                                       Ask,
	} {
		sub := Describe(&Call{Kind: "read", Input: jsontext.Value(input)}, at)
		if d := rules.Decide(sub, FollowRules); d.Verdict != want {
			t.Errorf("%s: %s (%s), want %s", input, d.Verdict, sub.Unclear, want)
		}
	}
}
