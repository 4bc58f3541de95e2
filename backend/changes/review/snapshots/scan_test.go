package snapshots

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// place is a folder with its snapshot store.
type place struct {
	t    testing.TB
	dir  string
	root *os.Root
	s    *Store
	f    *Folder
}

func newPlace(t testing.TB) *place {
	t.Helper()
	p := &place{t: t, dir: t.TempDir()}
	s, _, err := Open(t.TempDir(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	p.s = s
	t.Cleanup(func() { _ = s.Close() })
	if p.root, err = os.OpenRoot(p.dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.root.Close() })
	if p.f, err = s.Folder(t.Context(), p.dir); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *place) write(name, text string) {
	p.t.Helper()
	file := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) scan() []string {
	p.t.Helper()
	list := []string{}
	err := p.f.Scan(context.Background(), p.root, func(changes []Change) error {
		for _, c := range changes {
			if c.Before.Kind == Unknown {
				continue // the first scan
			}
			list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s→%s %s", c.Path, c.Before.Kind, c.After.Kind, c.Made)))
		}
		return nil
	})
	if err != nil {
		p.t.Fatal(err)
	}
	slices.Sort(list)
	return list
}

func (p *place) want(got []string, want ...string) {
	p.t.Helper()
	slices.Sort(want)
	if !slices.Equal(got, want) {
		p.t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestScanReportsChanges(t *testing.T) {
	p := newPlace(t)
	p.write("a.txt", "a")
	p.write("sub/b.txt", "b")
	p.write(".gitignore", "*.log\nout/\n")
	p.write("x.log", "log")
	p.write("out/o", "o")
	p.write("node_modules/m/i.js", "i")
	p.write("nested/.git/HEAD", "ref: refs/heads/main\n")
	p.write("nested/in.txt", "in")
	p.write("module/.git", "gitdir: ../.git/modules/module\n")
	p.write("module/in.txt", "in")
	// What a repository says about conversions means nothing here.
	p.write(".gitattributes", "* text eol=crlf filter=evil working-tree-encoding=UTF-16\n")
	p.want(p.scan())
	p.want(p.scan())
	p.write("a.txt", "A\n")
	p.write("new/deep/c.txt", "c")
	p.write("x.log", "more")
	p.write("out/o", "O")
	p.write("nested/in.txt", "In")
	p.write("nested/.git/HEAD", "ref: refs/heads/other\n")
	p.write("module/in.txt", "In")
	if err := os.Remove(filepath.Join(p.dir, "sub/b.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.txt", filepath.Join(p.dir, "link")); err != nil {
		t.Fatal(err)
	}
	p.want(p.scan(), "a.txt file→file", "new/deep/c.txt absent→file new", "sub/b.txt file→absent",
		"nested/in.txt file→file", "module/in.txt file→file", "link absent→link")
	if err := os.Chmod(filepath.Join(p.dir, "a.txt"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.want(p.scan(), "a.txt file→file")
	p.want(p.scan())
	if data, ok, err := p.s.Get(t.Context(), Hash([]byte("b"))); err != nil || !ok || string(data) != "b" {
		t.Errorf("the deleted file is not kept: %q %v %v", data, ok, err)
	}
}

func TestChangeWithTheSameSizeAndTimeIsSeen(t *testing.T) {
	p := newPlace(t)
	p.write("a", "one")
	p.scan()
	old := time.Now().Add(-time.Hour)
	for range 20 {
		p.write("a", "one")
		if err := os.Chtimes(filepath.Join(p.dir, "a"), old, old); err != nil {
			t.Fatal(err)
		}
		p.scan()
		p.write("a", "two")
		if err := os.Chtimes(filepath.Join(p.dir, "a"), old, old); err != nil {
			t.Fatal(err)
		}
		p.want(p.scan(), "a file→file")
	}
}

func TestChangesAreReportedBeforeTheyAreStored(t *testing.T) {
	p := newPlace(t)
	p.write("a", "one")
	p.scan()
	p.write("a", "two")
	if err := p.f.Scan(t.Context(), p.root, func([]Change) error { return os.ErrClosed }); err == nil {
		t.Fatal("the scan did not fail")
	}
	p.want(p.scan(), "a file→file")
}

func TestSnapshotSurvivesARestart(t *testing.T) {
	p := newPlace(t)
	p.write("sub/a", "one")
	p.scan()
	p.write("sub/a", "two")
	p.write("sub/b", "b")
	p.s.Forget(p.f.Dir())
	f, err := p.s.Folder(t.Context(), p.dir)
	if err != nil {
		t.Fatal(err)
	}
	p.f = f
	p.want(p.scan(), "sub/a file→file", "sub/b absent→file")
}

func TestLook(t *testing.T) {
	p := newPlace(t)
	p.write(".gitignore", "*.env\n")
	p.write("x.env", "secret")
	p.scan()
	c, known, err := p.f.Look(p.root, "x.env")
	if err != nil || known || c.After.Hash != Hash([]byte("secret")) {
		t.Fatalf("an ignored file: %+v %v %v", c, known, err)
	}
	if err := p.f.Seen(p.root, c); err != nil {
		t.Fatal(err)
	}
	p.write("x.env", "changed")
	p.want(p.scan(), "x.env file→file")
	c, known, err = p.f.Look(p.root, "new/file")
	if err != nil || !known || c.Before.Kind != Absent || c.After.Kind != Absent {
		t.Fatalf("a file that is not there: %+v %v %v", c, known, err)
	}
}

func TestWorkInAnIgnoredFolder(t *testing.T) {
	p := newPlace(t)
	p.write(".gitignore", "tmp/\n*.o\n")
	p.write(".git/HEAD", "x")
	p.write("tmp/a", "a")
	p.write("src/.gitignore", "*.log\n")
	p.write("src/in/b.o", "b")
	p.write("src/in/b.log", "b")
	p.write("src/in/b", "b")
	for dir, want := range map[string][]string{"tmp": {"a file→file"}, "src/in": {"b file→file"}} {
		f, err := p.s.Folder(t.Context(), filepath.Join(p.dir, dir))
		if err != nil {
			t.Fatal(err)
		}
		root, err := os.OpenRoot(filepath.Join(p.dir, dir))
		if err != nil {
			t.Fatal(err)
		}
		q := &place{t: t, dir: filepath.Join(p.dir, dir), root: root, s: p.s, f: f}
		q.scan()
		files, _ := os.ReadDir(q.dir)
		for _, one := range files {
			q.write(one.Name(), "changed")
		}
		q.want(q.scan(), want...)
		root.Close()
	}
}

func TestPrune(t *testing.T) {
	p := newPlace(t)
	p.s.now = func() time.Time { return time.Now().Add(-2 * minObjectAge) }
	p.write("a", "one")
	p.scan()
	p.write("a", "two")
	p.scan()
	if _, err := p.s.Put([]byte("used")); err != nil {
		t.Fatal(err)
	}
	p.s.now = time.Now
	if err := p.s.Prune(t.Context(), map[string]bool{p.f.Dir(): true}, map[string]bool{Hash([]byte("used")): true}); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"one": false, "two": true, "used": true} {
		if got := p.s.Kept(t.Context(), Hash([]byte(text))); got != want {
			t.Errorf("%q is kept: %v, want %v", text, got, want)
		}
	}
}

// TestManyFiles measures; WEFT_REVIEW_FILES sets how many, 50000 for the numbers.
func TestManyFiles(t *testing.T) {
	n := 2000
	if v, err := strconv.Atoi(os.Getenv("WEFT_REVIEW_FILES")); err == nil {
		n = v
	}
	p := newPlace(t)
	body := strings.Repeat("some line of some code that is about as long as lines are\n", 60)
	for i := range n {
		p.write(fmt.Sprintf("d%d/s%d/f%d.go", i%50, i%7, i), fmt.Sprintf("// %d\n%s", i, body))
	}
	for _, what := range []string{"first", "again", "again"} {
		start := time.Now()
		p.want(p.scan())
		t.Logf("%s scan of %d files: %v", what, n, time.Since(start).Round(time.Millisecond))
	}
}
