package patch

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// edit is a text before and after a change, and the lines of the change.
type edit struct {
	old, now string
	steps    []Line // of the whole file
}

// randomEdit returns a random file with any line ends and changes some of its lines.
func randomEdit(r *rand.Rand) (e edit) {
	end := "\n"
	if r.IntN(3) == 0 {
		end = "\r\n"
	}
	n := r.IntN(40)
	line := func(i int) string {
		switch r.IntN(6) {
		case 0:
			return fmt.Sprintf("%s// %d — größe", strings.Repeat("\t", r.IntN(3)), i)
		case 1:
			return fmt.Sprintf("--- %d", i)
		case 2:
			return fmt.Sprintf("+++ %d ++", i)
		case 3:
			return fmt.Sprintf("@@ %d @@", i)
		case 4:
			return fmt.Sprintf("*** %d ***", i)
		}
		return fmt.Sprintf("    return %d;  ", i)
	}
	for i := range n {
		switch r.IntN(8) {
		case 0:
			e.steps = append(e.steps, Line{'-', line(i)})
		case 1:
			e.steps = append(e.steps, Line{'-', line(i)}, Line{'+', line(1000 + i)})
		case 2:
			e.steps = append(e.steps, Line{' ', line(i)}, Line{'+', line(2000 + i)}, Line{'+', ""})
		default:
			e.steps = append(e.steps, Line{' ', line(i)})
		}
	}
	var old, now strings.Builder
	for _, s := range e.steps {
		if s.Kind != '+' {
			old.WriteString(s.Text + end)
		}
		if s.Kind != '-' {
			now.WriteString(s.Text + end)
		}
	}
	e.old, e.now = old.String(), now.String()
	return e
}

// own returns an edit in the apply_patch format with up to 3 context lines, or "" if it has no lines to locate it by.
func (e *edit) own(r *rand.Rand, name string) string {
	around := r.IntN(4)
	var b strings.Builder
	framed := r.IntN(3) > 0
	if framed {
		b.WriteString("*** Begin Patch\n")
	}
	b.WriteString("*** Update File: " + name + "\n")
	last := -1 // last written step
	for i := 0; i < len(e.steps); i++ {
		if e.steps[i].Kind == ' ' {
			continue
		}
		from := i
		for k := 0; k < around && from-1 > last && e.steps[from-1].Kind == ' '; k++ {
			from--
		}
		to := i
		for to+1 < len(e.steps) && e.steps[to+1].Kind != ' ' {
			to++
		}
		for k := 0; k < around && to+1 < len(e.steps) && e.steps[to+1].Kind == ' '; k++ {
			to++
		}
		found := false
		for _, s := range e.steps[from : to+1] {
			found = found || s.Kind != '+'
		}
		if !found {
			return ""
		}
		mark := ""
		if r.IntN(3) == 0 && from-1 > last {
			if s := e.steps[last+1+r.IntN(from-1-last)]; s.Kind == ' ' && s.Text != "" && !strings.HasPrefix(s.Text, "@@") {
				mark = " " + s.Text
			}
		}
		b.WriteString("@@" + mark + "\n")
		for _, s := range e.steps[from : to+1] {
			b.WriteString(string(s.Kind) + s.Text + "\n")
		}
		if to == len(e.steps)-1 && r.IntN(2) == 0 {
			b.WriteString(endOfFile + "\n")
		}
		last, i = to, to
	}
	if last < 0 {
		return ""
	}
	if framed {
		b.WriteString("*** End Patch")
		if r.IntN(2) == 0 {
			b.WriteString("\n")
		}
	}
	return b.String()
}

func TestRandomPatchesOfApplyPatchFit(t *testing.T) {
	t.Parallel()
	tried := 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		e := randomEdit(r)
		p := e.own(r, "a.txt")
		if p == "" {
			continue
		}
		tried++
		files := Parse(p)
		if len(files) != 1 {
			t.Fatalf("seed %d: read as %d files\n%s", seed, len(files), p)
		}
		now, err := files[0].Apply(e.old)
		if err != nil || now != e.now {
			t.Fatalf("seed %d: %v\n%s\non %q\ngot  %q\nwant %q", seed, err, p, e.old, now, e.now)
		}
	}
	if tried < 1000 {
		t.Errorf("only %d patches", tried)
	}
}

// TestPatchesOfGitFit applies patches made by git.
func TestPatchesOfGitFit(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git isn't installed")
	}
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		e := randomEdit(r)
		if r.IntN(3) == 0 {
			e.now = strings.TrimRight(e.now, "\r\n")
		}
		if r.IntN(3) == 0 {
			e.old = strings.TrimRight(e.old, "\r\n")
		}
		if e.old == e.now {
			continue
		}
		write("old", e.old)
		write("new", e.now)
		args := []string{"diff", "--no-index", "--no-color", fmt.Sprintf("-U%d", r.IntN(5))}
		if r.IntN(2) == 0 {
			args = append(args, "--no-prefix")
		}
		cmd := exec.CommandContext(t.Context(), "git", append(args, "--text", "old", "new")...)
		cmd.Dir = dir
		out, _ := cmd.Output() // it exits with 1 if they differ
		files := Parse(string(out))
		if len(files) != 1 || files[0].Path != "old" || files[0].To != "new" {
			t.Fatalf("seed %d: read as %+v\n%s", seed, files, out)
		}
		now, err := files[0].Apply(e.old)
		if err != nil || strings.ReplaceAll(now, "\r", "") != strings.ReplaceAll(e.now, "\r", "") {
			t.Fatalf("seed %d: %v\n%s\non %q\ngot  %q\nwant %q", seed, err, out, e.old, now, e.now)
		}
		back, err := files[0].Revert(e.now)
		if err != nil || strings.ReplaceAll(back, "\r", "") != strings.ReplaceAll(e.old, "\r", "") {
			t.Fatalf("seed %d: taken back: %v\n%s\non %q\ngot  %q\nwant %q", seed, err, out, e.now, back, e.old)
		}
	}
}

// Parsing and applying any patch terminates, and returns an error for a file that doesn't fit.
func FuzzPatch(f *testing.F) {
	for _, p := range []string{"*** Begin Patch\n*** Update File: a\n@@ x\n-a\n+b\n*** End Patch", "--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n", "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,0 +1 @@\n+b\n\\ No newline at end of file\n"} {
		f.Add(p, "a\n")
	}
	f.Fuzz(func(t *testing.T, p, old string) {
		for _, file := range Parse(p) {
			if file.Path == "" {
				t.Errorf("a file without a name in %q", p)
			}
			if now, err := file.Apply(old); err == nil {
				_, _ = file.Revert(now)
			}
		}
	})
}
