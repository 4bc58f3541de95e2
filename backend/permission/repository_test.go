package permission

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// gitRules allow what a user may have allowed who trusts git and cd.
func gitRules() *Set {
	return NewSet([]Rule{rule(Allow, "cmd:git"), rule(Allow, "cmd:cd"), rule(Allow, "cmd:true"), rule(Allow, "cmd:git commit"), rule(Allow, "cmd:git add")})
}

func run(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
}

func writeFile(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// newRepository makes a repository with a commit and a change. If bare, its git folder is dir itself.
func newRepository(t *testing.T, dir string, bare bool) (gitDir string) {
	t.Helper()
	writeFile(t, filepath.Join(dir, "a.bin"), "content\n", 0o600)
	writeFile(t, filepath.Join(dir, ".gitattributes"), "*.bin filter=x diff=x\n", 0o600)
	run(t, dir, "git", "init", "-q", "-b", "main")
	run(t, dir, "git", "add", "-A")
	run(t, dir, "git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first")
	writeFile(t, filepath.Join(dir, "a.bin"), "Content\n", 0o600)
	gitDir = filepath.Join(dir, ".git")
	if !bare {
		return gitDir
	}
	files, err := os.ReadDir(gitDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if err := os.Rename(filepath.Join(gitDir, f.Name()), filepath.Join(dir, f.Name())); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(gitDir); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "git", "--git-dir=.", "config", "core.bare", "false")
	run(t, dir, "git", "--git-dir=.", "config", "core.worktree", dir)
	return dir
}

// traps make a repository run a command, given its git folder.
var traps = []struct {
	name string
	set  func(t *testing.T, gitDir, command string)
}{
	{"fsmonitor", func(t *testing.T, dir, command string) { configure(t, dir, "core.fsmonitor", command) }},
	{"clean", func(t *testing.T, dir, command string) { configure(t, dir, "filter.x.clean", command) }},
	{"textconv", func(t *testing.T, dir, command string) { configure(t, dir, "diff.x.textconv", command) }},
	{"external", func(t *testing.T, dir, command string) { configure(t, dir, "diff.external", command) }},
	{"driver", func(t *testing.T, dir, command string) { configure(t, dir, "diff.x.command", command) }},
	{"alias", func(t *testing.T, dir, command string) { configure(t, dir, "alias.st", "!"+command) }},
	{"included", func(t *testing.T, dir, command string) {
		writeFile(t, filepath.Join(dir, "more"), "[core]\n\tfsmonitor = \""+command+"\"\n", 0o600)
		configure(t, dir, "include.path", "more")
	}},
	{"hook", func(t *testing.T, dir, command string) {
		writeFile(t, filepath.Join(dir, "hooks", "post-index-change"), "#!/bin/sh\n"+command+"\n", 0o700)
	}},
	{"hooks elsewhere", func(t *testing.T, dir, command string) {
		writeFile(t, filepath.Join(dir, "own", "post-index-change"), "#!/bin/sh\n"+command+"\n", 0o700)
		configure(t, dir, "core.hooksPath", filepath.Join(dir, "own"))
	}},
	{"nothing", func(*testing.T, string, string) {}},
}

func configure(t *testing.T, gitDir, key, value string) {
	t.Helper()
	run(t, gitDir, "git", "config", "--file", filepath.Join(gitDir, "config"), key, value)
}

// Random lines that rules for git and cd allow run with real git in random repositories. No command that a repository
// defines runs.
func TestGitCommandUnderARuleRunsNothingOfARepository(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a shell")
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	rounds, lines := 10, 16
	if os.Getenv("WEFT_LONG") != "" {
		rounds, lines = 1500, 20
	}
	rng := rand.New(rand.NewPCG(12, 13))
	one := func(list ...string) string { return list[rng.IntN(len(list))] }
	set, marks := gitRules(), t.TempDir()
	allowed, asked, would := 0, 0, 0
	for range rounds {
		dir := t.TempDir()
		trap := traps[rng.IntN(len(traps))]
		mark := filepath.Join(marks, "ran")
		if rng.IntN(2) == 0 {
			newRepository(t, dir, false)
		}
		shape := one("bare", "plain", "pointer")
		inner := filepath.Join(dir, "inner")
		gitDir := newRepository(t, inner, shape == "bare")
		if shape == "pointer" {
			if err := os.Rename(gitDir, filepath.Join(dir, "store")); err != nil {
				t.Fatal(err)
			}
			gitDir = filepath.Join(dir, "store")
			writeFile(t, filepath.Join(inner, ".git"), "gitdir: ../store\n", 0o600)
		}
		trap.set(t, gitDir, "touch "+mark)
		writeFile(t, filepath.Join(inner, "deep", "x"), "x", 0o600)
		if err := os.Symlink("inner/deep", filepath.Join(dir, "link")); err != nil {
			t.Fatal(err)
		}
		for range lines {
			place := one(".", "inner", "./inner/", "inner/deep", "link", "link/..", "inner/../inner", "inner/.git", "store", dir+"/inner", "nowhere")
			sub := one("status", "status --short", "diff", "log -p -1", "show", "st", "add -A", "ls-files -m", "grep content", "blame a.bin")
			line := one(
				"git "+sub,
				"git -C "+place+" "+sub,
				"git -C inner -C deep "+sub,
				"cd "+place+" && git "+sub,
				"cd "+place+"; cd ..; git "+sub,
				"(cd "+place+"; git "+sub+")",
				"cd "+place+" || true; git "+sub,
				"git --git-dir="+place+" "+sub,
				"git status -s && git add -A; git "+sub, // with it a nested repository becomes a submodule
				"git add "+place+" && git "+sub,
				"git add . | git "+sub,
				"git add -A && git commit -qm x && git "+sub,
				"git add -u && git commit -qam x; git commit -m x; git "+sub,
				"git add a.bin && git commit -qm x; git "+sub,
				"cd inner && git -C "+place+" "+sub,
				"git --no-pager -C '"+place+"' "+sub,
				"git -c color.ui=never -C "+place+" "+sub,
				"if true; then cd "+place+"; fi; git "+sub,
			)
			cwd := one("", "", "inner", "link", "inner/deep")
			input := map[string]string{"command": line}
			if cwd != "" {
				input["cwd"] = cwd
			}
			raw, err := json.Marshal(input)
			if err != nil {
				t.Fatal(err)
			}
			about := Describe(&Call{Kind: "execute", Input: raw}, Place{Folder: dir})
			got := set.Decide(about, FollowRules).Verdict
			cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
			cmd.Dir = filepath.Join(dir, cwd)
			_ = cmd.Run() // most lines fail somewhere
			ran := os.Remove(mark) == nil
			switch {
			case got == Allowed && ran:
				t.Fatalf("%q in %q was allowed and ran a command: %s, %s", line, cwd, shape, trap.name)
			case got == Allowed:
				allowed++
			default:
				asked++
			}
			if ran {
				would++
			}
		}
	}
	t.Logf("%d lines allowed, %d asked, of which %d would have run a command", allowed, asked, would)
	if allowed < asked/30 || would < 5 {
		t.Error("the lines say too little")
	}
}

// In ordinary repositories, rules about git apply.
func TestPlainRepositoriesAreNotAskedAbout(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	dir := t.TempDir()
	gitDir := newRepository(t, dir, false)
	configure(t, gitDir, "user.name", "a")
	configure(t, gitDir, "remote.origin.url", "https://example.invalid/x.git")
	configure(t, gitDir, "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
	configure(t, gitDir, "branch.main.remote", "origin")
	configure(t, gitDir, "fetch.prune", "true")
	configure(t, gitDir, "remote.origin.promisor", "true")
	configure(t, gitDir, "core.autocrlf", "input")
	configure(t, gitDir, "alias.co", "checkout")
	writeFile(t, filepath.Join(dir, "sub", "x"), "x", 0o600)
	writeFile(t, filepath.Join(gitDir, "hooks", "pre-commit"), "#!/bin/sh\n", 0o700)
	newRepository(t, filepath.Join(dir, "nested"), false)
	set := gitRules()
	decide := func(line, at string) Verdict {
		raw, err := json.Marshal(map[string]string{"command": line})
		if err != nil {
			t.Fatal(err)
		}
		return set.Decide(Describe(&Call{Kind: "execute", Input: raw}, Place{Folder: filepath.Join(dir, at)}), FollowRules).Verdict
	}
	for _, at := range []string{"", "sub", "nested"} {
		for _, line := range []string{"git status", "git diff HEAD", "git log --oneline", "cd . && git status", "git --version"} {
			if got := decide(line, at); got != Allowed {
				t.Errorf("%s in %q: %s", line, at, got)
			}
		}
	}
	// A hook that only a commit starts.
	if got := decide("git commit -m x", ""); got != Ask {
		t.Errorf("a commit with a hook: %s", got)
	}
	if got := decide("git commit -m x", "nested"); got != Allowed {
		t.Errorf("a commit without one: %s", got)
	}
	// A helper that git starts only when it connects to another repository; here it would fetch missing objects.
	configure(t, gitDir, "core.sshCommand", "x")
	if got := decide("git status", ""); got != Ask {
		t.Errorf("a partial clone with a program for the network: %s", got)
	}
	run(t, dir, "git", "config", "--unset", "remote.origin.promisor")
	for line, want := range map[string]Verdict{"git status": Allowed, "git fetch": Ask, "git add .": Ask} {
		if got := decide(line, ""); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
	// Without a repository there is nothing to ask about.
	if got := set.Decide(Describe(&Call{Kind: "execute", Input: []byte(`{"command":"git status"}`)}, Place{Folder: t.TempDir()}), FollowRules).Verdict; got != Allowed {
		t.Errorf("no repository: %s", got)
	}
}

// The repository of these lines is known only when they run.
func TestUnknownGitRepositoriesAreAskedAbout(t *testing.T) {
	dir := t.TempDir()
	newRepository(t, dir, false)
	set := gitRules()
	for _, line := range []string{
		`cd "$X" && git status`, "cd && git status", "cd - && git status", "cd ~ && git status", `git -C "$X" status`, "git -C $(pwd) status", "git --git-dir=new status",
		"git --work-tree=/ status", "git --bare status", "git -c core.fsmonitor=x status", "git -c alias.x=!x x", "git --exec-path=x status", "git --config-env=a.b=C status",
		"git -C nowhere status", "pushd x && git status", "git --unheard status", "cd -P x && git status",
		strings.Repeat("cd a/../b; cd c/../d; ", 8) + "git status",
	} {
		raw, err := json.Marshal(map[string]string{"command": line})
		if err != nil {
			t.Fatal(err)
		}
		sub := Describe(&Call{Kind: "execute", Input: raw}, Place{Folder: dir})
		if got := set.Decide(sub, FollowRules).Verdict; got != Ask {
			t.Errorf("%s: %s (unclear %q)", line, got, sub.Unclear)
		}
	}
}

func BenchmarkDescribeGitStatus(b *testing.B) {
	dir := b.TempDir()
	if err := exec.CommandContext(b.Context(), "git", "init", "-q", dir).Run(); err != nil {
		b.Fatal(err)
	}
	call := &Call{Kind: "execute", Input: []byte(`{"command":"git status && git diff"}`)}
	for b.Loop() {
		if sub := Describe(call, Place{Folder: dir}); sub.Unclear != "" {
			b.Fatal(sub.Unclear)
		}
	}
}

// An earlier command of a line changes what a repository runs, so Weft asks.
func TestGitCommandsAfterChangesAreAsked(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a shell")
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	set := NewSet([]Rule{
		rule(Allow, "cmd:git"), rule(Allow, "cmd:cd"), rule(Allow, "cmd:git add"), rule(Allow, "cmd:git commit"), rule(Allow, "cmd:git pull"), rule(Allow, "cmd:git fetch"), rule(Allow, "cmd:npm test"), rule(Allow, "cmd:git checkout x"),
		rule(Allow, "cmd:./x"), rule(Allow, "cmd:echo"), rule(Allow, "cmd:cat"), rule(Allow, "kind:edit", "path:*.txt"), rule(Allow, "kind:edit", "path:more"),
	})
	mark := filepath.Join(t.TempDir(), "ran")
	dir := filepath.Join(t.TempDir(), "nested")
	newRepository(t, dir, false)
	fill := func(at string) {
		gitDir := newRepository(t, filepath.Join(dir, at), false)
		configure(t, gitDir, "core.fsmonitor", "touch "+mark)
		configure(t, gitDir, "user.name", "a")
		configure(t, gitDir, "user.email", "a@b")
	}
	plain := filepath.Join(t.TempDir(), "plain")
	newRepository(t, plain, false)
	fill("deep/inner")
	included := filepath.Join(t.TempDir(), "included")
	configure(t, newRepository(t, included, false), "include.path", "../more")
	for _, c := range []struct{ in, line string }{
		{dir, "git add -A && git status"},
		{dir, "git add . && git status -s"},
		{dir, "git add deep; git diff"},
		{dir, "git add 'deep/inner' && git add -A"},
		{dir, "git add -A && git commit -m x --dry-run"},
		{dir, "git add -A && git commit -am x"},
		{dir, "git add -A && git describe --always --dirty"},
		{dir, "git add -A | git status"},
		{dir, "(git add -A); git status"},
		{dir, "git add -A & git status"},
		{dir, "git status & git add -A"},
		{dir, "git add deep/* && git diff-files"},
		{dir, "git add -u && git status"},
		{dir, "git commit -am x && git status"},
		{dir, "git pull && git status"},
		{dir, "git checkout x && git status"},
		{dir, "./x && git log"},
		{dir, "git status || ./x"},
		{plain, "git pull && cd deep && git status"},
		{plain, "./x; git diff"},
		{included, "echo x > more && git status"},
		{included, "cat a.bin > more; git diff"},
		{included, "git pull && git status"},
	} {
		got, sub := decide(t, c.in, set, c.line)
		cmd := exec.CommandContext(t.Context(), "sh", "-c", c.line)
		cmd.Dir = c.in
		if got == Ask {
			continue
		}
		_ = cmd.Run()
		t.Errorf("%s in %s is answered %s (unclear %q); it ran a command: %v", c.line, filepath.Base(c.in), got, sub.Unclear, os.Remove(mark) == nil)
		_ = exec.CommandContext(t.Context(), "git", "-C", c.in, "reset", "-q", "--mixed").Run()
	}
	for _, line := range []string{
		"git status && git diff", "git add -A && git commit -m x", "git add -A && git commit -m x && git status", "git pull && git log -1", "git fetch && git status", "git add a.bin && git status", "git commit -m x && git status", "npm test && git status",
		"git status && git add -A", "echo x > y.txt && git diff",
	} {
		if got, sub := decide(t, plain, set, line); got != Allowed {
			t.Errorf("%s is answered %s (unclear %q)", line, got, sub.Unclear)
		}
	}
	// An added file isn't a repository.
	for _, line := range []string{"git add a.bin && git status", "git add a.bin .gitattributes && git commit -m x && git status", "git status && git add -A", "git commit -m x && git status"} {
		if got, sub := decide(t, dir, set, line); got != Allowed {
			t.Errorf("beside another repository, %s is answered %s (unclear %q)", line, got, sub.Unclear)
		}
	}
}
