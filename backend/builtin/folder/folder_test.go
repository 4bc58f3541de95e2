package folder

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree creates a folder with files and opens it.
func tree(t *testing.T, files map[string]string) *Folder {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func paths(l Listing) string {
	var out []string
	for _, e := range l.Entries {
		if !e.Dir {
			out = append(out, e.Path)
		}
	}
	return strings.Join(out, " ")
}

func TestListHonoursGitignore(t *testing.T) {
	f := tree(t, map[string]string{
		".gitignore": "*.log\n/out\nbuild/\n!keep.log\ndocs/*.tmp\nfoo{a,b}\n\\#x\n",
		"a.log":      "", "keep.log": "", "out": "", "sub/out": "", "sub/b.log": "",
		"build/x": "", "sub/build/y": "", "docs/a.tmp": "", "docs/deep/a.tmp": "", "fooa": "", "foo{a,b}": "", "#x": "",
		"sub/.gitignore": "local\n!b.log\n", "sub/local": "", "sub/deep/local": "", "local": "",
		"node_modules/p/i.js": "", ".git/config": "", ".git/info/exclude": "secret\n", "secret": "",
	})
	l, err := f.List(context.Background(), ".")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := paths(l), ".gitignore fooa keep.log local docs/deep/a.tmp sub/.gitignore sub/b.log sub/out"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	l, err = f.List(context.Background(), "sub")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := paths(l), "sub/.gitignore sub/b.log sub/out"; got != want {
		t.Errorf("below sub: got %s, want %s", got, want)
	}
}

func TestListIsBounded(t *testing.T) {
	f := tree(t, map[string]string{"a/1": "", "a/2": "", "b/3": "", "b/4": "", "b/5": ""})
	for limit, want := range map[int]bool{4: true, 5: false} {
		f.maxFiles = limit
		l, err := f.List(context.Background(), ".")
		if err != nil || l.Files != limit || l.Stopped != want {
			t.Errorf("limit %d: %d files, stopped %v, %v", limit, l.Files, l.Stopped, err)
		}
	}
}

func TestConfinement(t *testing.T) {
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("secret\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	f := tree(t, map[string]string{"in.txt": "inside\n", "dir/x": ""})
	link := func(target, name string) {
		if err := os.Symlink(target, f.Abs(name)); err != nil {
			t.Fatal(err)
		}
	}
	link(filepath.Join(outside, "secret"), "leak")
	link(outside, "leakdir")
	link("in.txt", "alias")
	link(filepath.Join(outside, "new"), "dangling")

	for _, name := range []string{"..", "../x", "dir/../../x", "/etc/passwd", "file:///etc/passwd", "file:///etc/%70asswd", outside + "/secret"} {
		if rel, err := f.Rel(name); !errors.Is(err, ErrOutside) {
			t.Errorf("Rel(%q) = %q, %v", name, rel, err)
		}
	}
	for _, name := range []string{"leak", "leakdir/secret"} {
		if _, err := f.Read(name, 1, 0); !errors.Is(err, ErrOutside) {
			t.Errorf("Read(%q): %v", name, err)
		}
		if err := f.Write(name, "x"); !errors.Is(err, ErrOutside) {
			t.Errorf("Write(%q): %v", name, err)
		}
	}
	for _, name := range []string{"leakdir/new", "dangling", "../new"} {
		if err := f.Write(name, "x"); err == nil {
			t.Errorf("Write(%q) succeeded", name)
		}
	}
	if entries, _ := os.ReadDir(outside); len(entries) != 1 {
		t.Errorf("something was written outside: %v", entries)
	}
	if _, err := f.List(context.Background(), "leakdir"); !errors.Is(err, ErrOutside) {
		t.Errorf("List(leakdir): %v", err)
	}
	found, err := f.Search(context.Background(), Query{Pattern: "secret"})
	if err != nil || found.Total != 0 {
		t.Errorf("search found %d outside, %v", found.Total, err)
	}
	// Links that stay inside work.
	if text, err := f.Read("alias", 1, 0); err != nil || text.Content != "inside\n" {
		t.Errorf("alias: %q, %v", text.Content, err)
	}
	for _, name := range []string{f.Abs("in.txt"), "file://" + f.Abs("in.txt"), "./in.txt", `dir\..\in.txt`} {
		if rel, err := f.Rel(name); err != nil || rel != "in.txt" {
			t.Errorf("Rel(%q) = %q, %v", name, rel, err)
		}
	}
}

func TestReadRanges(t *testing.T) {
	f := tree(t, map[string]string{
		"a": "1\n2\n3", "empty": "", "bin": "a\x00b", "bad": "ok\xff\n", "big": strings.Repeat("0123456789\n", MaxReadBytes/8),
		"long": strings.Repeat("x", 3*MaxReadBytes),
	})
	for _, tc := range []struct {
		path     string
		from, to int
		want     string
		text     Text
	}{
		{"a", 1, 0, "1\n2\n3", Text{From: 1, To: 3, TotalLines: 3}},
		{"a", 2, 2, "2\n", Text{From: 2, To: 2, TotalLines: 3}},
		{"a", 9, 12, "", Text{TotalLines: 3}},
		{"empty", 1, 0, "", Text{}},
		{"bad", 1, 0, "ok\uFFFD\n", Text{From: 1, To: 1, TotalLines: 1}},
	} {
		got, err := f.Read(tc.path, tc.from, tc.to)
		if err != nil || got.Content != tc.want || got.From != tc.text.From || got.To != tc.text.To || got.TotalLines != tc.text.TotalLines {
			t.Errorf("%s %d-%d: %+v, %v", tc.path, tc.from, tc.to, got, err)
		}
	}
	big, err := f.Read("big", 1, 0)
	if err != nil || !big.Cut || len(big.Content) > MaxReadBytes || big.TotalLines != MaxReadBytes/8 || big.Whole() {
		t.Errorf("big: cut %v, %d bytes, %d lines, %v", big.Cut, len(big.Content), big.TotalLines, err)
	}
	long, err := f.Read("long", 1, 0)
	if err != nil || !long.Cut || len(long.Content) > MaxReadBytes || len(long.Content) == 0 || long.TotalLines != 1 {
		t.Errorf("long: cut %v, %d bytes, %d lines, %v", long.Cut, len(long.Content), long.TotalLines, err)
	}
	if _, err := f.Read("bin", 1, 0); !errors.Is(err, ErrBinary) {
		t.Errorf("bin: %v", err)
	}
	if _, err := f.Read(".", 1, 0); err == nil {
		t.Error("a folder was read")
	}
}

func TestSearch(t *testing.T) {
	f := tree(t, map[string]string{"a.go": "Foo\nfoo foo\nbar\n", "b/c.md": "foo\n", "bin": "foo\x00", "many": strings.Repeat("zig\n", MaxMatches+50)})
	ctx := context.Background()
	for _, tc := range []struct {
		q                    Query
		total, files, binary int
	}{
		{Query{Pattern: "foo"}, 3, 2, 1},
		{Query{Pattern: "foo", Case: true}, 2, 2, 1},
		{Query{Pattern: "foo", Glob: "*.md"}, 1, 1, 0},
		{Query{Pattern: "^b.r$", Regexp: true}, 1, 1, 1}, // the line end does not belong to the line
		{Query{Pattern: "b.r", Regexp: true}, 1, 1, 1},
		{Query{Pattern: "b.r"}, 0, 0, 1},
		{Query{Pattern: "zig"}, MaxMatches + 50, 1, 1},
	} {
		got, err := f.Search(ctx, tc.q)
		if err != nil || got.Total != tc.total || got.Files != tc.files || got.Binary != tc.binary || len(got.Matches) > MaxMatches {
			t.Errorf("%+v: total %d, files %d, binary %d, kept %d, %v", tc.q, got.Total, got.Files, got.Binary, len(got.Matches), err)
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := f.Search(ctx, Query{Pattern: "foo"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled search: %v", err)
	}
}

func TestWriteKeepsModeAndLinks(t *testing.T) {
	f := tree(t, map[string]string{"run.sh": "old\n", "real": "old\n"})
	if err := os.Chmod(f.Abs("run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", f.Abs("link")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"run.sh", "link", "new"} {
		if err := f.Write(name, "new\n"); err != nil {
			t.Fatal(err)
		}
		if text, err := f.ReadAll(name, 100); err != nil || text != "new\n" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if info, _ := os.Stat(f.Abs("run.sh")); info.Mode().Perm() != 0o755 {
		t.Errorf("mode %v", info.Mode())
	}
	if target, err := os.Readlink(f.Abs("link")); err != nil || target != "real" {
		t.Errorf("the link was replaced: %q, %v", target, err)
	}
	if entries, _ := os.ReadDir(f.Path()); len(entries) != 4 {
		t.Errorf("leftovers: %v", entries)
	}
}

func TestOpenSaysWhy(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"/no/such/folder": "doesn't exist", file: "is a file"} {
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%s): %v", path, err)
		}
	}
}
