package review

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/backend/conversation/transcript"
	"weft/backend/store"
	"weft/backend/store/spaces"
)

// world is a folder, a space on it and its review.
type world struct {
	t       testing.TB
	dir     string
	data    string
	store   *store.Store
	reviews *Reviews
	space   string
	turns   int
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), data: t.TempDir()}
	w.start()
	w.space = w.newSpace()
	t.Cleanup(w.stop)
	return w
}

func (w *world) start() {
	w.t.Helper()
	var err error
	if w.store, _, err = store.Open(context.Background(), w.data, store.Options{}); err != nil {
		w.t.Fatal(err)
	}
	w.reviews, err = Open(context.Background(), Options{Store: w.store, DataDir: w.data, OnChange: func(string) {}, Folder: func(ctx context.Context, id string) (string, error) {
		sp, err := w.store.Spaces.Get(ctx, id)
		return sp.Folder, err
	}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.reviews.Recover(context.Background())
}

func (w *world) stop() {
	w.must(w.reviews.Close())
	w.must(w.store.Close(context.Background()))
}

func (w *world) newSpace() string {
	sp, err := w.store.Spaces.Create(context.Background(), spaces.Space{Folder: w.dir})
	w.must(err)
	return sp.ID
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) write(name, text string) {
	w.t.Helper()
	file := filepath.Join(w.dir, name)
	w.must(os.MkdirAll(filepath.Dir(file), 0o755))
	w.must(os.WriteFile(file, []byte(text), 0o644))
}

func (w *world) remove(name string) {
	w.t.Helper()
	w.must(os.RemoveAll(filepath.Join(w.dir, name)))
}

// begin starts a turn and returns a function that ends it. The ids of the prompts are p1, p2, …
func (w *world) begin(space string) (end func()) {
	w.t.Helper()
	w.turns++
	run := fmt.Sprint("r", w.turns)
	w.reviews.Watcher.BeforeTurn(space, run, fmt.Sprint("p", w.turns))(w.t.Context())
	return func() {
		w.t.Helper()
		w.reviews.Watcher.AfterTurn(space, run)
		w.must(w.reviews.Watcher.Settled(w.t.Context(), space))
	}
}

// turn runs a whole turn of the space's agent.
func (w *world) turn(do func()) {
	w.t.Helper()
	end := w.begin(w.space)
	do()
	end()
}

// tree returns everything in the folder, with modes and contents.
func (w *world) tree() map[string]string {
	w.t.Helper()
	return treeOf(w.t, w.dir)
}

func treeOf(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		line := info.Mode().String()
		switch {
		case info.Mode().IsRegular():
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			line += fmt.Sprintf(" %x", sha256.Sum256(b))
		case info.Mode()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(p)
			line += " → " + to
		}
		out[rel] = line
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (w *world) same(want map[string]string) {
	w.t.Helper()
	got := w.tree()
	for p, line := range want {
		if got[p] != line {
			w.t.Errorf("%s is %q, was %q", p, got[p], line)
		}
	}
	for p := range got {
		if _, ok := want[p]; !ok {
			w.t.Errorf("%s was not there", p)
		}
	}
}

func (w *world) list() []File {
	w.t.Helper()
	c, err := w.reviews.List(w.t.Context(), w.space)
	w.must(err)
	return c.Files
}

// wants compares the list, one file per line: "what path +added -removed".
func (w *world) wants(want ...string) {
	w.t.Helper()
	w.wantsIn(w.space, want...)
}

func (w *world) wantsIn(space string, want ...string) {
	w.t.Helper()
	c, err := w.reviews.List(w.t.Context(), space)
	w.must(err)
	got := []string{}
	for _, f := range c.Files {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s +%d -%d %s", f.What, f.Path, f.Added, f.Removed, f.Reason)))
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		w.t.Errorf("to review:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func (w *world) reject(picks ...Pick) Outcome {
	w.t.Helper()
	out, err := w.reviews.Reject(w.t.Context(), w.space, picks)
	w.must(err)
	return out
}

func (w *world) accept(picks ...Pick) Outcome {
	w.t.Helper()
	out, err := w.reviews.Accept(w.t.Context(), w.space, picks)
	w.must(err)
	return out
}

func (w *world) id(path string) int64 {
	w.t.Helper()
	for _, f := range w.list() {
		if f.Path == path {
			return f.ID
		}
	}
	w.t.Fatalf("%s is not to be reviewed", path)
	return 0
}

func (w *world) holds(name, want string) {
	w.t.Helper()
	b, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil || string(b) != want {
		w.t.Errorf("%s holds %q (%v), want %q", name, b, err, want)
	}
}

func TestRejectRestoresEveryKindOfChange(t *testing.T) {
	w := newWorld(t)
	w.write("edited.txt", "one\r\ntwo\nthree")
	w.write("bytes.txt", "\xff\xfe\x01\n\xef\xbb\xbf")
	w.write("deleted.txt", "gone\n")
	w.write("sub/deep/deleted.txt", "gone too\n")
	w.write("binary", "a\x00b")
	w.write("run.sh", "#!/bin/sh\n")
	w.write("secret", "s\n")
	w.write("moved.txt", "the same\n")
	w.must(os.Chmod(filepath.Join(w.dir, "secret"), 0o600))
	w.must(os.Symlink("edited.txt", filepath.Join(w.dir, "link")))
	w.must(os.Mkdir(filepath.Join(w.dir, "empty"), 0o755))
	before := w.tree()
	w.turn(func() {
		w.write("edited.txt", "one\ntwo\nTHREE\n")
		w.write("bytes.txt", "clean\n")
		w.remove("deleted.txt")
		w.remove("sub")
		w.write("binary", "a\x00c")
		w.must(os.Chmod(filepath.Join(w.dir, "run.sh"), 0o755))
		w.write("secret", "S\n")
		w.must(os.Chmod(filepath.Join(w.dir, "secret"), 0o644))
		w.must(os.Rename(filepath.Join(w.dir, "moved.txt"), filepath.Join(w.dir, "moved-to.txt")))
		w.remove("link")
		w.write("link", "a file now")
		w.write("new/folder/added.txt", "a\nb\n")
		w.write("new/other.txt", "a\n")
		w.write("empty/added.txt", "x\n")
		w.write("nothing.txt", "")
	})
	w.wants("edited edited.txt +2 -2", "edited bytes.txt +1 -2", "deleted deleted.txt +0 -1", "deleted sub/deep/deleted.txt +0 -1",
		"edited binary +0 -0 binary", "mode run.sh +0 -0", "edited secret +1 -1", "renamed moved-to.txt +0 -0", "replaced link +0 -0 link",
		"added new/folder/added.txt +2 -0", "added new/other.txt +1 -0", "added empty/added.txt +1 -0", "added nothing.txt +0 -0")
	changed := w.tree()
	out := w.reject()
	if len(out.Left) > 0 || out.Done != 14 {
		t.Errorf("%+v", out)
	}
	w.same(before)
	w.wants()
	if out, err := w.reviews.Redo(t.Context(), w.space, out.Turn); err != nil || len(out.Left) > 0 {
		t.Errorf("taken back: %+v %v", out, err)
	}
	w.same(changed)
	w.accept()
	w.same(changed)
	w.wants()
}

func TestHunks(t *testing.T) {
	w := newWorld(t)
	w.write("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9")
	w.turn(func() { w.write("a.txt", "1\nB\n3\n4\nE\n6\n7\n8\n9\n") })
	d, err := w.reviews.Diff(t.Context(), w.space, w.id("a.txt"))
	w.must(err)
	if len(d.Hunks) != 3 || d.Hunks[2].Old != "9" {
		t.Fatalf("%+v", d.Hunks)
	}
	w.reject(Pick{ID: d.ID, Version: d.Version, Hunks: []int{1}})
	w.rejected(1)
	w.holds("a.txt", "1\nB\n3\n4\n5\n6\n7\n8\n9\n")
	if out := w.reject(Pick{ID: d.ID, Version: d.Version, Hunks: []int{0}}); len(out.Left) != 1 {
		t.Errorf("a decision about what is not there any more: %+v", out)
	}
	w.accept(Pick{ID: d.ID, Hunks: []int{0}})
	w.reject(Pick{ID: d.ID, Hunks: []int{0}})
	w.holds("a.txt", "1\nB\n3\n4\n5\n6\n7\n8\n9")
	w.wants()
}

// rejected compares the number of changes in the last rejection.
func (w *world) rejected(want int) {
	w.t.Helper()
	c, err := w.reviews.List(w.t.Context(), w.space)
	w.must(err)
	if c.Last == nil || c.Last.Changes != want {
		w.t.Errorf("rejected %+v, want %d", c.Last, want)
	}
}

func TestRejectedChangesAreCounted(t *testing.T) {
	w := newWorld(t)
	w.write("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")
	w.write("binary", "a\x00b")
	w.write("moved.txt", "the same\n")
	w.turn(func() {
		w.write("a.txt", "1\nB\n3\n4\nE\n6\n7\n8\nI\n")
		w.write("binary", "a\x00c")
		w.write("new/added.txt", "a\n")
		w.must(os.Rename(filepath.Join(w.dir, "moved.txt"), filepath.Join(w.dir, "moved-to.txt")))
	})
	w.reject(Pick{ID: w.id("a.txt"), Hunks: []int{0}})
	w.rejected(1)
	w.reject()
	w.rejected(5) // two in a file, a binary file, a new file, a moved one
}

func TestRejectKeepsTheUsersEdits(t *testing.T) {
	w := newWorld(t)
	w.write("a.txt", "1\n2\n3\n4\n5\n")
	w.turn(func() { w.write("a.txt", "1\nB\n3\nD\n5\n") })
	w.write("a.txt", "1\nB mine\n3\nD\n5\nmine\n")
	d, err := w.reviews.Diff(t.Context(), w.space, w.id("a.txt"))
	w.must(err)
	if !d.Changed || !d.Hunks[0].Conflict || d.Hunks[1].Conflict || d.Hunks[0].Now != "B mine\n" {
		t.Errorf("%+v", d.Hunks)
	}
	out := w.reject()
	if len(out.Left) != 1 || !strings.Contains(out.Left[0].Message, "You edited") {
		t.Errorf("%+v", out)
	}
	w.holds("a.txt", "1\nB mine\n3\n4\n5\nmine\n")
	w.wants("edited a.txt +1 -1")
	if out := w.reject(); out.Done != 0 || len(out.Left) != 1 {
		t.Errorf("%+v", out)
	}
	w.holds("a.txt", "1\nB mine\n3\n4\n5\nmine\n")
	// The agent continues: what the user edited is the new baseline.
	w.turn(func() { w.write("a.txt", "1\nB mine\n3\n4\n5\nmine\nagent\n") })
	w.wants("edited a.txt +1 -0")
	w.reject()
	w.holds("a.txt", "1\nB mine\n3\n4\n5\nmine\n")
}

func TestRejectKeepsFilesTheUserCreatedAgain(t *testing.T) {
	w := newWorld(t)
	w.write("a.txt", "1\n")
	w.turn(func() { w.remove("a.txt"); w.write("b.txt", "b\n") })
	w.write("a.txt", "mine\n")
	w.write("b.txt", "b\nmine\n")
	if out := w.reject(); out.Done != 1 || len(out.Left) != 1 {
		t.Errorf("%+v", out)
	}
	w.holds("a.txt", "mine\n")
	w.holds("b.txt", "mine\n")
}

func TestWritesOfIgnoredFiles(t *testing.T) {
	w := newWorld(t)
	w.write(".gitignore", "*.env\ndist/\n")
	w.write("x.env", "A=1\n")
	before := w.tree()
	w.turn(func() {
		w.must(w.reviews.Watcher.Write(t.Context(), w.space, filepath.Join(w.dir, "x.env"), func() error { w.write("x.env", "A=2\n"); return nil }))
		w.must(w.reviews.Watcher.Write(t.Context(), w.space, "dist/deep/o.js", func() error { w.write("dist/deep/o.js", "o\n"); return nil }))
		w.write("dist/unseen.js", "u\n")
	})
	w.wants("edited x.env +1 -1", "added dist/deep/o.js +1 -0")
	w.remove("dist/unseen.js")
	w.reject()
	w.same(before)
}

func TestDiffsOfIgnoredFiles(t *testing.T) {
	w := newWorld(t)
	w.write(".gitignore", "*.env\n")
	w.write("x.env", "A=1\nB=1\n")
	w.write("y.env", "A=1\n")
	before := w.tree()
	kind, done, content := "edit", transcript.StatusCompleted, []transcript.Content{
		{Type: "diff", Path: filepath.Join(w.dir, "x.env"), OldText: "B=1", NewText: "B=2"},
		{Type: "diff", Path: "y.env", OldText: "A=1\n", NewText: "A=2\n"},
		{Type: "diff", Path: "z.env", NewFile: true, NewText: "Z\n"},
	}
	w.turn(func() {
		w.write("x.env", "A=1\nB=2\n")
		w.write("y.env", "A=2\n")
		w.write("z.env", "Z\n")
		w.reviews.Watcher.Tool(w.space, &transcript.ToolPatch{ID: "t", Kind: &kind, Status: &done, Content: &content})
	})
	w.wants("edited x.env +1 -1", "edited y.env +1 -1", "added z.env +1 -0")
	w.reject()
	w.same(before)
}

func TestTwoSpacesOnOneFolder(t *testing.T) {
	w := newWorld(t)
	other := w.newSpace()
	w.write("a.txt", "a\n")
	w.write("b.txt", "b\n")
	endOne, endTwo := w.begin(w.space), w.begin(other)
	w.must(w.reviews.Watcher.Write(t.Context(), w.space, filepath.Join(w.dir, "a.txt"), func() error { w.write("a.txt", "A\n"); return nil }))
	w.write("b.txt", "B\n") // by a command of either
	endOne()
	endTwo()
	w.wantsIn(w.space, "edited a.txt +1 -1", "edited b.txt +1 -1")
	w.wantsIn(other, "edited b.txt +1 -1")
	w.turn(func() { w.write("c.txt", "c\n") })
	w.wantsIn(other, "edited b.txt +1 -1")
}

func TestUndoSincePrompt(t *testing.T) {
	w := newWorld(t)
	w.write("a.txt", "1\n")
	w.write("mine.txt", "1\n")
	w.write("between.txt", "1\n")
	w.turn(func() { w.write("a.txt", "1\n2\n"); w.write("first.txt", "x\n") })
	at := w.tree()
	w.turn(func() {
		w.write("a.txt", "1\n2\n3\n")
		w.write("new/b.txt", "b\n")
		w.write("mine.txt", "agent\n")
		w.write("between.txt", "agent\n")
		w.remove("first.txt")
	})
	w.write("between.txt", "mine\n")
	w.turn(func() { w.write("between.txt", "mine, agent\n"); w.write("a.txt", "3\n") })
	w.write("mine.txt", "agent and I\n")
	plan, err := w.reviews.PlanUndo(t.Context(), w.space, "p2")
	w.must(err)
	got := []string{}
	for _, f := range plan.Files {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %v", f.What, f.Path, f.Conflict != "")))
	}
	if want := []string{"edit a.txt false", "edit between.txt true", "restore first.txt false", "edit mine.txt true", "remove new/b.txt false"}; !slices.Equal(got, want) {
		t.Errorf("plan:\n%s", strings.Join(got, "\n"))
	}
	changed := w.tree()
	out, err := w.reviews.Undo(t.Context(), w.space, "p2", nil, false)
	w.must(err)
	if out.Done != 3 || len(out.Left) != 0 {
		t.Errorf("%+v", out)
	}
	w.holds("between.txt", "mine, agent\n")
	w.holds("mine.txt", "agent and I\n")
	w.holds("a.txt", "1\n2\n")
	redo, err := w.reviews.Redo(t.Context(), w.space, out.Turn)
	w.must(err)
	if len(redo.Left) > 0 {
		t.Errorf("%+v", redo)
	}
	w.same(changed)
	plan, err = w.reviews.PlanUndo(t.Context(), w.space, "p2")
	w.must(err)
	var chosen []Choice
	for _, f := range plan.Files {
		chosen = append(chosen, Choice{f.Path, f.Version})
	}
	// What the user has agreed to, and nothing that has joined it since or isn't what it was.
	only := slices.DeleteFunc(slices.Clone(chosen), func(c Choice) bool { return c.Path != "a.txt" && c.Path != "first.txt" })
	only[1].Version = "another"
	out, err = w.reviews.Undo(t.Context(), w.space, "p2", only, true)
	w.must(err)
	if out.Done != 1 || len(out.Left) != 1 || out.Left[0].Path != "first.txt" {
		t.Errorf("%+v", out)
	}
	w.holds("a.txt", "1\n2\n")
	w.holds("new/b.txt", "b\n")
	if redo, err = w.reviews.Redo(t.Context(), w.space, out.Turn); err != nil || len(redo.Left) > 0 {
		t.Errorf("%+v, %v", redo, err)
	}
	w.same(changed)
	if _, err := w.reviews.Undo(t.Context(), w.space, "p2", chosen, false); err != nil {
		t.Fatal(err)
	}
	w.same(at)
	w.wants("edited a.txt +1 -0", "added first.txt +1 -0")
	// And on to the beginning.
	if _, err := w.reviews.Undo(t.Context(), w.space, "p1", nil, false); err != nil {
		t.Fatal(err)
	}
	w.holds("a.txt", "1\n")
	w.wants()
}

func TestInterruptedTurnIsScannedAtTheNextStart(t *testing.T) {
	w := newWorld(t)
	w.write("a.txt", "1\n")
	w.begin(w.space)
	w.write("a.txt", "2\n")
	w.stop()
	w.start()
	w.must(w.reviews.Watcher.Settled(t.Context(), w.space))
	w.wants("edited a.txt +1 -1")
	w.reject()
	w.holds("a.txt", "1\n")
}

func TestRepositoryIsNotTouched(t *testing.T) {
	w := newWorld(t)
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", w.dir, "-c", "user.name=n", "-c", "user.email=e@x"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_ALLOW_PROTOCOL=file")
		if b, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("git %v: %v %s", args, err, b)
		}
	}
	sub := t.TempDir()
	git("init", "-q", sub)
	w.must(os.WriteFile(filepath.Join(sub, "s"), []byte("s\n"), 0o644))
	cmd := exec.Command("git", "-C", sub, "-c", "user.name=n", "-c", "user.email=e@x", "commit", "-qm", "s", "--allow-empty")
	w.must(cmd.Run())
	git("init", "-q")
	w.write(".gitattributes", "*.txt text eol=crlf filter=evil\n*.u working-tree-encoding=UTF-16LE ident\n")
	w.write("a.txt", "one\n$Id$\n")
	w.write("b.u", "u\n")
	git("add", ".gitattributes")
	git("commit", "-qm", "one")
	git("submodule", "add", "-q", sub, "module")
	git("commit", "-qam", "module")
	w.write("stashed.txt", "s\n")
	git("add", "stashed.txt")
	git("stash", "-q")
	git("config", "filter.evil.clean", "touch "+filepath.Join(w.dir, "pwned"))
	git("config", "filter.evil.smudge", "touch "+filepath.Join(w.dir, "pwned"))
	git("config", "core.fsmonitor", "touch "+filepath.Join(w.dir, "pwned"))
	git("config", "include.path", "/nowhere/evil")
	w.write(".git/hooks/post-checkout", "#!/bin/sh\ntouch "+filepath.Join(w.dir, "pwned"))
	w.must(os.Chmod(filepath.Join(w.dir, ".git/hooks/post-checkout"), 0o755))
	w.write("nested/.git/config", "[core]\n\tworktree = /\n\tfsmonitor = evil\n")
	w.write("nested/in.txt", "in\n")
	before, repo := w.tree(), treeOf(t, filepath.Join(w.dir, ".git"))
	w.turn(func() {
		w.write("a.txt", "two\n$Id: x$\n")
		w.write("b.u", "U\n")
		w.write("nested/in.txt", "In\n")
		w.write("module/new.txt", "n\n")
	})
	w.wants("edited a.txt +2 -2", "edited b.u +1 -1", "edited nested/in.txt +1 -1", "added module/new.txt +1 -0")
	w.reject()
	w.same(before)
	for p, line := range treeOf(t, filepath.Join(w.dir, ".git")) {
		if repo[p] != line {
			t.Errorf(".git/%s changed", p)
		}
	}
}

func TestNothingLeavesTheFolder(t *testing.T) {
	w := newWorld(t)
	outside := t.TempDir()
	w.must(os.WriteFile(filepath.Join(outside, "a.txt"), []byte("theirs\n"), 0o644))
	w.write("sub/a.txt", "1\n")
	w.write("inner/a.txt", "inner\n")
	w.write("top.txt", "1\n")
	w.turn(func() {
		w.write("sub/a.txt", "2\n")
		w.write("sub/new.txt", "n\n")
		w.write("top.txt", "2\n")
		for _, path := range []string{"../" + filepath.Base(outside) + "/a.txt", filepath.Join(outside, "a.txt"), "sub/../../x", ".", "", "/"} {
			touched := false
			w.must(w.reviews.Watcher.Write(t.Context(), w.space, path, func() error { touched = true; return nil }))
			if !touched {
				t.Errorf("%q: the write was not passed on to be refused", path)
			}
		}
	})
	theirs := treeOf(t, outside)
	// The folder is replaced by a link before the user rejects.
	w.must(os.Rename(filepath.Join(w.dir, "sub"), filepath.Join(w.dir, "away")))
	for _, to := range []string{outside, "inner"} {
		_ = os.Remove(filepath.Join(w.dir, "sub"))
		w.must(os.Symlink(to, filepath.Join(w.dir, "sub")))
		out := w.reject(Pick{ID: w.id("sub/a.txt")}, Pick{ID: w.id("sub/new.txt")})
		if out.Done != 0 || len(out.Left) != 2 {
			t.Errorf("over a link to %s: %+v", to, out)
		}
		w.holds("inner/a.txt", "inner\n")
		for p, line := range treeOf(t, outside) {
			if theirs[p] != line {
				t.Errorf("%s outside of the folder changed", p)
			}
		}
	}
	w.remove("top.txt")
	w.must(os.Symlink(filepath.Join(outside, "a.txt"), filepath.Join(w.dir, "top.txt")))
	if out := w.reject(Pick{ID: w.id("top.txt")}); out.Done != 0 {
		t.Errorf("%+v", out)
	}
	if got := treeOf(t, outside); got["a.txt"] != theirs["a.txt"] {
		t.Error("a file outside of the folder changed")
	}
}

// older waits until the file clock distinguishes a file from the next write.
func (w *world) older(name string) {
	w.t.Helper()
	info, err := os.Stat(filepath.Join(w.dir, name))
	w.must(err)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for time.Since(info.ModTime()) < 4*clockSlack {
		<-tick.C
	}
}

// The next turn begins while the end of the last one is still being scanned.
func TestOverlappingTurnsKeepTheirChanges(t *testing.T) {
	w := newWorld(t)
	w.write("a.txt", "1\n")
	w.write("b.txt", "1\n")
	first := w.begin(w.space)
	w.write("a.txt", "2\n")
	w.reviews.Watcher.wait = 1
	p, err := w.reviews.folders.find(t.Context(), w.space)
	w.must(err)
	hold := make(chan struct{})
	p.enqueue(func(context.Context) { <-hold })
	w.reviews.Watcher.AfterTurn(w.space, "r1")
	w.older("a.txt")
	second := w.begin(w.space)
	w.must(w.reviews.Watcher.Write(t.Context(), w.space, filepath.Join(w.dir, "b.txt"), func() error { w.write("b.txt", "2\n"); return nil }))
	close(hold)
	second()
	first()
	w.wants("edited a.txt +1 -1", "edited b.txt +1 -1")
	if w.reviews.folders.turn(w.space) != nil {
		t.Error("a turn is still in progress")
	}
	plan, err := w.reviews.PlanUndo(t.Context(), w.space, "p2")
	w.must(err)
	if len(plan.Files) != 1 || plan.Files[0].Path != "b.txt" {
		t.Errorf("%+v", plan)
	}
}

// When List reports that no turn is watched, it contains all changes of the turn.
func TestListIsCompleteAfterTheTurn(t *testing.T) {
	w := newWorld(t)
	for n := range 50 {
		name := fmt.Sprintf("f%d.txt", n)
		end := w.begin(w.space)
		w.write(name, "1\n")
		over := make(chan struct{})
		go func() { end(); close(over) }()
		for watching := true; watching; {
			c, err := w.reviews.List(t.Context(), w.space)
			w.must(err)
			if watching = c.Watching; !watching && len(c.Files) != 1 {
				t.Fatalf("round %d: %d files when the turn is over, want 1", n, len(c.Files))
			}
		}
		<-over
		w.accept()
	}
}

func TestInvalidUTF8NamesAreReviewed(t *testing.T) {
	w := newWorld(t)
	w.write("d\xff/a\xfe.txt", "1\n")
	w.write("keep", "k")
	before := w.tree()
	w.turn(func() {
		w.write("d\xff/a\xfe.txt", "2\n")
		w.write("new\xff/b\n<b>.txt", "b\n")
	})
	if out := w.reject(); out.Done != 2 || len(out.Left) > 0 {
		t.Errorf("%+v", out)
	}
	w.same(before)
}

// A change during a turn counts as the agent's, not as an edit of the user.
func TestChangesDuringATurnBelongToTheAgent(t *testing.T) {
	w := newWorld(t)
	w.write("a.txt", "1\n")
	end := w.begin(w.space)
	w.must(w.reviews.Watcher.Write(t.Context(), w.space, "a.txt", func() error { w.write("a.txt", "2\n"); return nil }))
	w.write("a.txt", "2\n3\n") // by a command
	list := w.list()
	if len(list) != 1 || list[0].Changed || list[0].Added != 2 {
		t.Errorf("%+v", list)
	}
	end()
	w.wants("edited a.txt +2 -1")
}

// TestKindsOfRepositories: one without commits, one that is the worktree of another, a folder within one.
func TestKindsOfRepositories(t *testing.T) {
	git := func(dir string, args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=n", "-c", "user.email=e@x"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		if b, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("git %v: %v %s", args, err, b)
		}
	}
	for _, c := range []struct {
		name string
		make func(w *world) (repository string)
	}{
		{"no commits", func(w *world) string { git(w.dir, "init", "-q"); return filepath.Join(w.dir, ".git") }},
		{"a worktree", func(w *world) string {
			main := t.TempDir()
			git(main, "init", "-q")
			git(main, "commit", "-q", "--allow-empty", "-m", "one")
			w.must(os.Remove(w.dir))
			git(main, "worktree", "add", "-q", w.dir)
			return filepath.Join(main, ".git")
		}},
		{"a folder within", func(w *world) string {
			main := w.dir
			git(main, "init", "-q")
			w.write("in/x", "x")
			git(main, "add", "in")
			git(main, "commit", "-qm", "one")
			w.must(os.WriteFile(filepath.Join(main, ".gitignore"), []byte("*.log\n"), 0o644))
			w.dir = filepath.Join(main, "in")
			w.space = w.newSpace()
			return filepath.Join(main, ".git")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			repository := c.make(w)
			w.write("a.txt", "1\n")
			w.write("a.log", "1\n")
			before, kept := w.tree(), treeOf(t, repository)
			w.turn(func() { w.write("a.txt", "2\n"); w.write("b.txt", "2\n") })
			w.wants("edited a.txt +1 -1", "added b.txt +1 -0")
			w.reject()
			w.same(before)
			for path, line := range treeOf(t, repository) {
				if kept[path] != line {
					t.Errorf("%s of the repository changed", path)
				}
			}
		})
	}
}

// hold holds up what is read of the folder from now on, until release is called.
func (w *world) hold() (release func()) {
	w.t.Helper()
	p, err := w.reviews.folders.find(w.t.Context(), w.space)
	w.must(err)
	held := make(chan struct{})
	p.enqueue(func(context.Context) { <-held })
	return func() { close(held) }
}

// named makes the agent report an edit of a file that it has made.
func (w *world) named(name string) {
	kind, done, at := "edit", transcript.StatusCompleted, []transcript.Location{{Path: filepath.Join(w.dir, name)}}
	w.reviews.Watcher.Tool(w.space, &transcript.ToolPatch{ID: name, Kind: &kind, Status: &done, Locations: &at})
}

// writeAfter writes a file after the end of a turn: the clock of a file system is coarse.
func (w *world) writeAfter(ended *turn, name, text string) {
	w.t.Helper()
	clock := filepath.Join(w.data, "clock")
	for now := int64(0); now <= ended.ended.Load(); {
		w.must(os.WriteFile(clock, []byte("."), 0o600))
		info, err := os.Stat(clock)
		w.must(err)
		now = info.ModTime().UnixNano()
	}
	w.write(name, text)
}

// The scan at the end of a turn takes a while. What the user saves meanwhile is the user's.
func TestEditsAfterATurnAreTheUsers(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"recorded.txt", "named.txt", "both.txt", "same.txt", "other.txt"} {
		w.write(name, "1\n")
	}
	w.write(".gitignore", "ignored.txt\n")
	end := w.begin(w.space)
	edit := func(name, text string) {
		w.must(w.reviews.Watcher.Write(t.Context(), w.space, name, func() error { w.write(name, text); return nil }))
	}
	edit("recorded.txt", "agent\n")
	edit("same.txt", "agent\n")
	edit("ignored.txt", "agent\n")
	release := w.hold()
	w.write("named.txt", "agent\n")
	w.write("both.txt", "agent\n")
	for _, name := range []string{"named.txt", "both.txt", "recorded.txt", "ignored.txt"} {
		w.named(name)
	}
	running := w.reviews.folders.turnOf("r1")
	w.reviews.Watcher.AfterTurn(w.space, "r1")
	for _, name := range []string{"recorded.txt", "both.txt", "ignored.txt", "other.txt", "new.txt"} {
		w.writeAfter(running, name, "mine\n")
	}
	release()
	end()

	w.wants("edited both.txt +1 -1", "edited named.txt +1 -1", "edited recorded.txt +1 -1", "edited same.txt +1 -1", "added ignored.txt +1 -0")
	plan, err := w.reviews.PlanUndo(t.Context(), w.space, "p1")
	w.must(err)
	var got []string
	for _, f := range plan.Files {
		got = append(got, strings.TrimSpace(f.Path+" "+f.Conflict))
	}
	const since = " You changed this file after the agent."
	want := []string{"both.txt" + since, "ignored.txt" + since, "named.txt", "recorded.txt" + since, "same.txt"}
	if !slices.Equal(got, want) {
		t.Errorf("an undo would restore %q, want %q", got, want)
	}
	w.turn(func() { edit("other.txt", "agent\n") })
	w.reject()
	w.holds("recorded.txt", "mine\n")
	w.holds("other.txt", "mine\n")
	w.holds("new.txt", "mine\n")
	w.holds("same.txt", "1\n")
}

// The agent continues after it has reported the end.
func TestWritesAfterTheTurn(t *testing.T) {
	w := newWorld(t)
	w.write("a.txt", "1\n")
	w.turn(func() {})
	w.write("a.txt", "mine\n")
	w.must(w.reviews.Watcher.Write(t.Context(), w.space, "a.txt", func() error { w.write("a.txt", "mine\nagent\n"); return nil }))
	w.wants("edited a.txt +1 -0")
	w.reject()
	w.holds("a.txt", "mine\n")
}

// reopen puts what was accepted last in a file back into the review. left is a part of what is said if that isn't
// possible.
func (w *world) reopen(path, left string) {
	w.t.Helper()
	out, err := w.reviews.Reopen(w.t.Context(), w.space, []string{path})
	w.must(err)
	if said := fmt.Sprint(out.Left); (out.Done == 1) != (left == "") || !strings.Contains(said, left) {
		w.t.Errorf("reopening %s: %+v", path, out)
	}
}

func TestAcceptedChangesAreReviewedAgain(t *testing.T) {
	w := newWorld(t)
	w.write("a.txt", "1\n2\n3\n4\n5\n")
	w.turn(func() {
		w.write("a.txt", "A\n2\n3\n4\nE\n")
		w.write("new/b.txt", "b\n")
	})
	before := w.list()
	w.accept()
	w.wants()
	w.reopen("a.txt", "")
	w.reopen("new/b.txt", "")
	w.wants("edited a.txt +2 -2", "added new/b.txt +1 -0")
	if now := w.list(); now[0].Version != before[0].Version || now[1].Version != before[1].Version {
		t.Errorf("the review has %+v, want %+v", now, before)
	}
	w.reopen("a.txt", "Nothing is accepted")

	// A part of a file, while another part needs review.
	w.accept(Pick{ID: w.id("a.txt"), Hunks: []int{0}})
	w.wants("edited a.txt +1 -1", "added new/b.txt +1 -0")
	w.reopen("a.txt", "")
	w.wants("edited a.txt +2 -2", "added new/b.txt +1 -0")

	// With what the agent changed after it.
	w.accept()
	w.turn(func() { w.write("a.txt", "A\n2\nC\n4\nE\n") })
	w.wants("edited a.txt +1 -1")
	w.reopen("a.txt", "")
	w.wants("edited a.txt +3 -3")
	w.reject()
	w.holds("a.txt", "1\n2\n3\n4\n5\n")

	// The user has edited it in between.
	w.turn(func() { w.write("a.txt", "A\n2\n3\n4\n5\n") })
	w.accept()
	w.write("a.txt", "A\nmine\n3\n4\n5\n")
	w.turn(func() { w.write("a.txt", "A\nmine\n3\n4\nE\n") })
	w.reopen("a.txt", "was edited")
	w.wants("edited a.txt +1 -1")
	w.accept()
	w.reopen("a.txt", "")
	w.wants("edited a.txt +1 -1")
}
