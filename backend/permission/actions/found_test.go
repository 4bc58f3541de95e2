package actions

import (
	"fmt"
	"slices"
	"testing"

	"weft/backend/permission"
	"weft/backend/permission/files"
)

// foundIn is a turn in a read-only space of that folder, in which a file was found.
func foundIn() *Turn {
	t := &Turn{}
	t.Found.Begin(false, permission.ReadOnly, permission.NewSet(nil))
	t.Found.Add([]string{"a.txt"}, true, nil)
	return t
}

// A found file counts unless something explains it.
func TestFoundFileCountsUnlessExplained(t *testing.T) {
	t.Parallel()
	at := permission.Place{SpaceID: "s", Folder: t.TempDir()}
	rules := permission.NewSet(nil)
	edit := &permission.Subject{Place: at, Kind: Edit, Files: []files.File{{Named: "a.txt", Real: "a.txt"}}}
	for name, c := range map[string]struct {
		change  func(*Turn)
		mode    permission.Mode
		counts  bool
		certain bool
	}{
		"nothing else":        {counts: true},
		"Weft was asked":      {change: func(t *Turn) { t.Note(&Action{Kind: Edit, Files: []string{Path(at.Folder, "a.txt")}}) }},
		"Weft refused":        {change: func(t *Turn) { t.Note(&Action{Kind: Edit, Files: []string{Path(at.Folder, "a.txt")}, Refused: true}) }, counts: true, certain: true},
		"asked to read":       {change: func(t *Turn) { t.Note(&Action{Kind: Read, Files: []string{Path(at.Folder, "a.txt")}}) }, counts: true},
		"asked for another":   {change: func(t *Turn) { t.Note(&Action{Kind: Edit, Files: []string{Path(at.Folder, "b.txt")}}) }, counts: true},
		"a command":           {change: func(t *Turn) { t.Note(&Action{Kind: Execute, Runs: []Run{{Command: "make"}}}) }},
		"a refused command":   {change: func(t *Turn) { t.Note(&Action{Kind: Execute, Runs: []Run{{Command: "make"}}, Refused: true}) }, counts: true},
		"a reported edit":     {change: func(t *Turn) { t.Found.Reported(edit) }},
		"a reported command":  {change: func(t *Turn) { t.Found.Reported(&permission.Subject{Place: at, Kind: Execute, Line: "make"}) }},
		"a call ended":        {change: func(t *Turn) { t.Found.Ended(&Ended{About: edit}) }, counts: true, certain: true},
		"its own files ended": {change: func(t *Turn) { t.Found.Ended(&Ended{About: edit, Kept: true}) }, counts: true},
		"another run": {change: func(t *Turn) {
			t.Found.Ended(&Ended{About: edit})
			t.Found.Add(nil, false, nil)
		}, counts: true},
		"a sandbox":            {change: func(t *Turn) { t.Found.sandboxed = true }},
		"the mode has changed": {mode: permission.AskAlways},
		"too much to keep": {change: func(t *Turn) {
			for i := range maxAnswers {
				t.Note(&Action{Kind: Edit, Files: []string{fmt.Sprint("/", i)}, Refused: true})
			}
		}},
	} {
		turn := foundIn()
		turn.Found.rules = rules
		if c.change != nil {
			c.change(turn)
		}
		mode := permission.ReadOnly
		if c.mode != "" {
			mode = c.mode
		}
		g, ok := turn.JudgeFound(at, rules, mode)
		if ok != c.counts || g.Certain != c.certain {
			t.Errorf("%s: counts %v, certain %v", name, ok, g.Certain)
		}
		if ok && (g.Call.Title != "Changed a.txt" || g.Call.Kind != Edit || g.Decision.Mode != permission.ReadOnly) {
			t.Errorf("%s: %+v", name, g)
		}
		if turn.Found.Waiting() {
			t.Errorf("%s: files still wait", name)
		}
	}
}

func TestFoundFilesAreReportedOncePerReason(t *testing.T) {
	t.Parallel()
	at := permission.Place{SpaceID: "s", Folder: t.TempDir()}
	rules := permission.NewSet(nil)
	turn := &Turn{}
	turn.Found.Begin(false, permission.ReadOnly, rules)
	var paths []string
	for i := range 2 * maxFoundFiles {
		paths = append(paths, fmt.Sprintf("%03d.txt", 999-i))
	}
	for round := range 2 * maxFoundGroups {
		turn.Found.Add(append(paths, paths...), true, nil)
		g, ok := turn.JudgeFound(at, rules, permission.ReadOnly)
		if ok != (round < maxFoundGroups) {
			t.Fatalf("round %d: %v", round, ok)
		}
		if ok && (len(g.Call.Paths) != maxFoundFiles || !slices.IsSorted(g.Call.Paths) || g.Call.Title != fmt.Sprintf("Changed %d files", maxFoundFiles)) {
			t.Fatalf("%+v", g)
		}
	}
}

// The turn knows what Weft was asked about or asked to read, whatever the agent calls it.
func TestTurnKnowsWhatWeftWasAskedAbout(t *testing.T) {
	t.Parallel()
	var turn Turn
	turn.Note(&Action{Kind: Edit, Files: []string{"/a", "/b"}})
	turn.Note(&Action{Kind: Execute, Runs: []Run{{Command: "ls"}}})
	turn.NoteReads([]string{"/c"})
	for _, c := range []struct {
		a    Action
		want bool
	}{
		{Action{Kind: Edit, Files: []string{"/b"}}, true},
		{Action{Kind: Edit, Files: []string{"/c"}}, false},
		{Action{Kind: Read, Files: []string{"/a"}}, false},
		{Action{Kind: Execute, Runs: []Run{{Command: "ls"}}}, true},
		{Action{Kind: Execute, Runs: []Run{{Command: "rm"}}}, false},
		{Action{Kind: Execute}, false},
	} {
		if got := turn.Knows(&c.a); got != c.want {
			t.Errorf("%+v is known: %v", c.a, got)
		}
	}
	if !turn.HasRead(&Action{Files: []string{"/x", "/c"}}) || turn.HasRead(&Action{Files: []string{"/a"}}) {
		t.Error("the files that were read are others")
	}
}
