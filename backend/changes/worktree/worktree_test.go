package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/backend/base/simtest"
)

// testRepo is a repository under test.
type testRepo struct {
	t   *testing.T
	dir string
}

// newRepo makes a repository with one commit.
func newRepo(t *testing.T, name string) *testRepo {
	t.Helper()
	for k, v := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_SYSTEM": os.DevNull, "HOME": t.TempDir(),
		// Weft must not pass these on.
		"GIT_DIR": "/nowhere", "GIT_WORK_TREE": "/nowhere",
	} {
		t.Setenv(k, v)
	}
	dir := filepath.Join(t.TempDir(), name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r := &testRepo{t, dir}
	r.git("init", "-q", "-b", "main")
	r.write("src/a.txt", "one\n")
	r.write(".gitignore", "*.log\nbuild/\n")
	r.git("add", "-A")
	r.commit("first commit")
	return r
}

func (r *testRepo) at(dir string) *testRepo { return &testRepo{r.t, dir} }

func (r *testRepo) git(args ...string) string {
	r.t.Helper()
	out, err := r.run(args...)
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(out)
}

func (r *testRepo) run(args ...string) (string, error) {
	cmd := exec.CommandContext(r.t.Context(), "git", args...)
	cmd.Dir = r.dir
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_DIR=") && !strings.HasPrefix(v, "GIT_WORK_TREE=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b", "GIT_ALLOW_PROTOCOL=file")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (r *testRepo) commit(subject string) { r.git("commit", "-q", "--allow-empty", "-m", subject) }

func (r *testRepo) write(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *testRepo) look() *Repository {
	r.t.Helper()
	found, err := Look(r.t.Context(), r.dir)
	if err != nil {
		r.t.Fatal(err)
	}
	return found
}

// tree makes a worktree.
func (r *testRepo) tree(branch string) *Tree {
	r.t.Helper()
	found := r.look()
	tr, err := found.Plan(r.t.Context(), found.Place(r.t.TempDir(), "ab12"), branch)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := Add(r.t.Context(), tr); err != nil {
		r.t.Fatal(err)
	}
	return tr
}

func state(t *testing.T, tr *Tree) *State {
	t.Helper()
	s, err := tr.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func refused(t *testing.T, err error, code string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Code != code {
		t.Errorf("the error is %v, want code %s", err, code)
		return
	}
	if !strings.HasSuffix(e.Message, ".") || strings.ToUpper(e.Message[:1]) != e.Message[:1] && e.Message[0] != '"' {
		t.Errorf("not a sentence: %s", e.Message)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func TestMakeAndRemove(t *testing.T) {
	for _, name := range []string{"project", "with space", "-leading", "line\nend", "ü b'\"$(touch x)"} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t, name)
			r.write("src/a.txt", "the user's own change\n")
			r.write("new.txt", "not added\n")
			r.write("hooked", "")
			hook := filepath.Join(r.dir, ".git", "hooks", "post-checkout")
			if err := errors.Join(os.MkdirAll(filepath.Dir(hook), 0o755), simtest.WriteProgram(hook, []byte("#!/bin/sh\ntouch "+"\"$PWD/ran\"\n"), 0o700)); err != nil {
				t.Fatal(err)
			}
			before := r.git("status", "--porcelain")
			found := r.look()
			if found.Top != r.dir || found.Branch != "main" || found.Subject != "first commit" || found.Changed != 3 || found.Prefix != "" || found.Submodules {
				t.Errorf("found %+v", found)
			}
			sub, err := Look(t.Context(), filepath.Join(r.dir, "src"))
			if err != nil || sub.Prefix != "src" || sub.Top != r.dir {
				t.Errorf("below: %+v, %v", sub, err)
			}
			branch, err := found.Propose(t.Context(), "Fix the  Parser: über all!")
			if err != nil || branch != "weft/fix-the-parser-ber-all" {
				t.Errorf("proposed %q, %v", branch, err)
			}
			tr := r.tree(branch)
			w := r.at(tr.Path)
			if got := w.git("symbolic-ref", "--short", "HEAD"); got != branch {
				t.Errorf("it is on %s", got)
			}
			if text, _ := os.ReadFile(filepath.Join(tr.Path, "src/a.txt")); string(text) != "one\n" || exists(filepath.Join(tr.Path, "new.txt")) {
				t.Errorf("it has %q", text)
			}
			if exists(filepath.Join(tr.Path, "ran")) || exists(filepath.Join(r.dir, "ran")) {
				t.Error("a hook was run")
			}
			if again, err := found.Propose(t.Context(), "Fix the Parser, über all"); err != nil || again != branch+"-2" {
				t.Errorf("proposed again %q, %v", again, err)
			}
			s := state(t, tr)
			if s.Unsaved() || s.Unmerged != 0 || s.Ignored.Count != 0 || s.Branch != branch || s.Missing || s.Foreign {
				t.Errorf("new: %+v", s)
			}
			if _, err := tr.Remove(t.Context(), Removal{Token: s.Token, Branch: true}); err != nil {
				t.Fatal(err)
			}
			if exists(tr.Path) || r.git("branch", "--list", branch) != "" || !tr.Gone() {
				t.Error("something is left")
			}
			if after := r.git("status", "--porcelain"); after != before || r.git("worktree", "list", "--porcelain") == "" {
				t.Errorf("the user's own tree was %q and is %q", before, after)
			}
		})
	}
}

func TestNothingUnsavedIsLost(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(r, w *testRepo, tr *Tree)
		want func(s *State) bool
	}{
		{"a changed file", func(_, w *testRepo, _ *Tree) { w.write("src/a.txt", "two\n") }, func(s *State) bool { return s.Changed.Count == 1 && s.Changed.Names[0] == "src/a.txt" }},
		{"a staged file", func(_, w *testRepo, _ *Tree) { w.write("b.txt", "b"); w.git("add", "b.txt") }, func(s *State) bool { return s.Changed.Count == 1 }},
		{"a deleted file", func(_, w *testRepo, _ *Tree) { _ = os.Remove(filepath.Join(w.dir, "src/a.txt")) }, func(s *State) bool { return s.Changed.Count == 1 }},
		{"a renamed file", func(_, w *testRepo, _ *Tree) { w.git("mv", "src/a.txt", "src/b.txt") }, func(s *State) bool { return s.Changed.Count == 2 }},
		{"an untracked file", func(_, w *testRepo, _ *Tree) { w.write("deep/er/-new\nfile", "x") }, func(s *State) bool { return s.Untracked.Count == 1 && s.Untracked.Names[0] == "deep/er/-new\nfile" }},
		{"a clone in it", func(_, w *testRepo, _ *Tree) {
			w.git("init", "-q", "inner")
			w.write("inner/x", "x")
		}, func(s *State) bool { return s.Untracked.Count == 1 }},
		{"a hidden change", func(_, w *testRepo, _ *Tree) {
			w.git("update-index", "--assume-unchanged", "src/a.txt")
			w.write("src/a.txt", "hidden\n")
		}, func(s *State) bool { return s.Changed.Count == 0 && s.Hidden.Count == 1 }},
		{"another hidden change", func(_, w *testRepo, _ *Tree) {
			w.git("update-index", "--skip-worktree", "src/a.txt")
			w.write("src/a.txt", "hidden\n")
		}, func(s *State) bool { return s.Hidden.Count == 1 }},
		{"commits on no branch", func(_, w *testRepo, _ *Tree) {
			w.git("checkout", "-q", "--detach")
			w.commit("loose")
		}, func(s *State) bool { return s.Loose == 1 && s.Branch == "" }},
		{"a merge with conflicts", func(_, w *testRepo, _ *Tree) {
			w.git("checkout", "-q", "-b", "other")
			w.write("src/a.txt", "other\n")
			w.git("commit", "-qam", "other")
			w.git("checkout", "-q", "-")
			w.write("src/a.txt", "mine\n")
			w.git("commit", "-qam", "mine")
			if _, err := w.run("merge", "other"); err == nil {
				w.t.Error("no conflict")
			}
		}, func(s *State) bool { return s.Busy == "merge" && s.Changed.Count == 1 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRepo(t, "project")
			tr := r.tree("topic")
			c.do(r, r.at(tr.Path), tr)
			s := state(t, tr)
			if !s.Unsaved() || !c.want(s) {
				t.Errorf("the state is %+v", s)
			}
			_, err := tr.Remove(t.Context(), Removal{Token: s.Token, Branch: true})
			refused(t, err, CodeUnsaved)
			if !exists(tr.Path) || state(t, tr).Token != s.Token {
				t.Error("something was changed")
			}
			// The second step, after the list was shown.
			head := s.Head
			kept, err := tr.Remove(t.Context(), Removal{Token: s.Token, Anyway: true})
			if err != nil || exists(tr.Path) {
				t.Fatalf("removed anyway: %v", err)
			}
			if s.Loose > 0 && (kept == "" || r.git("rev-parse", kept) != head) {
				t.Errorf("the commits are on %q", kept)
			}
		})
	}
}

// TestChangedSinceShown changes things between the look and the removal.
func TestChangedSinceShown(t *testing.T) {
	r := newRepo(t, "project")
	tr := r.tree("topic")
	w := r.at(tr.Path)
	w.write("a.log", "ignored\n")
	w.write("build/x/y", "ignored\n")
	s := state(t, tr)
	if s.Unsaved() || s.Ignored.Count != 2 || s.Ignored.Names[0] != "a.log" || s.Ignored.Names[1] != "build/" {
		t.Errorf("ignored: %+v", s)
	}
	w.write("b.log", "ignored, too\n")
	_, err := tr.Remove(t.Context(), Removal{Token: s.Token})
	refused(t, err, CodeChanged)
	w.write("c.txt", "1\n")
	s = state(t, tr)
	w.write("c.txt", "12\n")
	_, err = tr.Remove(t.Context(), Removal{Token: s.Token, Anyway: true})
	refused(t, err, CodeChanged)
	if !exists(filepath.Join(tr.Path, "c.txt")) {
		t.Error("it was removed")
	}
}

func TestBranchIsKeptWithItsCommits(t *testing.T) {
	r := newRepo(t, "project")
	tr := r.tree("topic")
	w := r.at(tr.Path)
	w.commit("work")
	s := state(t, tr)
	if s.Unmerged != 1 || s.Unpushed != 1 || s.Unsaved() {
		t.Errorf("one commit: %+v", s)
	}
	if _, err := tr.Remove(t.Context(), Removal{Token: s.Token, Branch: true}); err != nil {
		t.Fatal(err)
	}
	if exists(tr.Path) || r.git("log", "-1", "--format=%s", "topic") != "work" {
		t.Error("the branch was not kept")
	}
	// Merged into its base, it may go; the same for commits that are somewhere else.
	tr = r.tree("second")
	r.at(tr.Path).commit("more")
	r.git("merge", "-q", "--ff-only", "second")
	s = state(t, tr)
	if s.Unmerged != 0 {
		t.Errorf("merged: %+v", s)
	}
	if _, err := tr.Remove(t.Context(), Removal{Token: s.Token, Branch: true}); err != nil {
		t.Fatal(err)
	}
	if r.git("branch", "--list", "second") != "" {
		t.Error("the merged branch was kept")
	}
	// Pushed, it has a copy.
	remote := t.TempDir()
	r.at(remote).git("init", "-q", "--bare")
	r.git("remote", "add", "origin", remote)
	tr = r.tree("third")
	r.at(tr.Path).commit("pushed")
	r.at(tr.Path).git("push", "-q", "origin", "third")
	if s = state(t, tr); s.Unmerged != 1 || s.Unpushed != 0 {
		t.Errorf("pushed: %+v", s)
	}
}

func TestBadInput(t *testing.T) {
	r := newRepo(t, "project")
	ctx := t.Context()
	_, err := Look(ctx, t.TempDir())
	refused(t, err, CodeNoRepository)
	bare := r.at(t.TempDir())
	bare.git("init", "-q", "--bare")
	_, err = Look(ctx, bare.dir)
	refused(t, err, CodeBare)
	empty := r.at(t.TempDir())
	empty.git("init", "-q")
	_, err = Look(ctx, empty.dir)
	refused(t, err, CodeNoCommits)
	_, err = Look(ctx, filepath.Join(r.dir, ".git"))
	refused(t, err, CodeBare)

	found := r.look()
	for _, bad := range []string{"", "-x", "--force", "a..b", "a b", "a\nb", "a~1", ".x", "x.lock", "@", "HEAD", "a//b", strings.Repeat("x", 300), "x\x00y"} {
		_, err := found.Plan(ctx, filepath.Join(t.TempDir(), "w"), bad)
		refused(t, err, CodeInvalidBranch)
	}
	_, err = found.Plan(ctx, filepath.Join(t.TempDir(), "w"), "main")
	refused(t, err, CodeBranchExists)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(r.dir, link); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"relative", r.dir, filepath.Join(r.dir, "inside"), filepath.Join(r.dir, ".git", "x"), filepath.Join(link, "new", "er"), filepath.Join(r.dir, ".gitignore"), t.TempDir() + "/..", "/proc/nothing/here"} {
		tr, err := found.Plan(ctx, bad, "fresh")
		if err == nil {
			err = Add(ctx, tr)
		}
		refused(t, err, CodeInvalidFolder)
	}
	if r.git("branch", "--list", "fresh") != "" {
		t.Error("a branch is left")
	}
	// A branch in the way of another, as git sees it.
	r.git("branch", "dir")
	tr, err := found.Plan(ctx, filepath.Join(t.TempDir(), "w"), "dir/below")
	if err == nil {
		err = Add(ctx, tr)
	}
	refused(t, err, CodeGit)
	if tr != nil && exists(tr.Path) {
		t.Error("half a worktree is left")
	}

	r.git("checkout", "-q", "--detach")
	if found = r.look(); found.Branch != "" {
		t.Errorf("detached: %+v", found)
	}
	tr = r.tree("from-detached")
	if tr.BaseBranch != "" || state(t, tr).Unmerged != 0 {
		t.Errorf("from a detached HEAD: %+v, %+v", tr, state(t, tr))
	}

	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Look(done, r.dir); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	_, err = Look(ctx, r.dir)
	refused(t, err, CodeNoGit)
}

func TestFailingFilterFailsTheWorktree(t *testing.T) {
	r := newRepo(t, "project")
	r.write(".gitattributes", "*.bin filter=broken\n")
	r.write("x.bin", "x")
	r.git("add", "-A")
	r.commit("filtered")
	r.git("config", "filter.broken.smudge", "false")
	r.git("config", "filter.broken.required", "true")
	found := r.look()
	tr, err := found.Plan(t.Context(), filepath.Join(t.TempDir(), "w"), "topic")
	if err != nil {
		t.Fatal(err)
	}
	tr.Agreed = found.Token
	refused(t, Add(t.Context(), tr), CodeGit)
	if exists(tr.Path) || r.git("branch", "--list", "topic") != "" || strings.Count(r.git("worktree", "list"), "\n") != 0 {
		t.Error("something is left of a worktree that could not be made")
	}
}

func TestWorktreeStates(t *testing.T) {
	r := newRepo(t, "project")
	t.Run("locked", func(t *testing.T) {
		tr := (&testRepo{t, r.dir}).tree("locked")
		r.git("worktree", "lock", "--reason", "on a stick", tr.Path)
		s := state(t, tr)
		if !s.Locked || s.LockReason != "on a stick" {
			t.Errorf("%+v", s)
		}
		_, err := tr.Remove(t.Context(), Removal{Token: s.Token, Anyway: true})
		refused(t, err, CodeLocked)
	})
	t.Run("deleted by hand", func(t *testing.T) {
		tr := (&testRepo{t, r.dir}).tree("by-hand")
		if err := os.RemoveAll(tr.Path); err != nil {
			t.Fatal(err)
		}
		s := state(t, tr)
		if !s.Missing || s.Unsaved() {
			t.Errorf("%+v", s)
		}
		if _, err := tr.Remove(t.Context(), Removal{Token: s.Token, Branch: true}); err != nil {
			t.Fatal(err)
		}
		if r.git("branch", "--list", "by-hand") != "" || strings.Contains(r.git("worktree", "list"), tr.Path) {
			t.Error("git still knows it")
		}
		// And once more, when git knows nothing of it.
		s = state(t, tr)
		if _, err := tr.Remove(t.Context(), Removal{Token: s.Token, Branch: true}); err != nil {
			t.Error(err)
		}
	})
	t.Run("pruned and replaced", func(t *testing.T) {
		tr := (&testRepo{t, r.dir}).tree("replaced")
		if err := os.RemoveAll(tr.Path); err != nil {
			t.Fatal(err)
		}
		r.git("worktree", "prune")
		r.at(tr.Path).write("precious", "not Weft's")
		s := state(t, tr)
		if !s.Foreign || !s.Unsaved() {
			t.Errorf("%+v", s)
		}
		_, err := tr.Remove(t.Context(), Removal{Token: s.Token, Anyway: true})
		refused(t, err, CodeUnsaved)
		if !exists(filepath.Join(tr.Path, "precious")) {
			t.Error("it was removed")
		}
	})
	t.Run("another clone in its place", func(t *testing.T) {
		tr := (&testRepo{t, r.dir}).tree("cloned")
		if err := os.RemoveAll(tr.Path); err != nil {
			t.Fatal(err)
		}
		r.git("clone", "-q", r.dir, tr.Path)
		if s := state(t, tr); !s.Foreign {
			t.Errorf("%+v", s)
		}
	})
	t.Run("submodules", func(t *testing.T) {
		inner := newRepo(t, "inner")
		outer := newRepo(t, "outer")
		outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.dir, "lib")
		outer.commit("with a submodule")
		if !outer.look().Submodules {
			t.Error("not seen")
		}
		tr := outer.tree("topic")
		if s := state(t, tr); s.Unsaved() {
			t.Errorf("not checked out: %+v", s)
		}
		outer.at(tr.Path).git("-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
		s := state(t, tr)
		if len(s.Submodules) != 1 || !s.Unsaved() {
			t.Errorf("checked out: %+v", s)
		}
		if _, err := tr.Remove(t.Context(), Removal{Token: s.Token, Anyway: true}); err != nil {
			t.Error(err)
		}
	})
	t.Run("the repository is gone", func(t *testing.T) {
		lost := newRepo(t, "lost")
		tr := lost.tree("topic")
		if err := os.RemoveAll(lost.dir); err != nil {
			t.Fatal(err)
		}
		s := state(t, tr)
		if !s.RepoGone || !s.Unsaved() {
			t.Errorf("%+v", s)
		}
	})
	t.Run("a branch that is checked out elsewhere stays", func(t *testing.T) {
		tr := (&testRepo{t, r.dir}).tree("elsewhere")
		r.at(tr.Path).git("checkout", "-q", "--detach")
		other := filepath.Join(t.TempDir(), "o")
		r.git("worktree", "add", "-q", other, "elsewhere")
		s := state(t, tr)
		_, err := tr.Remove(t.Context(), Removal{Token: s.Token, Branch: true})
		refused(t, err, CodeUnsaved)
		if r.git("branch", "--list", "elsewhere") == "" || exists(tr.Path) {
			t.Error("the branch should stay and the worktree go")
		}
	})
}

// TestManyFiles has more files than are named.
func TestManyFiles(t *testing.T) {
	r := newRepo(t, "project")
	tr := r.tree("topic")
	w := r.at(tr.Path)
	for i := range 3 * maxNamed {
		w.write(fmt.Sprintf("n/%04d", i), "")
	}
	began := time.Now()
	s := state(t, tr)
	if s.Untracked.Count != 3*maxNamed || len(s.Untracked.Names) != maxNamed {
		t.Errorf("%d, %d named", s.Untracked.Count, len(s.Untracked.Names))
	}
	t.Logf("state: %v", time.Since(began))
}
