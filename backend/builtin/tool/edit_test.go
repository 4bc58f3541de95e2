package tool

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/backend/builtin/folder"
)

func TestEdit(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"main.go": "package main\n\nfunc main() {\n\tprintln(1)\n}\n"})
	input := in{"path": "main.go", "old_string": "println(1)", "new_string": "println(2)\n\tprintln(3)"}
	contains(t, b.fails("edit", input), "hasn't been read in this session")
	b.ok("read", in{"path": "main.go"})
	p, err := b.prepare("edit", input)
	if err != nil {
		t.Fatal(err)
	}
	diff := p.Content[0].Diff
	if diff == nil || diff.Path != filepath.Join(b.dir, "main.go") || *diff.OldText != b.get("main.go") || !strings.Contains(diff.NewText, "println(3)") {
		t.Errorf("%+v", p.Content)
	}
	if p.Title != "Edit main.go" || p.Grant != "edit" || p.Effect != Edits || *p.Locations[0].Line != 4 {
		t.Errorf("%+v", p)
	}
	r, err := p.Run(t.Context(), func(Progress) {})
	if err != nil || r.Summary != "+2 −1 in main.go" || b.get("main.go") != diff.NewText {
		t.Errorf("%+v, %v", r, err)
	}
	// The model knows what it has written.
	b.ok("edit", in{"path": "main.go", "old_string": "println(2)", "new_string": ""})

	b.put("main.go", "changed by somebody\n")
	contains(t, b.fails("edit", in{"path": "main.go", "old_string": "changed", "new_string": "x"}), "has changed since it was last read")
	b.ok("read", in{"path": "main.go"})
	p, err = b.prepare("edit", in{"path": "main.go", "old_string": "changed", "new_string": "x"})
	if err != nil {
		t.Fatal(err)
	}
	b.put("main.go", "changed again while the user thinks\n")
	if _, err := p.Run(t.Context(), func(Progress) {}); err == nil || !strings.Contains(err.Error(), "since this edit was prepared") {
		t.Error(err)
	}
	if b.get("main.go") != "changed again while the user thinks\n" {
		t.Error("it was written all the same")
	}
}

func TestFailedEditExplainsTheMismatch(t *testing.T) {
	t.Parallel()
	text := "\nfunc a() {\n\treturn compute(first, second)\n}\n\nfunc b() {\n\treturn nil  \n}\nvalue = \"x\"\nvalue = \"x\"\n"
	for _, c := range []struct {
		name, old string
		want      []string
	}{
		{"twice", "value = \"x\"", []string{"occurs 2 times in f, at lines 9, 10", "replace_all"}},
		{"spaces for a tab", "func a() {\n    return compute(first, second)\n}", []string{"At line 2 there is the same text with other whitespace", "line 2 of `old_string` is indented by 4 spaces, in the file by 1 tab", "     3\t\treturn compute"}},
		{"blanks at the end", "\treturn nil\n}", []string{"the file has blanks at the end of line 1"}},
		{"letter case", "RETURN COMPUTE(first, second)", []string{"At line 3", "other letter case"}},
		{"escapes", `value = \"x\"`, []string{"escapes like"}},
		{"line numbers", "     2\tfunc a() {\n     3\t\treturn compute(first, second)", []string{"line numbers of the read tool"}},
		{"one line differs", "func a() {\n\treturn compute(first)\n}\n", []string{"closest is at line 2, which differs from line 2", "     3\t\treturn compute(first, second)"}},
		{"like a line", "return compute(one, second)", []string{"The closest is at line 3"}},
		{"nothing like it", "zzz qqq", []string{"Nothing in the file is like it"}},
		{"empty", "", []string{"`old_string` is empty"}},
		{"the same", "same", []string{"are the same"}},
	} {
		_, _, err := replaced("f", text, editInput{OldString: c.old, NewString: "same"})
		if err == nil {
			t.Errorf("%s: no error", c.name)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q isn't in:\n%v", c.name, want, err)
			}
		}
	}
}

func TestEditLineEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, content, old, new, want string }{
		{"LF", "a\nb\nc\n", "a\nb", "x\ny", "x\ny\nc\n"},
		{"CRLF file, LF input", "a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", "x\r\ny\r\nz\r\nc\r\n"},
		{"CRLF file, CRLF input", "a\r\nb\r\n", "a\r\nb", "x\r\ny", "x\r\ny\r\n"},
		{"CRLF file, one line becomes two", "a\r\nb\r\n", "b", "b\nc", "a\r\nb\r\nc\r\n"},
		{"LF file, CRLF input", "a\nb\n", "a\r\nb", "x\r\ny", "x\ny\n"},
		{"both, the CRLF place", "a\nb\r\nc\r\n", "b\nc", "x\ny", "a\nx\r\ny\r\n"},
		{"both, the LF place", "a\nb\nc\r\n", "a\nb", "x\ny", "x\ny\nc\r\n"},
		{"without a last line end", "a\nb", "b", "c\n", "a\nc\n"},
	} {
		got, _, err := replaced("f", c.content, editInput{OldString: c.old, NewString: c.new})
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
	got, at, err := replaced("f", "x x\nx", editInput{OldString: "x", NewString: "y", ReplaceAll: true})
	if err != nil || got != "y y\ny" || at != 0 {
		t.Errorf("%q, %d, %v", got, at, err)
	}
}

// FuzzEdit checks that text that occurs once is replaced as by strings.Replace, and other text never is.
func FuzzEdit(f *testing.F) {
	f.Add("a\nb\nc\n", "b", "x", false)
	f.Add("a\r\nb\r\n", "a\nb", "x\ny", false)
	f.Add("aaa", "aa", "b", false)
	f.Add("     1\tx", "1", "\\n", true)
	f.Fuzz(func(t *testing.T, content, from, to string, all bool) {
		got, at, err := replaced("f", content, editInput{OldString: from, NewString: to, ReplaceAll: all})
		if crlf(content) {
			from, to = toCRLF(from), toCRLF(to)
		}
		n := occurrences(content, from)
		switch {
		case from == "" || from == to:
			if err == nil {
				t.Fatal("an edit that says nothing was made")
			}
		case n == 1 || n > 1 && all:
			if want := strings.ReplaceAll(content, from, to); err != nil || got != want || at != strings.Index(content, from) {
				t.Fatalf("got %q at %d, %v, want %q", got, at, err, want)
			}
		case n > 1 && err == nil:
			t.Fatalf("%d places, and %q", n, got)
		case n == 0 && err == nil && !strings.Contains(content, "\r\n") && !strings.Contains(from, "\r\n"):
			t.Fatalf("nothing to replace, and %q", got)
		}
		if err == nil && crlf(content) && strings.Contains(got, "\n") && !crlf(got) {
			t.Fatalf("the ends of line became mixed: %q", got)
		}
	})
}

func TestWrite(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"old.txt": "old\n", "file": "x"})
	r := b.ok("write", in{"path": "deep/down/new.txt", "content": "1\n2\n"})
	var data WriteData
	through(t, r.Data, &data)
	if b.get("deep/down/new.txt") != "1\n2\n" || r.Summary != "Created deep/down/new.txt, 2 lines" || data != (WriteData{"deep/down/new.txt", true}) {
		t.Errorf("%+v", r)
	}
	contains(t, b.fails("write", in{"path": "old.txt", "content": "new\n"}), "hasn't been read")
	b.ok("read", in{"path": "old.txt"})
	if r := b.ok("write", in{"path": "old.txt", "content": "old\n"}); r.Summary != "old.txt has that content already" {
		t.Error(r.Summary)
	}
	if r := b.ok("write", in{"path": "old.txt", "content": "new\n"}); r.Summary != "+1 −1 in old.txt" || b.get("old.txt") != "new\n" {
		t.Error(r.Summary)
	}
	p, err := b.prepare("write", in{"path": "late.txt", "content": "mine"})
	if err != nil {
		t.Fatal(err)
	}
	if p.Content[0].Diff.OldText != nil || p.Title != "Create late.txt" {
		t.Errorf("%+v", p)
	}
	b.put("late.txt", "somebody's")
	if _, err := p.Run(t.Context(), func(Progress) {}); err == nil || b.get("late.txt") != "somebody's" {
		t.Errorf("what was created meanwhile was overwritten: %v", err)
	}
	b.put("bare/HEAD", "ref: refs/heads/main\n") // a git folder under another name
	b.put("bare/objects/x", "")
	b.put("bare/refs/x", "")
	for path, want := range map[string]string{".": "name a file", ".git/hooks/pre-commit": "belongs to git", "a/.GIT/config": "belongs to git", "bare/hooks/new": "belongs to git", "bare/config": "belongs to git", "file/below": "isn't a folder", "../x": "outside"} {
		contains(t, b.fails("write", in{"path": path, "content": ""}), want)
	}
}

func TestWriteThroughTheClient(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"a": "one\n"})
	editor := map[string]string{filepath.Join(b.dir, "a"): "unsaved\n"}
	b.env.Client = &client{
		read: func(path string) (string, error) {
			if text, ok := editor[path]; ok {
				return text, nil
			}
			return "", os.ErrNotExist
		},
		write: func(path, content string) error {
			if filepath.Base(path) == "locked" {
				return errors.New("the editor said no")
			}
			editor[path] = content
			return nil
		},
	}
	b.ok("read", in{"path": "a"})
	b.ok("edit", in{"path": "a", "old_string": "unsaved", "new_string": "edited"})
	if editor[filepath.Join(b.dir, "a")] != "edited\n" || b.get("a") != "one\n" {
		t.Errorf("%v", editor)
	}
	contains(t, b.fails("write", in{"path": "locked", "content": "x"}), "didn't write locked", "the editor said no")
}

func TestLargeChanges(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789abcdef\n", 200_000) // 3.4 MB
	b := newBench(t, map[string]string{"big": text[:len(text)/2] + "unique\n" + text[len(text)/2:]})
	b.ok("read", in{"path": "big", "to": 1})
	p, err := b.prepare("edit", in{"path": "big", "old_string": "unique", "new_string": "other\nlines"})
	if err != nil {
		t.Fatal(err)
	}
	shown := p.Content[0].Content.Content.Text.Text
	if p.Content[0].Diff != nil || len(shown) > maxDiffed+100 {
		t.Errorf("%d bytes are shown", len(shown))
	}
	contains(t, shown, "+other\n+lines\n", "unique")
	r, err := p.Run(t.Context(), func(Progress) {})
	if err != nil || r.Summary != "+2 −1 in big" {
		t.Errorf("%q, %v", r.Summary, err)
	}
}

// FuzzPaths checks that no path reads or writes anything outside the folder.
func FuzzPaths(f *testing.F) {
	base := f.TempDir()
	dir, outside := filepath.Join(base, "in"), filepath.Join(base, "out")
	for _, d := range []string{dir, outside, filepath.Join(dir, "sub")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			f.Fatal(err)
		}
	}
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		f.Fatal(err)
	}
	for link, to := range map[string]string{"link": secret, "dirlink": outside, "sub/up": "../../out", "dangling": filepath.Join(outside, "new")} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			f.Fatal(err)
		}
	}
	root, err := folder.Open(dir)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { root.Close() })
	for _, p := range []string{"link", "dirlink/secret", "sub/up/secret", "../out/secret", secret, "sub/../../out/secret", "file://" + secret, "dangling", "dirlink/new/deep", "./link", "sub//up/x", `..\out\secret`, "dirlink/../secret", dir + "/../out/secret"} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, path string) {
		b := &bench{T: t, dir: dir, env: &Env{Folder: root}} // files needn't be read first
		if r, err := b.run("read", in{"path": path}); err == nil && strings.Contains(told(r.Parts), "secret") {
			t.Errorf("%q was read", path)
		}
		for _, tool := range []string{"list", "search"} {
			if r, err := b.run(tool, in{"path": path, "pattern": "sec[r]et"}); err == nil && strings.Contains(told(r.Parts), "secret:") {
				t.Errorf("%q was looked at by %s", path, tool)
			}
		}
		_, _ = b.run("edit", in{"path": path, "old_string": "secret", "new_string": "gone"})
		if len(path) < 200 {
			_, _ = b.run("write", in{"path": path, "content": "written"})
		}
		entries, err := os.ReadDir(outside)
		text, err2 := os.ReadFile(secret)
		if err != nil || err2 != nil || len(entries) != 1 || string(text) != "secret" {
			t.Fatalf("%q changed what lies outside: %v, %q, %v, %v", path, entries, text, err, err2)
		}
		if beside, _ := os.ReadDir(base); len(beside) != 2 {
			t.Fatalf("%q wrote beside the folder: %v", path, beside)
		}
	})
}
