package repo

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestNestedRepositoriesAreFound compares what is found with the submodules that git add makes.
func TestNestedRepositoriesAreFound(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	for _, c := range []struct {
		name, ignore string
		dirs         []string // with a repository
		want         bool
	}{
		{"none", "", nil, false},
		{"one", "", []string{"inner"}, true},
		{"far below", "build\n", []string{"a/b/c/d"}, true},
		{"ignored by name", "*.o\nbuild\n", []string{"build"}, false},
		{"ignored by name below", "build/\n", []string{"a/build", "a/build/c"}, false},
		{"ignored by path", "/out\ndeep/out/\n", []string{"out", "deep/out"}, false},
		{"ignored elsewhere", "/out\ndeep/out/\n", []string{"x/out"}, true},
		{"another name", "build\n", []string{"build2"}, true},
		{"taken back", "build\n!build\n", []string{"build"}, true},
		{"comment", "#build\n", []string{"build"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			git := func(at string, args ...string) string {
				t.Helper()
				out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", at, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...).CombinedOutput()
				if err != nil {
					t.Fatalf("git %v: %v\n%s", args, err, out)
				}
				return string(out)
			}
			write := func(path, text string) {
				t.Helper()
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write(filepath.Join(dir, ".gitignore"), c.ignore)
			write(filepath.Join(dir, "plain", "x"), "x")
			git(dir, "init", "-q")
			for _, at := range c.dirs {
				write(filepath.Join(dir, at, "x"), "x")
				git(filepath.Join(dir, at), "init", "-q")
				git(filepath.Join(dir, at), "add", "-A")
				git(filepath.Join(dir, at), "commit", "-qm", "x")
			}
			got, err := mustOpen(t, dir).Nested(false)
			if err != nil || got != c.want {
				t.Errorf("%v, %v, want %v", got, err, c.want)
			}
			git(dir, "add", "-A")
			if made := strings.Contains(git(dir, "ls-files", "-s"), "160000"); made != c.want {
				t.Errorf("git add makes a submodule: %v", made)
			}
			if all, err := mustOpen(t, dir).Nested(true); err != nil || all != (len(c.dirs) > 0 && !c.want) {
				t.Errorf("with what is ignored: %v, %v", all, err)
			}
			if got, err := mustOpen(t, dir).Nested(false); err != nil || got {
				t.Errorf("once they are submodules: %v, %v", got, err)
			}
		})
	}
}

// TestLargeTreesAreUnclear: no more folders are looked at than is quickly done.
func TestLargeTreesAreUnclear(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for i := range maxFolders + 1 {
		if err := os.MkdirAll(filepath.Join(dir, "many", fmt.Sprint(i)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r := mustOpen(t, dir)
	if _, err := r.Nested(false); err == nil {
		t.Error("all of them are looked at")
	}
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("many\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if nested, err := r.Nested(false); err != nil || nested {
		t.Errorf("those that are ignored are looked at: %v, %v", nested, err)
	}
	if _, err := r.Nested(true); err == nil {
		t.Error("what is ignored may change")
	}
}
