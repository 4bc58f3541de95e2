package permission

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// gitTree makes a folder with repositories in several forms, and with folders that only resemble them.
func gitTree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{
		".git/HEAD", ".git/config", ".git/objects/x", ".git/refs/x", "nested/.git/HEAD",
		"bare/HEAD", "bare/objects/x", "bare/refs/x", "bare/src/a.go", // under a plain name
		"tree/HEAD", "tree/commondir", // as of a linked worktree
		"half/HEAD", "half/objects/x", "other/objects/x", "other/refs/x",
		"src/hooks/use.ts", "src/objects/a.ts", "src/refs/a.ts", "src/config", "docs/HEAD", "module/.git",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("bare", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The rules allow everything that rules can allow, also by the names of git folders.
func TestGitFoldersAreNeverAllowedByARule(t *testing.T) {
	dir := gitTree(t)
	rules := []Rule{rule(Allow, "path:**"), rule(Allow, "cmd:echo"), {ID: "tool", Effect: Allow, Scope: Everywhere, Tool: "server/tool", Enabled: true}}
	for _, kind := range []string{"edit", "delete", "move", "execute", "other", "read", "search"} {
		rules = append(rules, rule(Allow, "kind:"+kind), rule(Allow, "kind:"+kind, "path:**"), rule(Allow, "kind:"+kind, "path:**/.git/**"), rule(Allow, "kind:"+kind, "path:bare/config"))
	}
	set := NewSet(rules)
	decide := func(c *Call) (Verdict, *Subject) {
		sub := Describe(c, Place{Folder: dir})
		return set.Decide(sub, FollowRules).Verdict, sub
	}
	for path, want := range map[string]Verdict{
		".git/config": Ask, ".git/hooks/pre-commit": Ask, ".git": Ask, ".GIT/config": Ask, ".Git/x": Ask, "nested/.git/config": Ask, "new/.git/config": Ask, "module/.git": Ask, "new/.git": Ask,
		".g\u200cit/config": Ask, "\ufeff.git/config": Ask, "git~1/config": Ask, "GIT~2/config": Ask, ".git /config": Ask, ".git./config": Ask, ".git::$INDEX_ALLOCATION/config": Ask,
		"bare": Ask, "bare/config": Ask, "bare/hooks/post-checkout": Ask, "bare/anything": Ask, "bare/src/a.go": Ask, "link/config": Ask, "tree/gitdir": Ask,
		"half/refs/heads/main": Ask, "half/config": Ask, "half/REFS/x": Ask, "half/commondir": Ask, "other/HEAD": Ask, "other/head": Ask, "docs/objects/x": Ask, "docs/commondir": Ask,
		"half/readme": Allowed, "other/config": Allowed, "src/hooks/use.ts": Allowed, "src/objects/b.ts": Allowed, "src/refs/b.ts": Allowed, "src/config": Allowed, "docs/HEAD": Allowed, "docs/config": Allowed,
		".gitignore": Allowed, ".gitattributes": Allowed, ".github/workflows/x.yml": Allowed, "git/x": Allowed, "a.git/x": Allowed, "git~x/y": Allowed, "new/HEAD": Allowed,
	} {
		for _, kind := range []string{"edit", "delete"} {
			if got, sub := decide(&Call{Kind: kind, Paths: []string{path}}); got != want || sub.Git != (want == Ask) || sub.Files[0].Git != sub.Git {
				t.Errorf("%s %q: %s, want %s (git %v)", kind, path, got, want, sub.Git)
			}
		}
		if got, _ := decide(&Call{Kind: "move", Paths: []string{"plain.txt", path}}); got != want {
			t.Errorf("move to %q: %s, want %s", path, got, want)
		}
		if got, _ := decide(&Call{Kind: "edit", Diffs: []string{path}}); got != want {
			t.Errorf("a diff of %q: %s, want %s", path, got, want)
		}
		if got, _ := decide(&Call{Kind: "other", Tool: "server/tool", Paths: []string{path}}); got != want {
			t.Errorf("a tool at %q: %s, want %s", path, got, want)
		}
		line, err := jsontext.AppendQuote(nil, "echo x > '"+path+"'")
		if err != nil {
			t.Fatal(err)
		}
		if got, sub := decide(&Call{Kind: "execute", Input: jsontext.Value(`{"command":` + string(line) + `}`)}); got != want {
			t.Errorf("a redirection to %q: %s, want %s (unclear %q)", path, got, want, sub.Unclear)
		}
		if got, sub := decide(&Call{Kind: "read", Paths: []string{path}}); got != Allowed || sub.Git {
			t.Errorf("reading %q: %s", path, got)
		}
	}
	// Together they make a git folder.
	if got, _ := decide(&Call{Kind: "edit", Paths: []string{"new/HEAD", "new/objects/x", "new/refs/x", "new/config"}}); got != Ask {
		t.Errorf("a whole git folder at once: %s", got)
	}
	// The space's folder may itself be in a git folder.
	for _, at := range []string{"bare/src", ".git/hooks", "bare"} {
		_ = os.MkdirAll(filepath.Join(dir, at), 0o755)
		sub := Describe(&Call{Kind: "edit", Paths: []string{"x"}}, Place{Folder: filepath.Join(dir, at)})
		if got := set.Decide(sub, FollowRules).Verdict; got != Ask {
			t.Errorf("a space in %s: %s", at, got)
		}
	}
}
