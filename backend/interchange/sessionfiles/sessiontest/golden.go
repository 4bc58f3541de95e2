package sessiontest

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft/backend/interchange/sessionfiles"
)

var update = flag.Bool("update", false, "write what is drawn to testdata/drawn.txt")

// Golden compares what is drawn of all conversations of a home with testdata/drawn.txt.
func Golden(t *testing.T, p sessionfiles.Program, home string) {
	t.Helper()
	var all []string
	for _, src := range Find(t, p, home) {
		paths, notes, err := Read(t, p, src)
		text := "== " + filepath.Base(src.Path)
		if src.Parent != "" {
			text += " (of " + src.Parent + ")"
		}
		text += "\n"
		if err != nil {
			text += "error: " + err.Error() + "\n"
		}
		for _, note := range notes {
			text += "note: " + note + "\n"
		}
		for _, path := range paths {
			text += path.Draw()
		}
		all = append(all, text)
	}
	slices.Sort(all)
	got := strings.Join(all, "\n")
	const file = "testdata/drawn.txt"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		for i, line := range strings.Split(got, "\n") {
			if lines := strings.Split(string(want), "\n"); i >= len(lines) || lines[i] != line {
				t.Fatalf("line %d is\n%s", i+1, line)
			}
		}
		t.Fatal("lines are missing at the end")
	}
}

// Again checks that a source that is read again after it was read up to some entry only gives what is new: what was
// written then and now is what is written at once. cut returns the source as it was after n lines; it returns false
// when there are no more.
func Again(t *testing.T, p sessionfiles.Program, src sessionfiles.Source, cut func(n int) (sessionfiles.Source, bool)) {
	t.Helper()
	whole, _, err := Read(t, p, src)
	if err != nil || len(whole) == 0 {
		t.Fatalf("%s: %v, %d paths", src.Path, err, len(whole))
	}
	want := whole[0].Draw()
	for n := 1; ; n++ {
		part, more := cut(n)
		if !more {
			return
		}
		before, _, err := Read(t, p, part)
		if err != nil {
			t.Fatal(err)
		}
		if len(before) == 0 || before[0].Read.Entries == 0 {
			continue
		}
		s := &sink{t: t, known: []sessionfiles.Known{before[0].Read}, resumed: before[0]}
		if _, err := read(p, src, s); err != nil {
			t.Fatalf("%s after %d lines: %v", src.Path, n, err)
		}
		if got := s.paths[0].Draw(); got != want {
			t.Fatalf("%s after %d lines: got\n%s\nwant\n%s", src.Path, n, got, want)
		}
	}
}

// Lines returns the first n lines of a file, in a copy of the home that it is in; false where it has no more.
func Lines(t *testing.T, home string, src sessionfiles.Source) func(n int) (sessionfiles.Source, bool) {
	t.Helper()
	text, err := os.ReadFile(src.Path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(home)); err != nil {
		t.Fatal(err)
	}
	rel, err := filepath.Rel(home, src.Path)
	if err != nil {
		t.Fatal(err)
	}
	return func(n int) (sessionfiles.Source, bool) {
		if n >= len(lines) {
			return src, false
		}
		part := src
		part.Path = filepath.Join(dir, rel)
		if err := os.WriteFile(part.Path, []byte(strings.Join(lines[:n], "")), 0o600); err != nil {
			t.Fatal(err)
		}
		return part, true
	}
}
