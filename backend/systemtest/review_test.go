//go:build linux

package systemtest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/backend/api/service/changes"
	"weft/backend/api/service/ref"
	"weft/backend/changes/review"
	"weft/backend/store/permissions"
)

// edits does what each prompt says, one line after the other: "fs PATH TEXT" has Weft write a file, "sh
// COMMAND" runs a command as a tool call, "quiet COMMAND" runs one and tells nothing.
func edits(a *scripted) {
	a.open()
	for {
		for n, line := range strings.Split(a.prompt(), "\n") {
			what, rest, _ := strings.Cut(line, " ")
			id := fmt.Sprint("e", n)
			switch what {
			case "fs":
				path, text, _ := strings.Cut(rest, " ")
				cwd, _ := os.Getwd()
				params, _ := json.Marshal(map[string]string{"sessionId": a.session, "path": filepath.Join(cwd, path), "content": strings.ReplaceAll(text, `\n`, "\n")})
				a.request(`"`+id+`"`, "fs/write_text_file", string(params))
			case "sh":
				a.update(`{"sessionUpdate":"tool_call","toolCallId":` + quote(id) + `,"title":` + quote(rest) + `,"kind":"execute","status":"in_progress"}`)
				fallthrough
			case "quiet":
				if out, err := exec.Command("/bin/sh", "-c", rest).CombinedOutput(); err != nil {
					fmt.Fprintln(os.Stderr, rest, err, string(out))
				}
				if what == "sh" {
					a.callUpdate(id, "completed", "")
				}
			}
		}
		a.say("Done.")
		a.end("end_turn")
	}
}

// changes waits until everything of a space has been looked at, and returns what needs review.
func (r *room) changes(t testing.TB) []review.File {
	t.Helper()
	deadline := time.Now().Add(timeout)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		var c review.Changes
		r.do(t, "ReviewChanges", r.ref(), &c)
		if !c.Watching {
			return c.Files
		}
		if time.Now().After(deadline) {
			t.Fatal("the turn is looked at for ever")
		}
		<-tick.C
	}
}

func lines(files []review.File) []string {
	out := []string{}
	for _, f := range files {
		out = append(out, fmt.Sprintf("%s %s +%d -%d", f.What, f.Path, f.Added, f.Removed))
	}
	return out
}

func TestReviewCoversEveryWayToWrite(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	a.rule(t, permissions.Rule{Effect: "allow", Kind: "edit"})
	r := a.scripted(t, "edits")
	for name, text := range map[string]string{"a.txt": "1\r\n2\r\n", "b.txt": "b", "c.txt": "c\n", ".gitignore": "*.env\n", "x.env": "A=1\n"} {
		if err := os.WriteFile(filepath.Join(r.folder, name), []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	r.turn(t, "fs a.txt 1\\nTWO\\n\nsh rm c.txt; mkdir -p new/dir; echo n > new/dir/n.txt\nquiet echo more >> b.txt\nfs x.env A=2\nsh echo again >> a.txt", "end_turn")
	if got, want := lines(r.changes(t)), []string{"edited a.txt +3 -2", "edited b.txt +1 -1", "deleted c.txt +0 -1", "added new/dir/n.txt +1 -0", "edited x.env +1 -1"}; !slices.Equal(got, want) {
		t.Errorf("to review:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	r.st.reset()
	res := r.send(t, "fs a.txt last\nquiet rm -r new")
	r.ended(t, "end_turn")
	r.changes(t)
	var plan review.UndoPlan
	r.do(t, "PlanUndo", ref.MessageRef{SpaceID: r.id, MessageID: res.PromptID}, &plan)
	if len(plan.Files) != 2 || !plan.Known {
		t.Errorf("%+v", plan)
	}
	var out review.Outcome
	r.do(t, "UndoSince", changes.UndoRequest{SpaceID: r.id, MessageID: res.PromptID}, &out)
	if out.Done != 2 {
		t.Errorf("%+v", out)
	}
	r.do(t, "RejectChanges", changes.DecideRequest{SpaceID: r.id}, &out)
	if len(out.Left) > 0 {
		t.Errorf("%+v", out)
	}
	for name, want := range map[string]string{"a.txt": "1\r\n2\r\n", "b.txt": "b", "c.txt": "c\n", "x.env": "A=1\n"} {
		got, err := os.ReadFile(filepath.Join(r.folder, name))
		info, statErr := os.Stat(filepath.Join(r.folder, name))
		if err != nil || statErr != nil || string(got) != want || info.Mode().Perm() != 0o640 {
			t.Errorf("%s holds %q (%v, %v), want %q", name, got, err, info, want)
		}
	}
	if _, err := os.Stat(filepath.Join(r.folder, "new")); !os.IsNotExist(err) {
		t.Error("the folder that was made is still there")
	}
	r.check(t)
}

// TestKillWhileRejecting kills the app at random moments of a reject-all: every file is the old or the new
// one, and what needs review then is what was not put back.
func TestKillWhileRejecting(t *testing.T) {
	t.Parallel()
	const files = 120
	rounds := 12
	if brief() {
		rounds = 3
	}
	home := t.TempDir()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	put := func(text string) {
		for i := range files {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%03d.txt", i)), []byte(fmt.Sprintf("%s %d\n", text, i)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	held := func(i int) string {
		b, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("f%03d.txt", i)))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	spaceID, middle := "", 0
	for n := range rounds {
		put("old")
		a, err := tryLaunch(home)
		if err != nil {
			t.Fatal(err)
		}
		if spaceID == "" {
			spaceID = a.enter(t, dir, a.custom(t, "Edits", scriptedProgram, nil, "scripted", "edits")).id
		}
		r := a.reenter(t, dir, spaceID)
		r.do(t, "AcceptChanges", changes.DecideRequest{SpaceID: spaceID}, nil)
		r.turn(t, fmt.Sprintf(`sh for i in $(seq 0 %d); do printf 'new %%d\n' $i > f$(printf %%03d $i).txt; done`, files-1), "end_turn")
		if got := len(r.changes(t)); got != files {
			t.Fatalf("round %d: %d files to review, want %d", n, got, files)
		}
		go func() { _ = a.try("RejectChanges", changes.DecideRequest{SpaceID: spaceID}, nil) }()
		wait := time.NewTimer(time.Duration(rnd.IntN(120)) * time.Millisecond)
		<-wait.C
		a.kill()
		r.st.close()
		a.sound(t)
		if a, err = tryLaunch(home); err != nil {
			t.Fatal(err)
		}
		r = a.reenter(t, dir, spaceID)
		open := map[string]bool{}
		for _, f := range r.changes(t) {
			open[f.Path] = true
		}
		for i := range files {
			name := fmt.Sprintf("f%03d.txt", i)
			switch text := held(i); text {
			case fmt.Sprintf("old %d\n", i):
				if open[name] {
					t.Errorf("round %d: %s was put back and needs review", n, name)
				}
			case fmt.Sprintf("new %d\n", i):
				if !open[name] {
					t.Errorf("round %d: %s was not put back and is not to be reviewed", n, name)
				}
			default:
				t.Errorf("round %d: %s holds %q", n, name, text)
			}
		}
		if len(open) > 0 && len(open) < files {
			middle++
		}
		if len(open) > 0 {
			var out review.Outcome
			r.do(t, "RejectChanges", changes.DecideRequest{SpaceID: spaceID}, &out)
			if out.Done != len(open) {
				t.Errorf("round %d: %+v", n, out)
			}
		}
		for i := range files {
			if want := fmt.Sprintf("old %d\n", i); held(i) != want {
				t.Errorf("round %d: file %d holds %q in the end", n, i, held(i))
			}
		}
		list, _ := os.ReadDir(dir)
		for _, e := range list {
			if strings.HasPrefix(e.Name(), ".weft-") {
				t.Errorf("round %d left %s", n, e.Name())
			}
		}
		r.st.close()
		a.stop(t)
	}
	t.Logf("%d of %d kills came in the middle", middle, rounds)
}
