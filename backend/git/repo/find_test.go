package repo

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// gitDir asks git which repository it uses in a folder.
func gitDir(t *testing.T, dir string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", "rev-parse", "--absolute-git-dir")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME="+t.TempDir(), "LC_ALL=C")
	out, err := cmd.Output()
	return strings.TrimSuffix(string(out), "\n"), err
}

// TestFindAgreesWithGit builds folders from a grammar of parts of repositories and compares the repository that is found with
// git's own. Where git refuses, it may be found or unclear: what must not be is that git uses one that is not found.
func TestFindAgreesWithGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git isn't installed")
	}
	count := 150
	if os.Getenv("WEFT_LONG") != "" {
		count = 5000
	}
	rng := rand.New(rand.NewPCG(13, 12))
	used := 0
	for range count {
		root, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		var log strings.Builder
		put := func(name, text string) {
			log.WriteString(name + "=" + text + " ")
			path := filepath.Join(root, name)
			_ = os.MkdirAll(filepath.Dir(path), 0o755)
			_ = os.WriteFile(path, []byte(text), 0o600)
		}
		folder := func(name string) {
			log.WriteString(name + "/ ")
			_ = os.MkdirAll(filepath.Join(root, name), 0o755)
		}
		one := func(list ...string) string { return list[rng.IntN(len(list))] }
		repository := func(at string) {
			put(at+"/HEAD", one("ref: refs/heads/main\n", "ref: refs/heads/main\n", "ref:refs/x", "ref: \n refs/x\n", "0123456789012345678901234567890123456789\n", "nonsense", ""))
			for _, name := range []string{"objects", "refs"} {
				if rng.IntN(8) > 0 {
					folder(at + "/" + name)
				}
			}
			if rng.IntN(6) == 0 {
				put(at+"/commondir", one("../common", "../common\n", ".", "nowhere", ""))
			}
			if rng.IntN(3) == 0 {
				put(at+"/config", "[core]\n\trepositoryformatversion = 0\n")
			}
		}
		places := []string{"", "a", "a/b", "common"}
		for range 1 + rng.IntN(4) {
			at := one(places...)
			switch rng.IntN(5) {
			case 0:
				repository(at)
			case 1, 2:
				repository(at + "/.git")
			case 3:
				put(at+"/.git", one("gitdir: ../common\n", "gitdir: common", "gitdir: "+filepath.Join(root, "common", ".git")+"\n", "gitdir:../common", "gitdir:  ../common", "nonsense", "gitdir: "))
			case 4:
				if os.Symlink(one("common", "../common/.git", "b"), filepath.Join(root, at, ".git")) == nil {
					log.WriteString(at + "/.git@ ")
				}
			}
		}
		folder("a/b/c")
		for _, at := range []string{"", "a", "a/b", "a/b/c"} {
			dir := filepath.Join(root, at)
			theirs, refused := gitDir(t, dir)
			if refused != nil {
				continue
			}
			used++
			mine, err := Find(dir)
			if errors.Is(err, ErrUnclear) {
				continue
			}
			if err != nil || mine == nil {
				t.Fatalf("in %q git uses %s, found %+v, %v: %s", at, theirs, mine, err, log.String())
			}
			if real, _ := filepath.EvalSymlinks(theirs); real != mine.Dir {
				t.Fatalf("in %q git uses %s, found %s: %s", at, theirs, mine.Dir, log.String())
			}
		}
	}
	t.Logf("%d folders, in %d places git used a repository", count, used)
	if used < count/4 {
		t.Errorf("git used only %d", used)
	}
}
