package worktree

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"weft/backend/base/simtest"
)

// canary writes a program into a folder outside of every repository. It notes each start, with a name, and passes its input on.
type canary struct {
	t   *testing.T
	dir string
}

func newCanary(t *testing.T) *canary {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the canary is a shell script")
	}
	c := &canary{t, t.TempDir()}
	script := "#!/bin/sh\n: > \"" + c.dir + "/ran-$1\"\ncat 2>/dev/null\n"
	if err := simtest.WriteProgram(c.program(), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *canary) program() string { return filepath.Join(c.dir, "canary") }

// command is a command line that starts the canary under that name.
func (c *canary) command(name string) string { return c.program() + " " + name }

// ran lists the names under which the canary was started, and forgets them.
func (c *canary) ran() (names []string) {
	c.t.Helper()
	list, err := filepath.Glob(filepath.Join(c.dir, "ran-*"))
	if err != nil {
		c.t.Fatal(err)
	}
	for _, path := range list {
		names = append(names, strings.TrimPrefix(filepath.Base(path), "ran-"))
		if err := os.Remove(path); err != nil {
			c.t.Fatal(err)
		}
	}
	slices.Sort(names)
	return names
}

func (c *canary) hook(dir, name string) {
	c.t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := simtest.WriteProgram(filepath.Join(dir, name), []byte("#!/bin/sh\nexec "+c.command("hook-"+name)+"\n"), 0o700); err != nil {
		c.t.Fatal(err)
	}
}

// filtered makes a repository whose one file has the filter "x" and the diff and merge driver "x", touched since it was added.
func filtered(t *testing.T) *testRepo {
	t.Helper()
	r := newRepo(t, "project")
	r.write(".gitattributes", "*.bin filter=x diff=x merge=x\n")
	r.write("a.bin", "content\n")
	r.git("add", "-A")
	r.commit("filtered")
	r.write("a.bin", "Content\n")
	return r
}

// everything calls each function of the package that runs git.
func (r *testRepo) everything() {
	r.t.Helper()
	ctx := r.t.Context()
	found, err := Look(ctx, r.dir)
	if err != nil {
		return // a refusal runs nothing
	}
	branch, err := found.Propose(ctx, "some work")
	if err != nil {
		return
	}
	tr, err := found.Plan(ctx, found.Place(r.t.TempDir(), "ab12"), branch)
	if err != nil {
		return
	}
	if err := Add(ctx, tr); err != nil {
		return
	}
	if err := os.WriteFile(filepath.Join(tr.Path, "a.bin"), []byte("changed\n"), 0o600); err != nil {
		r.t.Fatal(err)
	}
	s, err := tr.State(ctx)
	if err != nil {
		return
	}
	_, _ = tr.Remove(ctx, Removal{Token: s.Token, Anyway: true, Branch: true})
}

// TestRepositoryCommandsDoNotRun has a repository whose own configuration would run commands, one key at a time.
func TestRepositoryCommandsDoNotRun(t *testing.T) {
	for _, key := range []string{"filter.x.clean", "filter.x.smudge", "filter.x.process", "core.fsmonitor", "core.sshCommand", "core.pager", "diff.external", "diff.x.textconv", "diff.x.command", "merge.x.driver", "gpg.program"} {
		t.Run(key, func(t *testing.T) {
			c := newCanary(t)
			r := filtered(t)
			r.git("config", key, c.command("key"))
			r.git("config", "log.showSignature", "true")
			r.everything()
			if ran := c.ran(); ran != nil {
				t.Errorf("%s was run: %v", key, ran)
			}
		})
	}
}

// TestEmbeddedBareRepositoryIsNotUsed has a folder of a clone that holds the files of a bare repository.
func TestEmbeddedBareRepositoryIsNotUsed(t *testing.T) {
	c := newCanary(t)
	r := newRepo(t, "project")
	inner := r.at(filepath.Join(r.dir, "inner"))
	r.write("inner/x.txt", "x\n")
	inner.git("init", "-q", "--bare", ".")
	inner.git("config", "core.bare", "false")
	inner.git("config", "core.worktree", inner.dir)
	inner.git("config", "core.fsmonitor", c.command("fsmonitor"))
	found, err := Look(t.Context(), inner.dir)
	if err == nil {
		t.Errorf("it was used: %+v", found)
	}
	refused(t, err, CodeBare)
	if ran := c.ran(); ran != nil {
		t.Errorf("run: %v", ran)
	}
}

// TestRepositoryFiltersAreFoundEverywhere defines a filter in each way that a configuration has.
func TestRepositoryFiltersAreFoundEverywhere(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(r *testRepo, command string)
	}{
		{"a name with an equals sign", func(r *testRepo, command string) {
			r.write(".gitattributes", "*.bin filter=a=b\n")
			r.git("commit", "-qam", "attributes")
			r.write(".git/config", "[core]\n\trepositoryformatversion = 0\n[filter \"a=b\"]\n\tclean = "+command+"\n\tsmudge = "+command+"\n")
		}},
		{"a name in the older form", func(r *testRepo, command string) {
			r.write(".git/config", "[filter.x]\nclean = "+command+"\nsmudge = "+command+"\n")
		}},
		{"an included file", func(r *testRepo, command string) {
			r.write("settings", "[filter \"x\"]\nclean = "+command+"\nsmudge = "+command+"\n")
			r.git("config", "include.path", "../settings")
		}},
		{"an included file behind a link", func(r *testRepo, command string) {
			r.write("deep/er/x", "")
			r.write("deep/settings", "[filter \"x\"]\nclean = "+command+"\nsmudge = "+command+"\n")
			if err := os.Symlink("../deep/er", filepath.Join(r.dir, ".git", "link")); err != nil {
				r.t.Fatal(err)
			}
			r.git("config", "include.path", "link/../settings")
		}},
		{"included on the new branch only", func(r *testRepo, command string) {
			r.write("settings", "[filter \"x\"]\nclean = "+command+"\nsmudge = "+command+"\n")
			r.git("config", "includeIf.onbranch:weft/**.path", "../settings")
		}},
		{"included in a worktree only", func(r *testRepo, command string) {
			r.write("settings", "[filter \"x\"]\nclean = "+command+"\nsmudge = "+command+"\n")
			r.git("config", "includeIf.gitdir:**/worktrees/**.path", "../settings")
		}},
		{"the configuration of a worktree", func(r *testRepo, command string) {
			r.git("config", "extensions.worktreeConfig", "true")
			r.git("config", "--worktree", "filter.x.clean", command)
			r.git("config", "--worktree", "filter.x.smudge", command)
		}},
		{"an include of the configuration of a worktree, which is copied", func(r *testRepo, command string) {
			r.git("config", "extensions.worktreeConfig", "true")
			r.write(".git/settings", "[filter \"x\"]\nclean = "+command+"\nsmudge = "+command+"\n")
			r.git("config", "--worktree", "include.path", "../../settings")
		}},
		{"a required one", func(r *testRepo, command string) {
			r.git("config", "filter.x.required", "true")
			r.git("config", "filter.x.process", command)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			can := newCanary(t)
			r := filtered(t)
			c.do(r, can.command("filter"))
			r.everything()
			if ran := can.ran(); ran != nil {
				t.Errorf("run: %v", ran)
			}
			// The test means something: git itself would have run it, here or in a worktree of its own.
			r.write("a.bin", "other\n")
			_, _ = r.run("worktree", "add", "-q", "-b", "weft/plain", filepath.Join(t.TempDir(), "plain"))
			_, _ = r.run("status")
			if can.ran() == nil {
				t.Error("git itself does not run it either")
			}
		})
	}
}

func TestHooksDoNotRun(t *testing.T) {
	can := newCanary(t)
	r := filtered(t)
	for _, dir := range []string{filepath.Join(r.dir, ".git", "hooks"), filepath.Join(r.dir, "own")} {
		for _, name := range []string{"post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman", "pre-commit"} {
			can.hook(dir, name)
		}
		r.everything()
		if ran := can.ran(); ran != nil {
			t.Errorf("run: %v", ran)
		}
		r.git("config", "core.hooksPath", "own")
	}
	r.git("checkout", "-q", "-b", "other") // a status runs a hook only where it writes the index
	if can.ran() == nil {
		t.Error("git itself does not run them either")
	}
}

func TestFilterOfASubmoduleDoesNotRun(t *testing.T) {
	can := newCanary(t)
	inner, outer := filtered(t), newRepo(t, "outer")
	outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.dir, "lib")
	outer.commit("with a submodule")
	tr := outer.tree("topic")
	outer.at(tr.Path).git("-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
	sub := outer.at(filepath.Join(tr.Path, "lib"))
	sub.git("config", "filter.x.clean", can.command("clean"))
	sub.git("config", "core.fsmonitor", can.command("fsmonitor"))
	sub.write("a.bin", "CONTENT\n")
	s := state(t, tr)
	if ran := can.ran(); ran != nil {
		t.Errorf("run: %v", ran)
	}
	if len(s.Submodules) != 1 || !s.Unsaved() || s.Changed.Count != 1 {
		t.Errorf("the state is %+v", s)
	}
	sub.write("new.txt", "new\n")
	if again := state(t, tr); again.Token == s.Token {
		t.Error("a change in the submodule has the same token")
	}
}

// TestUsersOwnFilterRuns has a filter in the user's own configuration, as Git LFS is set up, that a repository redefines in part.
func TestUsersOwnFilterRuns(t *testing.T) {
	for _, own := range []string{"", "clean", "smudge"} {
		t.Run("the repository redefines "+own, func(t *testing.T) {
			can := newCanary(t)
			r := filtered(t)
			config := "[filter \"x\"]\n\tclean = " + can.command("user") + " | tr a-z A-Z\n\tsmudge = " + can.command("user") + " | tr A-Z a-z\n\trequired = true\n"
			if err := os.WriteFile(filepath.Join(os.Getenv("HOME"), ".gitconfig"), []byte(config), 0o600); err != nil {
				t.Fatal(err)
			}
			if own != "" {
				r.git("config", "filter.x."+own, can.command("repository"))
			}
			r.write("b.bin", "STORED\n") // as the filter stores it: newRepo hides the user's configuration from this git
			r.git("-c", "filter.x.clean=", "add", "b.bin")
			r.git("-c", "filter.x.clean=", "commit", "-qm", "stored")
			can.ran()
			tr := r.tree("topic")
			if text, err := os.ReadFile(filepath.Join(tr.Path, "b.bin")); err != nil || string(text) != "stored\n" {
				t.Errorf("checked out %q, %v", text, err)
			}
			if ran := can.ran(); len(ran) != 1 || ran[0] != "user" {
				t.Errorf("run: %v", ran)
			}
		})
	}
}

func TestRepositoryFilterRunsOnlyWhereAgreed(t *testing.T) {
	r := filtered(t)
	r.git("config", "filter.x.smudge", "tr a-z A-Z")
	r.git("config", "filter.x.required", "true")
	r.git("config", "filter.x.clean", "cat")
	r.git("config", "core.fsmonitor", "false x")
	found := r.look()
	if len(found.Commands) != 3 || found.Token == "" {
		t.Fatalf("it would run %+v", found.Commands)
	}
	content := func(branch, agreed string) string {
		tr, err := found.Plan(t.Context(), found.Place(t.TempDir(), "ab12"), branch)
		if err != nil {
			t.Fatal(err)
		}
		tr.Agreed = agreed
		if err := Add(t.Context(), tr); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(tr.Path, "a.bin"))
		if err != nil {
			t.Fatal(err)
		}
		if s := state(t, tr); s.Locked {
			t.Errorf("%s is locked", branch)
		}
		return string(text)
	}
	if got := content("plain", ""); got != "content\n" {
		t.Errorf("without: %q", got)
	}
	if got := content("agreed", found.Token); got != "CONTENT\n" {
		t.Errorf("agreed: %q", got)
	}
	r.git("config", "filter.x.smudge", "tr a-z B")
	if got := content("changed", found.Token); got != "content\n" {
		t.Errorf("agreed to another command: %q", got)
	}
}

func TestAnotherWorkingTreeIsRefused(t *testing.T) {
	r := newRepo(t, "project")
	r.git("config", "core.worktree", t.TempDir())
	_, err := Look(t.Context(), r.dir)
	refused(t, err, CodeElsewhere)
}

func TestUnreadableConfigurationIsRefused(t *testing.T) {
	r := newRepo(t, "project")
	r.write(".git/config", "[filter \"x\"\nclean = x\n")
	_, err := Look(t.Context(), r.dir)
	refused(t, err, CodeUnclear)
}
