package git

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"weft/backend/git/repo"
)

// calls are the calls of Weft: what package worktree and package finder ask git for, and more that would run something.
var calls = [][]string{
	{"rev-parse", "--is-inside-work-tree"},
	{"log", "-1", "--no-show-signature", "--format=%s", "HEAD"},
	{"status", "--porcelain", "-z", "--untracked-files=all", "--ignored=matching", "--ignore-submodules=dirty", "--no-renames"},
	{"ls-files", "-v", "-z"},
	{"ls-files", "--stage", "-z"},
	{"worktree", "list", "--porcelain", "-z"},
	{"rev-list", "--count", "HEAD", "--not", "--remotes"},
	{"symbolic-ref", "--quiet", "--short", "HEAD"},
	{"worktree", "add", "--quiet", "--no-checkout", "-b", "topic", "../tree", "HEAD"},
	{"-C", "../tree", "reset", "--hard", "--quiet", "--no-recurse-submodules"},
	{"worktree", "remove", "--force", "../tree"},
	{"update-ref", "-d", "refs/heads/topic"},
}

func plainGit(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// hostile makes a repository with a file that every driver called x is for, changed since it was added.
func hostile(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "r")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(".gitattributes", "*.bin filter=x diff=x merge=x\n")
	write("a.bin", "content\n")
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-qm", "first"}} {
		if out, err := plainGit(t, dir, args...); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write("a.bin", "Content\n")
	return dir
}

// documented are the settings that git's own list names, with x for what may be any name, and those of packages that git starts.
func documented(t *testing.T) (keys []string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", "help", "--config-for-completion").Output()
	if err != nil {
		t.Skip("git isn't installed")
	}
	for key := range strings.Lines(string(out)) {
		key = strings.ReplaceAll(strings.TrimSpace(key), "*", "x")
		if rest, ok := strings.CutSuffix(key, "."); ok {
			for _, name := range []string{"command", "textconv", "driver", "clean", "smudge", "process", "cmd", "path", "helper", "program", "vcs", "update", "uploadpack", "x"} {
				keys = append(keys, rest+".x."+name)
			}
			if rest == "alias" || rest == "pager" {
				for _, name := range []string{"status", "log", "worktree", "reset"} {
					keys = append(keys, rest+"."+name)
				}
			}
			continue
		}
		keys = append(keys, key)
	}
	keys = append(keys, "filter.x.clean", "filter.x.smudge", "filter.x.process", "diff.x.command", "diff.x.textconv", "merge.x.driver", "core.fsmonitor",
		"hook.x.command", "lfs.extension.x.clean", "lfs.customtransfer.x.path")
	slices.Sort(keys)
	return slices.Compact(keys)
}

// trial makes repositories with settings that are commands, and calls git in them.
type trial struct {
	t               *testing.T
	marks           string // the folder into which the commands write, a file for each setting
	git             func(dir string, args ...string) error
	calls           [][]string
	answered, tried int
}

// try has all of keys in one repository. Where git refuses it for one of them, it tries the halves.
func (tr *trial) try(keys []string) {
	tr.t.Helper()
	dir := hostile(tr.t)
	var b strings.Builder
	b.WriteString("[core]\n\trepositoryformatversion = 0\n")
	for _, key := range keys {
		section, sub, name := repo.Entry{Key: key}.Split()
		if sub != "" {
			section += " \"" + sub + "\""
		}
		b.WriteString("[" + section + "]\n\t" + name + " = \"touch " + filepath.Join(tr.marks, key) + "; cat\"\n")
	}
	if err := os.WriteFile(filepath.Join(dir, ".git", "config"), []byte(b.String()), 0o600); err != nil {
		tr.t.Fatal(err)
	}
	tr.tried++
	if err := tr.git(dir, "status", "--porcelain"); err == nil {
		tr.answered += len(keys)
	} else if len(keys) > 1 {
		tr.try(keys[:len(keys)/2])
		tr.try(keys[len(keys)/2:])
		return
	}
	for _, args := range tr.calls {
		_ = tr.git(dir, args...)
	}
}

// nothingRan fails the test where a command was run, and tells how much was tried.
func (tr *trial) nothingRan(count int) {
	tr.t.Helper()
	if ran, err := filepath.Glob(filepath.Join(tr.marks, "*")); err != nil || len(ran) > 0 {
		tr.t.Errorf("run: %v, %v", ran, err)
	}
	tr.t.Logf("%d settings; git answered with %d, in %d repositories", count, tr.answered, tr.tried)
	if tr.answered < count/2 {
		tr.t.Errorf("git answered with only %d of %d settings", tr.answered, count)
	}
}

func newTrial(t *testing.T) *trial {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a shell")
	}
	t.Setenv("HOME", t.TempDir())
	return &trial{t: t, marks: t.TempDir(), calls: calls}
}

// byUse parts settings into those that name a command and those that name none.
func byUse(keys []string) (commands, others []string) {
	rng := rand.New(rand.NewPCG(3, 13))
	rng.Shuffle(len(keys), func(i, k int) { keys[i], keys[k] = keys[k], keys[i] })
	for _, key := range keys {
		if (repo.Entry{Key: strings.ToLower(key), Value: "touch x; cat"}).Use() == repo.Never {
			others = append(others, key)
		} else {
			commands = append(commands, key)
		}
	}
	return commands, others
}

// TestNoDocumentedSettingRunsACommand gives each setting that names a command one as its value and makes each of Weft's calls.
func TestNoDocumentedSettingRunsACommand(t *testing.T) {
	tr := newTrial(t)
	tr.git = func(dir string, args ...string) error {
		_, _, err := Run(t.Context(), dir, Options{Checkout: args[0] == "reset"}, args...)
		return err
	}
	keys, others := byUse(documented(t))
	if os.Getenv("WEFT_LONG") != "" {
		keys = append(keys, others...)
	}
	tr.try(keys)
	tr.nothingRan(len(keys))

	// The test means something: git itself runs some.
	dir := hostile(t)
	for _, key := range []string{"filter.x.clean", "core.fsmonitor"} {
		if out, err := plainGit(t, dir, "config", key, "touch "+filepath.Join(tr.marks, key)+"; cat"); err != nil {
			t.Fatal(out)
		}
		_, _ = plainGit(t, dir, "status")
		if _, err := os.Lstat(filepath.Join(tr.marks, key)); err != nil {
			t.Errorf("git itself doesn't run %s", key)
		}
	}
}

// TestHarmlessSettingsRunNoCommand checks the table of the settings against git itself, without Weft's protection: what
// the table knows no use of runs nothing while a repository is looked at.
func TestHarmlessSettingsRunNoCommand(t *testing.T) {
	tr := newTrial(t)
	tr.git = func(dir string, args ...string) error {
		_, err := plainGit(t, dir, args...)
		return err
	}
	tr.calls = [][]string{{"status"}, {"diff"}, {"log", "-p"}, {"show"}, {"blame", "a.bin"}, {"grep", "content"}, {"ls-files"}, {"add", "-A"}, {"commit", "-qm", "x"}, {"worktree", "add", "-q", "../tree"}}
	_, keys := byUse(documented(t))
	if os.Getenv("WEFT_LONG") == "" {
		keys = keys[:20] // git refuses most values that are no number, so that each needs a repository of its own
	}
	for part := range slices.Chunk(keys, 10) {
		tr.try(part)
	}
	tr.nothingRan(len(keys))
}

// TestReportedCommandsNameTheRepository compares what is told about a repository, and its token.
func TestReportedCommandsNameTheRepository(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	one, two := hostile(t), hostile(t)
	if list, token, err := Commands(one); len(list) > 0 || token != "" || err != nil {
		t.Errorf("a plain repository: %v %q %v", list, token, err)
	}
	tokens := map[string]bool{}
	for _, dir := range []string{one, two} {
		for _, value := range []string{"cat", "dog"} {
			if out, err := plainGit(t, dir, "config", "filter.x.clean", value); err != nil {
				t.Fatal(out)
			}
			list, token, err := Commands(dir)
			if err != nil || len(list) != 1 || list[0].Key != "filter.x.clean" || list[0].Value != value || !list[0].Filter() || list[0].File != filepath.Join(dir, ".git", "config") {
				t.Errorf("%+v, %v", list, err)
			}
			tokens[token] = true
		}
	}
	if len(tokens) != 4 {
		t.Errorf("tokens: %v", tokens)
	}
}
