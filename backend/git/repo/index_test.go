package repo

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestIndexIsReadAsGitReadsIt writes indexes of each version and compares their submodules with those that git lists.
func TestIndexIsReadAsGitReadsIt(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	for _, format := range []string{"sha1", "sha256"} {
		for version := 2; version <= 4; version++ {
			t.Run(fmt.Sprintf("%s version %d", format, version), func(t *testing.T) {
				dir := t.TempDir()
				git := func(input string, args ...string) string {
					t.Helper()
					cmd := exec.CommandContext(t.Context(), "git", args...)
					cmd.Dir, cmd.Stdin = dir, strings.NewReader(input)
					out, err := cmd.Output()
					if err != nil {
						t.Fatalf("git %v: %v", args, err)
					}
					return string(out)
				}
				git("", "init", "-q", "--object-format="+format)
				git("", "config", "index.version", fmt.Sprint(version))
				commit := strings.Repeat("1234567890", 7)[:map[string]int{"sha1": 40, "sha256": 64}[format]]
				var input strings.Builder
				var want []string
				blob := strings.TrimSpace(git("x", "hash-object", "-w", "--stdin"))
				for i := range 200 {
					name := fmt.Sprintf("%s/%d", strings.Repeat("d", 1+i%40), i)
					if i%3 == 0 {
						fmt.Fprintf(&input, "160000 %s\t%s\n", commit, name)
						want = append(want, name)
					} else {
						fmt.Fprintf(&input, "100644 %s\t%s\n", blob, name)
					}
				}
				if got, err := mustOpen(t, dir).gitlinks(); len(got) != 0 || err != nil {
					t.Errorf("without an index: %v, %v", got, err)
				}
				git(input.String(), "update-index", "--index-info")
				if err := os.WriteFile(filepath.Join(dir, "later"), nil, 0o600); err != nil {
					t.Fatal(err)
				}
				git("", "add", "--intent-to-add", "later") // makes longer entries
				got, err := mustOpen(t, dir).gitlinks()
				slices.Sort(got)
				slices.Sort(want)
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("%d submodules, %v; want %d", len(got), err, len(want))
				}
				git("", "update-index", "--split-index")
				if got, err := mustOpen(t, dir).gitlinks(); err == nil && !slices.Equal(got, want) {
					t.Errorf("a split index: %d submodules", len(got))
				}
			})
		}
	}
}

func mustOpen(t *testing.T, dir string) *Repository {
	t.Helper()
	r, err := Find(dir)
	if err != nil || r == nil {
		t.Fatalf("%v, %v", r, err)
	}
	return r
}

// FuzzIndex reads what may be an index: whatever it is, nothing panics.
func FuzzIndex(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x01"+strings.Repeat("\x00", 90)), 20)
	f.Fuzz(func(_ *testing.T, text []byte, id int) {
		_, _ = linksOf(text, []int{20, 32}[id&1])
	})
}
