package shell_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"

	"weft/backend/base/raced"
	"weft/backend/permission"
	"weft/backend/permission/shell"
)

// allow is a rule that allows a command everywhere.
func allow(command string) permission.Rule {
	return permission.Rule{ID: command, Effect: permission.Allow, Scope: permission.Everywhere, Command: command, Enabled: true}
}

// decide returns what rules answer to a command line in a folder.
func decide(t testing.TB, dir string, set *permission.Set, line string) (permission.Verdict, *permission.Subject) {
	t.Helper()
	input, err := json.Marshal(map[string]string{"command": line})
	if err != nil {
		t.Fatal(err)
	}
	sub := permission.Describe(&permission.Call{Kind: "execute", Input: input}, permission.Place{Folder: dir})
	return set.Decide(sub, permission.FollowRules).Verdict, sub
}

// workFolder makes a folder with the files that generated lines name.
func workFolder(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "work")
	if err := os.MkdirAll(filepath.Join(dir, "src"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b", "src/a", "a1.txt", "a2.txt", "list", "x.tar", "x.zip", "x.json", "-o", "-onew", "src/-o", "../outside/secret"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"link": "../outside/secret", "away": "../outside", "src/away": "../../outside"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestAbbreviationsAreAsked: an option that a program would take for a longer one is in no table, whatever the rule.
func TestAbbreviationsAreAsked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sets := map[string]*permission.Set{}
	n := 0
	shell.Abbreviations(func(words, short string) {
		if _, err := shell.FixedWords(words); err != nil {
			return
		}
		if n++; raced.On && n%10 != 0 {
			return
		}
		if sets[words] == nil {
			sets[words] = permission.NewSet([]permission.Rule{allow(words)})
		}
		for _, line := range []string{words + " " + short, words + " " + short + "=x", words + " x " + short} {
			if got, _ := decide(t, dir, sets[words], line); got != permission.Ask {
				t.Errorf("%s is answered %s", line, got)
			}
		}
	})
	if n < 1000 {
		t.Errorf("there are only %d abbreviations", n)
	}
}

// effective returns the commands of a line that a rule has to cover; idle ones need none beside these.
func effective(sub *permission.Subject) []shell.Command {
	return slices.DeleteFunc(slices.Clone(sub.Commands), func(c shell.Command) bool { return c.Wrapped || c.Idle() })
}

// TestSuggestionsCoverGeneratedLines: what is suggested for a line that can be read answers it, unless the line writes.
func TestSuggestionsCoverGeneratedLines(t *testing.T) {
	t.Parallel()
	dir := workFolder(t)
	g := lines{rand.New(rand.NewPCG(7, 7))}
	n := 0
	for range raced.Of(3000) {
		line := g.line()
		_, sub := decide(t, dir, nil, line)
		if sub.Unclear != "" || len(sub.Writes) > 0 {
			continue
		}
		list := effective(sub)
		if len(list) == 0 || slices.ContainsFunc(list, func(c shell.Command) bool {
			return len(permission.Suggest(&permission.Subject{Kind: "execute", Commands: []shell.Command{c}}).Commands) == 0
		}) {
			continue // a rule can't hold an empty word or a line break
		}
		var rules []permission.Rule
		for _, c := range permission.Suggest(sub).Commands {
			rules = append(rules, allow(c))
		}
		if got := permission.NewSet(rules).Decide(sub, permission.FollowRules).Verdict; got != permission.Allowed && len(rules) < 8 {
			t.Errorf("%q is answered %s by what is suggested for it: %+v", line, got, rules)
		}
		n++
	}
	if n < raced.Of(500) {
		t.Errorf("only %d lines could be read", n)
	}
}
