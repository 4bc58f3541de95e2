package actions

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
	"weft/backend/permission"
)

// ofCall is a call that has completed in a space of that folder, and nobody was asked.
func ofCall(folder, kind, input string, paths ...string) *Ended {
	c := &permission.Call{Kind: kind, Title: "Do it", Input: jsontext.Value(input), Paths: paths}
	title, titled := strings.CutPrefix(input, "title ")
	if titled || input == "" {
		c.Input, c.Title = nil, cmp.Or(title, c.Title)
	}
	*c = CommandFromTitle(*c)
	sub := permission.Describe(c, permission.Place{SpaceID: "s", Folder: folder})
	return &Ended{Status: transcript.StatusCompleted, About: sub, Bare: Bare(c), Verdict: permission.NewSet(nil).Decide(sub, permission.FollowRules).Verdict}
}

func TestOnlyCallsThatActCountAsUnasked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kind, input string
		paths       []string
		want        bool
	}{
		{"execute", `{"command":"rm -rf build"}`, nil, true},
		{"execute", `{"command":["bash","-lc","rm -rf build"]}`, nil, true},
		{"other", `{"command":"rm -rf build"}`, nil, true},
		{"read", `{"command":"rm a.txt"}`, nil, true},
		{"execute", `{"command":"cat a.txt"}`, nil, false},
		{"execute", `{"command":"ls -la && cat a.txt"}`, nil, false},
		{"execute", `{"command":["bash","-lc","ls"]}`, nil, false},
		{"execute", `{"command":"cat a.txt > b.txt"}`, nil, true},
		{"execute", `{"command":"cat a.txt; rm a.txt"}`, nil, true},
		{"execute", `{"command":"cat /etc/passwd"}`, nil, true},
		{"execute", "", nil, true},
		{"execute", "{}", nil, true},
		{"execute", "null", nil, true},
		{"execute", "title rm -rf build", nil, true},
		{"execute", "title `rm -rf build`", nil, true},
		{"execute", "title ls -la", nil, false},
		{"execute", "title `cat a.txt`", nil, false},
		{"edit", "title ls -la", nil, true},
		{"execute", `{"bash_id":"7"}`, nil, false},
		{"edit", `{"path":"a.txt","content":"b"}`, nil, true},
		{"edit", "", []string{"a.txt"}, true},
		{"delete", `{"path":"a.txt"}`, nil, true},
		{"move", `{"path":"a.txt","destination":"b.txt"}`, nil, true},
		{"edit", `{"todos":[{"content":"x"}]}`, nil, false},
		{"read", `{"path":"a.txt"}`, nil, false},
		{"read", `{"path":"/etc/passwd"}`, nil, false},
		{"search", `{"pattern":"x"}`, nil, false},
		{"think", `{"thought":"rm -rf build"}`, nil, false},
		{"fetch", `{"url":"https://example.org"}`, nil, false},
		{"other", `{"name":"x"}`, nil, false},
		{"other", "", nil, false},
	} {
		if got := ofCall(dir, c.kind, c.input, c.paths...).Unasked(); got != c.want {
			t.Errorf("%s %s %v: %v, want %v", c.kind, c.input, c.paths, got, c.want)
		}
	}
}

// excuses each make a call not count on their own.
var excuses = map[string]func(*Ended){
	"asked, or done by Weft": func(e *Ended) { e.Vouched = true },
	"in a sandbox":           func(e *Ended) { e.Sandboxed = true },
	"replayed":               func(e *Ended) { e.Replayed = true },
	"allowed by a rule":      func(e *Ended) { e.Verdict = permission.Allowed },
	"chosen by the user":     func(e *Ended) { e.Chosen = true },
	"the agent's own files":  func(e *Ended) { e.Kept = true },
	"failed":                 func(e *Ended) { e.Status = transcript.StatusFailed },
	"canceled":               func(e *Ended) { e.Status = transcript.StatusCancelled },
	"rejected":               func(e *Ended) { e.Status = transcript.StatusRejected },
	"running":                func(e *Ended) { e.Status = transcript.StatusRunning },
}

// Whatever else is true for a call, one excuse is enough. A reject rule or mode is not an excuse.
func TestAnyExplanationSuppressesUnasked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, input := range []string{`{"command":"rm -rf build"}`, `{"path":"a.txt","content":"b"}`} {
		for name, excuse := range excuses {
			for also, other := range excuses {
				for _, verdict := range []permission.Verdict{permission.Ask, permission.Rejected} {
					e := ofCall(dir, "edit", input)
					e.Verdict = verdict
					if !e.Unasked() {
						t.Fatalf("%s, %s: does not count without an excuse", input, verdict)
					}
					other(e)
					excuse(e)
					if e.Unasked() {
						t.Errorf("%s, %s: counts although %s, %s", input, verdict, name, also)
					}
				}
			}
		}
	}
}

func TestOnlyInFolders(t *testing.T) {
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	own := []string{filepath.Join(home, ".claude"), filepath.Join(home, ".claude.json")}
	for path, want := range map[string]bool{
		filepath.Join(home, ".claude/plans/x.md"):    true,
		filepath.Join(home, ".claude.json"):          true,
		filepath.Join(home, ".claude/../.bashrc"):    false,
		filepath.Join(home, ".claude-other/plan.md"): false,
		filepath.Join(home, ".codex/x"):              false,
		filepath.Join(dir, "a.txt"):                  false,
		"a.txt":                                      false,
	} {
		if got := OnlyIn(ofCall(dir, "edit", "", path).About, own); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
	both := ofCall(dir, "edit", "", filepath.Join(home, ".claude/x"), "a.txt").About
	if OnlyIn(both, own) || OnlyIn(ofCall(dir, "execute", `{"command":"rm ~/.claude/x"}`).About, own) {
		t.Error("more than the agent's own files counts as these")
	}
}
