package spaces

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Worktrees, subfolders and links of a repository are one project; a submodule and a folder without a repository are their own.
func TestProjectOfAFolder(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
	git := func(dir string, args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "protocol.file.allow=always", "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		cmd.Dir = at(dir)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	for _, dir := range []string{"loom/src/deep", "plain/deep", "broken/.git", "lib"} {
		if err := os.MkdirAll(at(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"loom", "lib"} {
		git(dir, "init", "-q", "-b", "main")
		git(dir, "commit", "-q", "--allow-empty", "-m", "x")
	}
	git("loom", "worktree", "add", "-q", at("trees/one"))
	git("loom", "submodule", "add", "-q", at("lib"), "vendor/lib")
	git("", "clone", "-q", "--bare", at("loom"), at("bare.git"))
	git("bare.git", "worktree", "add", "-q", at("trees/two"), "main")
	if err := os.Symlink(at("loom/src"), at("link")); err != nil {
		t.Fatal(err)
	}
	for folder, want := range map[string]string{
		"loom": "loom", "loom/src/deep": "loom", "trees/one": "loom", "link/deep": "loom", "link": "loom",
		"loom/vendor/lib": "loom/vendor/lib", "lib": "lib", "trees/two": "bare.git",
		"plain/deep": "plain/deep", "broken": "broken",
	} {
		if got := projectOf(at(folder)); got != at(want) {
			t.Errorf("%s is of %s, want %s", folder, got, at(want))
		}
	}
	if got := projectOf(at("gone")); got != "" {
		t.Errorf("a folder that is gone is of %s", got)
	}
}
