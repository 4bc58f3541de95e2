package finder

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestEmbeddedBareRepositoryIsNotListed lists a folder with the files of a bare repository whose config names another
// folder as its working tree. The folder itself must be listed.
func TestEmbeddedBareRepositoryIsNotListed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the monitor is a shell script")
	}
	t.Setenv("HOME", t.TempDir())
	dir, mark := tree(t, map[string]string{"a.txt": "a"}), filepath.Join(t.TempDir(), "ran")
	runGit(t, dir, "init", "-q", "--bare", ".")
	runGit(t, dir, "config", "core.bare", "false")
	runGit(t, dir, "config", "core.worktree", tree(t, map[string]string{"secret.txt": "s"}))
	runGit(t, dir, "config", "core.fsmonitor", "touch "+mark)
	f, _ := opened(t)
	found, err := f.Find(t.Context(), dir, "", 50)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, m := range found.Files {
		seen[m.Path] = true
	}
	if !seen["a.txt"] || seen["secret.txt"] {
		t.Errorf("listed: %v", seen)
	}
	if _, err := os.Lstat(mark); err == nil {
		t.Error("the monitor was run")
	}
}
