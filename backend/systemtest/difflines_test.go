//go:build linux

package systemtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestDiffsOfAPartBeginAtTheFilesLine: a diff that an agent cuts out of a file is numbered by the lines of that file, where it is certain which.
func TestDiffsOfAPartBeginAtTheFilesLine(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	lines := func(end string) string {
		var b strings.Builder
		for i := range 40 {
			fmt.Fprintf(&b, "line %d.%s", i+1, end)
		}
		return b.String()
	}
	whole := lines("\n")
	for name, c := range map[string]struct {
		file  string
		steps func(path string) []step
		want  int
	}{
		"asked about": {whole, func(path string) []step {
			call := changing(path, "line 7.\nline 8.\n", "line 7.\nline eight.\n")
			return []step{shows("tool_call", "c", "pending", call), asksFor("c", call)}
		}, 7},
		"within a line": {whole, func(path string) []step {
			return []step{shows("tool_call", "c", "pending", changing(path, "ne 21", "ne XXI"))}
		}, 21},
		"shown when it is done": {whole, func(path string) []step {
			return []step{writesItself(path, strings.Replace(whole, "line 8.", "line eight.", 1)), shows("tool_call", "c", "completed", changing(path, "line 8.\n", "line eight.\n"))}
		}, 8},
		"shown before and after": {whole, func(path string) []step {
			call := changing(path, "line 30.", "line 3.") // which is there twice then
			return []step{shows("tool_call", "c", "pending", call), asksFor("c", call), writesItself(path, strings.Replace(whole, "line 30.", "line 3.", 1)), shows("tool_call_update", "c", "completed", call)}
		}, 30},
		"in a file with other line ends": {lines("\r\n"), func(path string) []step {
			return []step{shows("tool_call", "c", "pending", changing(path, "line 7.\nline 8.\n", "line 7.\n"))}
		}, 7},
		"there twice": {whole + whole, func(path string) []step {
			return []step{shows("tool_call", "c", "pending", changing(path, "line 7.\n", "x\n"))}
		}, 0},
		"the whole file": {whole, func(path string) []step {
			return []step{shows("tool_call", "c", "pending", changing(path, whole, "x\n"))}
		}, 0},
		"not there": {whole, func(path string) []step {
			return []step{shows("tool_call", "c", "pending", changing(path, "line 99.\n", "x\n"))}
		}, 0},
		"a new file": {"", func(path string) []step {
			return []step{shows("tool_call", "c", "pending", changing(path, "", "x\n"))}
		}, 0},
		"outside the folder": {whole, func(string) []step {
			return []step{shows("tool_call", "c", "pending", changing("/etc/passwd", "root", "x"))}
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := a.scripted(t, "steps", "deaf")
			r.put(t, "src/a.ts", c.file)
			r.mode(t, "ask")
			r.steps(t, always("no"), c.steps(r.path("src/a.ts"))...)
			r.st.now(func(v *seen) {
				call := v.call("c")
				if len(call.Content) != 1 || call.Content[0].Line != c.want {
					t.Errorf("%+v, want line %d", call.Content, c.want)
				}
			})
			r.check(t)
		})
	}
}

// TestRandomDiffsOfAPartBeginAtTheFilesLine cuts random parts out of random files.
func TestRandomDiffsOfAPartBeginAtTheFilesLine(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "steps", "deaf")
	r.mode(t, "ask")
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 22))
		var lines []string
		for range 1 + rnd.IntN(30) {
			lines = append(lines, strings.Repeat([]string{"a", "b", "日", " "}[rnd.IntN(4)], rnd.IntN(4)))
		}
		end := []string{"\n", "\r\n"}[rnd.IntN(2)]
		file := strings.Join(lines, end)
		r.put(t, "src/a.ts", file)
		from := rnd.IntN(len(lines))
		part := strings.Join(lines[from:from+1+rnd.IntN(len(lines)-from)], "\n")
		if part == "" {
			continue
		}
		flat := strings.Join(lines, "\n")
		want := 0
		if at := strings.Index(flat, part); strings.LastIndex(flat, part) == at {
			want = 1 + strings.Count(flat[:at], "\n")
		}
		if want == 1 {
			want = 0
		}
		r.steps(t, always("no"), shows("tool_call", "c", "pending", changing(r.path("src/a.ts"), part, "something else")))
		r.st.now(func(v *seen) {
			if got := v.call("c").Content[0].Line; got != want {
				t.Fatalf("seed %d: %q of %q is at line %d, want %d", seed, part, flat, got, want)
			}
		})
	}
	r.check(t)
}
