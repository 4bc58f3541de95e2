//go:build linux

package systemtest

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/backend/api/service/permissions"
	stored "weft/backend/store/permissions"
)

// notAsked lists what a space shows as not asked: the title of the call, why the user would have had to be asked, and whether it was found on disk.
func notAsked(v *seen) (list []string) {
	for _, m := range v.conv.Messages {
		for _, s := range m.Segments {
			for i := range s.Items {
				c := s.Items[i].Call
				if c == nil {
					continue
				}
				for _, p := range c.Permissions {
					if p.Outcome != "unasked" {
						continue
					}
					line := fmt.Sprintf("%s %s: %s%s", c.Status, c.Title, p.By.Mode, p.By.Path+p.By.Command+p.By.Kind)
					if p.By.Found {
						line += ", found"
					}
					list = append(list, line)
				}
			}
		}
	}
	return list
}

// TestActionsAgainstTheModeOrARuleAreReported: what an agent does without asking, although the space or a rule says otherwise, is told in the space and in
// the history.
func TestActionsAgainstTheModeOrARuleAreReported(t *testing.T) {
	t.Parallel()
	a := launchUnsealed(t, t.TempDir()) // some of them write files
	a.rule(t, stored.Rule{Effect: "reject", Path: "secret/**"}, stored.Rule{Effect: "reject", Command: "git push"}, stored.Rule{Effect: "reject", Kind: "fetch"})
	remove := runsCommand("rm -rf build")
	once := func(call map[string]any) []step { return []step{announces("c", call), completes("c")} }
	patch := map[string]any{"kind": "other", "rawInput": map[string]any{"input": "*** Begin Patch\n*** Add File: n.txt\n+x\n*** End Patch\n"}}
	lines := map[string]any{"kind": "other", "rawInput": map[string]any{"commands": []string{"rm -rf build"}}}
	for name, c := range map[string]struct {
		mode  string
		steps func(r *room) []step
		want  []string
		about string // in the history, "" for nothing
	}{
		"a command, read-only":           {"read-only", func(*room) []step { return once(remove) }, []string{"completed Call c: read-only"}, "rm -rf build: unasked by mode read-only"},
		"commands in a list, read-only":  {"read-only", func(*room) []step { return once(lines) }, []string{"completed Call c: read-only"}, "rm -rf build: unasked by mode read-only"},
		"a patch, read-only":             {"read-only", func(*room) []step { return once(patch) }, []string{"completed Call c: read-only"}, "n.txt: unasked by mode read-only"},
		"a command, always ask":          {"ask", func(*room) []step { return once(remove) }, []string{"completed Call c: ask"}, "rm -rf build: unasked by mode ask"},
		"a command that a rule rejects":  {"rules", func(*room) []step { return once(runsCommand("git push")) }, []string{"completed Call c: git push"}, "git push: unasked by rule git push"},
		"an edit that a rule rejects":    {"rules", func(*room) []step { return once(changing("secret/a", "", "x")) }, []string{"completed Call c: secret/**"}, "secret/a: unasked by rule secret/**"},
		"a command in a space of rules":  {"rules", func(*room) []step { return once(remove) }, nil, ""},
		"one that only reads, read-only": {"read-only", func(*room) []step { return once(runsCommand("ls")) }, nil, ""},
		"refused, and not done": {"read-only", func(*room) []step {
			return []step{announces("c", remove), asksFor("c", remove), shows("tool_call_update", "c", "failed", nil)}
		}, nil, "rm -rf build: refused by mode read-only"},
		"a file that no call names, read-only": {"read-only", func(r *room) []step {
			return []step{writesItself(r.path("seen.txt"), "changed")}
		}, []string{"completed Changed seen.txt: read-only, found"}, "seen.txt: unasked by mode read-only"},
		"a file that was refused and is written all the same": {"read-only", func(r *room) []step {
			edit := changing(r.path("seen.txt"), "old", "changed")
			return []step{announces("c", edit), asksFor("c", edit), writesItself(r.path("seen.txt"), "changed"), shows("tool_call_update", "c", "failed", nil)}
		}, []string{"completed Changed seen.txt: read-only, found"}, "seen.txt: refused by mode read-only"},
		"two files that no call names": {"read-only", func(r *room) []step {
			return []step{writesItself(r.path("seen.txt"), "changed"), writesItself(r.path("new.txt"), "new")}
		}, []string{"completed Changed 2 files: read-only, found"}, "new.txt\nseen.txt: unasked by mode read-only"},
		"a file that a rule rejects": {"rules", func(r *room) []step {
			return []step{writesItself(r.path("secret/old"), "changed"), writesItself(r.path("seen.txt"), "changed")}
		}, []string{"completed Changed secret/old: secret/**, found"}, "secret/old: unasked by rule secret/**"},
		"reading a file that a rule rejects": {"rules", func(r *room) []step {
			return once(map[string]any{"kind": "read", "rawInput": map[string]any{"path": r.path("secret/old")}})
		}, []string{"completed Call c: secret/**"}, "secret/old: unasked by rule secret/**"},
		"reading it, by its location": {"ask", func(r *room) []step {
			return once(map[string]any{"kind": "read", "locations": []any{map[string]any{"path": r.path("secret/old")}}})
		}, []string{"completed Call c: secret/**"}, "secret/old: unasked by rule secret/**"},
		"reading it among others, as another kind": {"read-only", func(r *room) []step {
			return once(map[string]any{"kind": "other", "rawInput": map[string]any{"files": []any{map[string]any{"path": "seen.txt"}, map[string]any{"path": "secret/old"}}}})
		}, []string{"completed Call c: secret/**"}, "seen.txt\nsecret/old: unasked by rule secret/**"},
		"reading it by a command": {
			"rules", func(*room) []step { return once(runsCommand("cat secret/old")) },
			[]string{"completed Call c: secret/**"},
			"cat secret/old: unasked by rule secret/**",
		},
		"reading another file": {"rules", func(r *room) []step {
			return once(map[string]any{"kind": "read", "rawInput": map[string]any{"path": r.path("seen.txt")}})
		}, nil, ""},
		"reading it through Weft, which refuses": {"rules", func(r *room) []step {
			call := map[string]any{"kind": "read", "rawInput": map[string]any{"path": r.path("secret/old")}}
			return []step{announces("c", call), reads(r.path("secret/old")), completes("c")}
		}, nil, "secret/old: refused by rule secret/**"},
		"asking, refused, and told to be complete": {"rules", func(r *room) []step {
			call := map[string]any{"kind": "read", "rawInput": map[string]any{"path": r.path("secret/old")}}
			return []step{announces("c", call), asksFor("c", call), completes("c")}
		}, nil, "secret/old: refused by rule secret/**"},
		"reading it in vain": {"rules", func(r *room) []step {
			call := map[string]any{"kind": "read", "rawInput": map[string]any{"path": r.path("secret/old")}}
			return []step{announces("c", call), shows("tool_call_update", "c", "failed", nil)}
		}, nil, ""},
		"searching the folder above": {"rules", func(*room) []step {
			return once(map[string]any{"kind": "search", "rawInput": map[string]any{"path": ".", "pattern": "x"}})
		}, nil, ""},
		"a file read through Weft and then changed": {"read-only", func(r *room) []step {
			return []step{reads(r.path("seen.txt")), writesItself(r.path("seen.txt"), "changed")}
		}, []string{"completed Changed seen.txt: read-only, found"}, "seen.txt: unasked by mode read-only"},
		"a kind that a rule rejects": {"rules", func(*room) []step {
			return once(map[string]any{"kind": "fetch", "rawInput": map[string]any{"url": "https://example.org"}})
		}, []string{"completed Call c: fetch"}, ": unasked by rule fetch"},
		"a file in a space of rules": {"rules", func(r *room) []step { return []step{writesItself(r.path("seen.txt"), "changed")} }, nil, ""},
		"a file that its own command changes, told once": {"read-only", func(r *room) []step {
			touch := runsCommand("touch seen.txt")
			return []step{announces("c", touch), writesItself(r.path("seen.txt"), "changed"), completes("c")}
		}, []string{"completed Call c: read-only"}, "touch seen.txt: unasked by mode read-only"},
		"a file that its own edit changes, told once": {"read-only", func(r *room) []step {
			edit := changing(r.path("seen.txt"), "old", "changed")
			return []step{announces("c", edit), writesItself(r.path("seen.txt"), "changed"), completes("c")}
		}, []string{"completed Call c: read-only"}, "seen.txt: unasked by mode read-only"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := a.scripted(t, "steps", name)
			r.put(t, "seen.txt", "old")
			if err := os.Mkdir(r.path("secret"), 0o700); err != nil {
				t.Fatal(err)
			}
			r.put(t, "secret/old", "old")
			r.mode(t, c.mode)
			r.steps(t, always("yes"), c.steps(r)...)
			// The end of the next turn comes after everything that was found in the first one.
			r.quiet(t)
			var got []string
			r.st.until(t, fmt.Sprintf("%q is told", c.want), func(v *seen) bool {
				got = notAsked(v)
				return len(c.want) == 0 || slices.Equal(got, c.want)
			})
			if len(got) != len(c.want) {
				t.Errorf("told as not asked: %q", got)
			}
			history := a.history(t, permissions.HistoryRequest{SpaceID: r.id})
			for i := range history {
				history[i] = strings.ReplaceAll(strings.ReplaceAll(history[i], r.folder+"/", ""), "  ", " ")
			}
			if c.about == "" && len(history) > 0 || c.about != "" && !slices.Contains(history, c.about) {
				t.Errorf("the history has %q, want %q", history, c.about)
			}
		})
	}
}

// quiet waits until what the last turn changed on disk has been looked for.
func (r *room) quiet(t testing.TB) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(timeout); ; <-tick.C {
		var found struct{ Watching bool }
		r.do(t, "ReviewChanges", r.ref(), &found)
		if !found.Watching {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the folder is still being looked at")
		}
	}
}
