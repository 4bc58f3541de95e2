package commit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"weft/backend/base/fault"
	"weft/backend/base/raced"
)

// accepted are the accepted changes of a test, by path.
type accepted map[string]History

func (a accepted) Paths() []string    { return slices.Sorted(maps.Keys(a)) }
func (a accepted) Text(b []byte) bool { return !bytes.ContainsRune(b, 0) }
func (a accepted) History(_ context.Context, path string) (History, error) {
	return a[path], nil
}

// accept says that a file was changed and is as it was left.
func accept(before, after Version) History {
	return History{Changes: []Change{{before, after}}, Present: after}
}

type checkout struct {
	t   *testing.T
	dir string
}

func newCheckout(t *testing.T) checkout {
	t.Helper()
	c := checkout{t, t.TempDir()}
	c.git("init", "--quiet", "--initial-branch", "main")
	c.git("config", "user.name", "Ada")
	c.git("config", "user.email", "ada@example.org")
	return c
}

func (c checkout) git(args ...string) string {
	c.t.Helper()
	cmd := exec.Command("git", args...) //nolint:noctx // as a user would
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (c checkout) write(name, content string) {
	c.t.Helper()
	path := filepath.Join(c.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

func (c checkout) commit(files map[string]string) {
	c.t.Helper()
	for name, content := range files {
		c.write(name, content)
	}
	c.git("add", "--all")
	c.git("commit", "--quiet", "--message", "before")
}

func (c checkout) all(folder string, from accepted) []Choice {
	c.t.Helper()
	plan, err := Look(c.t.Context(), filepath.Join(c.dir, folder), from)
	if err != nil {
		c.t.Fatal(err)
	}
	var list []Choice
	for _, f := range plan.Files {
		if f.Problem == "" {
			list = append(list, Choice{f.Path, f.Version})
		}
	}
	return list
}

func (c checkout) make(folder string, from accepted) Made {
	c.t.Helper()
	made, err := Make(c.t.Context(), filepath.Join(c.dir, folder), from, c.all(folder, from), "Change it\n\nBecause.  \n\n", Identity{})
	if err != nil {
		c.t.Fatal(err)
	}
	return made
}

func TestCommitHasTheAcceptedChangesOnly(t *testing.T) {
	c := newCheckout(t)
	c.commit(map[string]string{"a.txt": "1\n2\n3\n4\n5\n", "staged.txt": "x\n", "gone.txt": "x\n", "sub/b.txt": "b\n"})
	// The user has staged one file and edited the last line of another; of the agent's two changes one was accepted.
	c.write("staged.txt", "y\n")
	c.git("add", "staged.txt")
	c.write("a.txt", "ONE\n2\nTHREE\n4\nfive\n")
	c.write("new.txt", "new\n")
	if err := os.Remove(filepath.Join(c.dir, "gone.txt")); err != nil {
		t.Fatal(err)
	}
	made := c.make("", accepted{
		"a.txt":    accept(text("1\n2\n3\n4\n5\n"), text("ONE\n2\n3\n4\n5\n")),
		"new.txt":  accept(Version{}, text("new\n")),
		"gone.txt": accept(text("x\n"), Version{}),
	})
	if made.Files != 3 || made.Branch != "main" || made.Subject != "Change it" || made.Commit != strings.TrimSpace(c.git("rev-parse", "HEAD")) {
		t.Errorf("%+v", made)
	}
	for args, want := range map[string]string{
		"show HEAD:a.txt":                         "ONE\n2\n3\n4\n5\n",
		"show --format=%an|%B --name-status HEAD": "Ada|Change it\n\nBecause.\n\n\nM\ta.txt\nD\tgone.txt\nA\tnew.txt\n",
		"diff --cached --name-only":               "staged.txt\n",
		"diff --name-only":                        "a.txt\n",
		"status --porcelain":                      " M a.txt\nM  staged.txt\n",
		"log --format=%s":                         "Change it\nbefore\n",
		"fsck --strict":                           "",
	} {
		if got := c.git(strings.Fields(args)...); got != want {
			t.Errorf("git %s: %q, want %q", args, got, want)
		}
	}
	if got, _ := os.ReadFile(filepath.Join(c.dir, "a.txt")); string(got) != "ONE\n2\nTHREE\n4\nfive\n" {
		t.Errorf("the file was changed: %q", got)
	}
	plan, err := Look(t.Context(), c.dir, accepted{"a.txt": accept(text("1\n2\n3\n4\n5\n"), text("ONE\n2\n3\n4\n5\n"))})
	if err != nil || len(plan.Files) != 0 {
		t.Errorf("what is committed is still listed: %+v, %v", plan, err)
	}
}

func TestCommitFromFolderInsideRepository(t *testing.T) {
	c := newCheckout(t)
	c.commit(map[string]string{"src/[a] *?.txt": "1\n", "src/a  b.txt": "1\n", "other": "x\n"})
	c.make("src", accepted{"[a] *?.txt": accept(text("1\n"), text("2\n")), "deep/ü\"x.txt": accept(Version{}, text("n\n"))})
	if got := c.git("-c", "core.quotePath=false", "show", "--format=", "--name-status", "-z", "HEAD"); got != "M\x00src/[a] *?.txt\x00A\x00src/deep/ü\"x.txt\x00" {
		t.Errorf("%q", got)
	}
}

func TestFirstCommitOfRepository(t *testing.T) {
	c := newCheckout(t)
	c.write("mine.txt", "mine\n")
	c.git("add", "mine.txt")
	c.make("", accepted{"a.txt": accept(Version{}, text("a\n"))})
	if got := c.git("ls-tree", "--name-only", "HEAD"); got != "a.txt\n" {
		t.Errorf("%q", got)
	}
	if got := c.git("status", "--porcelain"); got != "A  mine.txt\n D a.txt\n" && got != " D a.txt\nA  mine.txt\n" {
		t.Errorf("%q", got)
	}
}

// TestCommitKeepsStagedLines stages other lines of the file that is committed.
func TestCommitKeepsStagedLines(t *testing.T) {
	c := newCheckout(t)
	base := "1\n2\n3\n4\n5\n"
	c.commit(map[string]string{"a.txt": base})
	c.write("a.txt", "1\n2\n3\n4\nFIVE\n")
	c.git("add", "a.txt")
	c.write("a.txt", "ONE\n2\n3\n4\nFIVE\n")
	c.make("", accepted{"a.txt": accept(text(base), text("ONE\n2\n3\n4\n5\n"))})
	if got := c.git("show", "HEAD:a.txt"); got != "ONE\n2\n3\n4\n5\n" {
		t.Errorf("committed: %q", got)
	}
	if got := c.git("show", ":a.txt"); got != "ONE\n2\n3\n4\nFIVE\n" {
		t.Errorf("staged: %q", got)
	}
	c.write("a.txt", "uno\n2\n3\n4\nFIVE\n")
	c.git("add", "a.txt")
	from := accepted{"a.txt": accept(text("ONE\n2\n3\n4\n5\n"), text("EINS\n2\n3\n4\n5\n"))}
	before := c.git("rev-parse", "HEAD")
	if _, err := Make(t.Context(), c.dir, from, c.all("", from), "x", Identity{}); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("staged lines are overwritten: %v", err)
	}
	if got := c.git("rev-parse", "HEAD"); got != before {
		t.Error("the branch was moved")
	}
}

func TestCommitIsRefused(t *testing.T) {
	base, next := text("1\n"), text("2\n")
	from := accepted{"a.txt": accept(base, next)}
	for _, one := range []struct {
		name, code, says string
		prepare          func(c checkout)
		message          string
		chosen           func(c checkout) []Choice
	}{
		{name: "no message", code: "invalid", says: "message is required", message: " \n\t"},
		{name: "nothing chosen", code: "invalid", says: "at least one", message: "x", chosen: func(checkout) []Choice { return nil }},
		{name: "not as it was shown", code: "changed", says: "a.txt has changed", message: "x", chosen: func(checkout) []Choice { return []Choice{{"a.txt", "0"}} }},
		{name: "a file that isn't listed", code: "changed", says: "b.txt has changed", message: "x", chosen: func(checkout) []Choice { return []Choice{{"b.txt", ""}} }},
		{name: "a merge is in progress", code: "busy", says: "A merge is in progress", message: "x", prepare: func(c checkout) {
			c.write(".git/MERGE_HEAD", strings.Repeat("0", 40))
		}, chosen: func(checkout) []Choice { return []Choice{{"a.txt", ""}} }},
		{name: "the index is locked", code: "locked", says: "Another git process", message: "x", prepare: func(c checkout) { c.write(".git/index.lock", "") }},
		{name: "nobody", code: "git", says: "doesn't know who you are", message: "x", prepare: func(c checkout) {
			c.git("config", "user.name", "")
			c.git("config", "user.useConfigOnly", "true")
			c.git("config", "user.email", "")
		}},
		{
			name: "the last commit has other lines", code: "conflict", says: "The last commit has other lines", message: "x", prepare: func(c checkout) { c.commit(map[string]string{"a.txt": "3\n"}) },
			chosen: func(checkout) []Choice { return []Choice{{"a.txt", ""}} },
		},
	} {
		t.Run(one.name, func(t *testing.T) {
			t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
			c := newCheckout(t)
			c.commit(map[string]string{"a.txt": "1\n"})
			if one.prepare != nil {
				one.prepare(c)
			}
			before := c.git("rev-parse", "HEAD")
			var chosen []Choice
			if one.chosen != nil {
				chosen = one.chosen(c)
			} else {
				chosen = c.all("", from)
			}
			_, err := Make(t.Context(), c.dir, from, chosen, one.message, Identity{})
			if fault.CodeOf(err) != one.code || !strings.Contains(err.Error(), one.says) {
				t.Errorf("%v", err)
			}
			if got := c.git("rev-parse", "HEAD"); got != before {
				t.Error("the branch was moved")
			}
		})
	}
	if _, err := Look(t.Context(), t.TempDir(), from); fault.CodeOf(err) != "no_repository" {
		t.Errorf("a folder that is in no repository: %v", err)
	}
}

// TestAcceptedMatchesPlan also asks where nothing was accepted: then a folder needs no repository.
func TestAcceptedMatchesPlan(t *testing.T) {
	c := newCheckout(t)
	c.commit(map[string]string{"a.txt": "1\n", ".gitignore": "*.log\n"})
	from := accepted{"a.txt": accept(text("1\n"), text("2\n")), "x.log": accept(Version{}, text("x\n"))}
	plan, err := Look(t.Context(), c.dir, from)
	if err != nil {
		t.Fatal(err)
	}
	if files, err := Accepted(t.Context(), c.dir, from); err != nil || len(files) != 2 || !reflect.DeepEqual(files, plan.Files) {
		t.Errorf("%+v, %v, and the plan has %+v", files, err, plan.Files)
	}
	c.make("", from)
	if files, err := Accepted(t.Context(), c.dir, accepted{"a.txt": from["a.txt"]}); err != nil || len(files) != 0 {
		t.Errorf("committed: %+v, %v", files, err)
	}
	if files, err := Accepted(t.Context(), t.TempDir(), accepted{}); err != nil || files == nil || len(files) != 0 {
		t.Errorf("nothing accepted: %+v, %v", files, err)
	}
	if _, err := Accepted(t.Context(), t.TempDir(), from); fault.CodeOf(err) != "no_repository" {
		t.Errorf("no repository: %v", err)
	}
}

func TestFilesThatCannotBeCommittedSayWhy(t *testing.T) {
	c := newCheckout(t)
	c.commit(map[string]string{"a.txt": "1\n", ".gitignore": "*.log\n"})
	c.write("nested/.git/HEAD", "")
	plan, err := Look(t.Context(), c.dir, accepted{
		"x.log":        accept(Version{}, text("x\n")),
		"nested/a.txt": accept(Version{}, text("x\n")),
	})
	if err != nil || len(plan.Files) != 2 || !strings.Contains(plan.Files[0].Problem, "another repository") || plan.Files[1].Problem != "Git ignores this file." {
		t.Errorf("%+v, %v", plan.Files, err)
	}
}

// A submodule contains a new file, next to a file that can be committed. Git refuses to say whether the new one is
// ignored.
func TestFilesOfSubmoduleSayWhy(t *testing.T) {
	c := newCheckout(t)
	c.commit(map[string]string{"a.txt": "1\n"})
	inner := checkout{t, filepath.Join(c.dir, "inner")}
	if err := os.Mkdir(inner.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	inner.git("init", "--quiet")
	inner.git("-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "--allow-empty", "--message", "in it")
	c.git("-c", "advice.addEmbeddedRepo=false", "add", "inner")
	c.git("commit", "--quiet", "--message", "submodule")
	from := accepted{"a.txt": accept(text("1\n"), text("2\n")), "inner/new.txt": accept(Version{}, text("x\n")), "other.txt": accept(Version{}, text("y\n"))}
	plan, err := Look(t.Context(), c.dir, from)
	if err != nil || len(plan.Files) != 3 || !strings.Contains(plan.Files[1].Problem, "another repository") {
		t.Fatalf("%+v, %v", plan.Files, err)
	}
	if made := c.make("", from); made.Files != 2 {
		t.Errorf("%+v", made)
	}
}

func TestHooksAndSigningAreNamed(t *testing.T) {
	c := newCheckout(t)
	c.commit(map[string]string{"a.txt": "1\n"})
	c.git("config", "core.hooksPath", "hooks")
	c.git("config", "commit.gpgSign", "true")
	c.write("hooks/pre-commit", "#!/bin/sh\nexit 1\n")
	if err := os.Chmod(filepath.Join(c.dir, "hooks/pre-commit"), 0o755); err != nil {
		t.Fatal(err)
	}
	from := accepted{"a.txt": accept(text("1\n"), text("2\n"))}
	plan, err := Look(t.Context(), c.dir, from)
	if err != nil || !slices.Equal(plan.Hooks, []string{"pre-commit"}) || !plan.Unsigned {
		t.Errorf("%+v, %v", plan, err)
	}
	c.make("", from)
}

// The user accepts some of an agent's random hunks in random files, next to random edits and staged lines of the user.
// The commit contains exactly the accepted hunks, and the user's work is unchanged.
func TestRandomCommits(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 2))
	for round := range raced.Of(60) {
		c := newCheckout(t)
		from, base, want, work := accepted{}, map[string]string{}, map[string]string{}, map[string]string{}
		for i := range 1 + random.IntN(4) {
			name := fmt.Sprintf("dir %d/f%d.txt", i%2, i)
			var b, agent, all, acc strings.Builder
			for n := range 4 + random.IntN(20) {
				line := fmt.Sprintf("%d\n", n)
				b.WriteString(line)
				switch random.IntN(6) {
				case 0: // the agent's, accepted
					line = fmt.Sprintf("agent %d\n", n)
					agent.WriteString(line)
					all.WriteString(line)
					acc.WriteString(line)
				case 1: // the agent's, not decided
					agent.WriteString(line + "later\n")
					all.WriteString(line + "later\n")
					acc.WriteString(line)
				case 2: // the user's
					agent.WriteString(line)
					all.WriteString("user " + line)
					acc.WriteString(line)
				default:
					agent.WriteString(line)
					all.WriteString(line)
					acc.WriteString(line)
				}
				for _, s := range []*strings.Builder{&b, &agent, &all, &acc} {
					fmt.Fprintf(s, "between %d\n", n)
				}
			}
			base[name], want[name], work[name] = b.String(), acc.String(), all.String()
			from[name] = History{Changes: []Change{{text(b.String()), text(acc.String())}}, Present: text(all.String())}
		}
		c.commit(base)
		for name, content := range work {
			c.write(name, content)
		}
		list := c.all("", from)
		if len(list) == 0 {
			continue
		}
		if _, err := Make(t.Context(), c.dir, from, list, "m", Identity{}); err != nil {
			t.Fatalf("seed %d, round %d: %v", seed, round, err)
		}
		for name := range from {
			if got := c.git("show", "HEAD:"+name); got != want[name] {
				t.Fatalf("seed %d, round %d: %s is %q, want %q", seed, round, name, got, want[name])
			}
			if got, _ := os.ReadFile(filepath.Join(c.dir, name)); string(got) != work[name] {
				t.Fatalf("seed %d, round %d: the working tree was changed", seed, round)
			}
		}
		if got := c.git("diff", "--cached"); got != "" {
			t.Fatalf("seed %d, round %d: staged: %s", seed, round, got)
		}
	}
}

func TestCanceledCommitChangesNothing(t *testing.T) {
	c := newCheckout(t)
	c.commit(map[string]string{"a.txt": "1\n"})
	from := accepted{"a.txt": accept(text("1\n"), text("2\n"))}
	list := c.all("", from)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Make(ctx, c.dir, from, list, "m", Identity{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if got := c.git("log", "--format=%s"); got != "before\n" {
		t.Errorf("%q", got)
	}
}
