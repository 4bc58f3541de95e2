package folder

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// corpus returns a tree with many edge cases for searches.
func corpus(t *testing.T) *Folder {
	t.Helper()
	many := make(map[string]string)
	for i := range 900 { // more names than fit into one command line
		many[fmt.Sprintf("many/%s/%03d.txt", strings.Repeat("long-name-", 18), i)] = fmt.Sprintf("number %d\n", i)
	}
	for name, text := range map[string]string{
		".gitignore": "*.log\n/out/\n!keep.log\n", ".ignore": "main.go\n", ".rgignore": "main.go\n",
		"main.go": "package main\n\nfunc main() {\n\tfmt.Println(\"hello\")\n}\n",
		"a.log":   "hello\n", "keep.log": "hello\n", "out/x.go": "hello\n", ".hidden/h.go": "hello hidden\n",
		"node_modules/p/i.js": "hello\n", ".git/config": "hello\n",
		"crlf.txt": "one\r\nhello two\r\nthree hello\r\n", "noend.txt": "hello",
		"unicode.txt": "Grüße hello\nGRÜSSE\nnaïve word\nK elvin ſ\n", "latin1.txt": "hello caf\xe9\nother\n",
		"bin.dat": "hello\x00there\n", "utf16.txt": "\xff\xfeh\x00e\x00l\x00l\x00o\x00", "late.txt": strings.Repeat("x\n", 9000) + "hello\x00\n",
		"-dash.txt": "hello\n", "with space/[odd] {name}.txt": "hello\n", "empty": "",
		"long.txt": strings.Repeat("y", 3000) + "hello\n", "lines.txt": "a\nb\nhello\nc\nhello\nd\ne\nf\ng\nhello\n",
		"sub/.gitignore": "skip\n", "sub/skip": "hello\n", "sub/kept.txt": "foo.bar(baz)\nfooXbar(baz)\n",
	} {
		many[name] = text
	}
	f := tree(t, many)
	outside := filepath.Join(t.TempDir(), "outside.txt")
	if err := os.WriteFile(outside, []byte("hello from outside\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"link.txt": outside, "dirlink": filepath.Dir(outside), "inner.txt": "main.go"} {
		if err := os.Symlink(to, f.Abs(link)); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func TestRipgrepFindsTheSame(t *testing.T) {
	if _, err := exec.LookPath("rg"); err != nil {
		t.Skip("ripgrep isn't installed")
	}
	f := corpus(t)
	own := *f
	own.withoutRipgrep = true
	for _, q := range []Query{
		{Pattern: "hello"},
		{Pattern: "HELLO"},
		{Pattern: "HELLO", Case: true},
		{Pattern: "hello", Glob: "*.go"},
		{Pattern: "hello", Glob: "SUB/**"},
		{Pattern: "hello", Context: 2},
		{Pattern: "hello", Context: 1, Glob: "lines.txt"},
		{Pattern: "hello", Dir: "sub"},
		{Pattern: "hello", Dir: "keep.log"},
		{Pattern: "foo.bar(baz)"},
		{Pattern: "foo.bar(baz)", Regexp: true},
		{Pattern: `foo\.bar\(`, Regexp: true},
		{Pattern: "number 8", Context: 1},
		{Pattern: "^hello$", Regexp: true},
		{Pattern: "hello$", Regexp: true},
		{Pattern: `^\s*$`, Regexp: true},
		{Pattern: `\bword\b`, Regexp: true},
		{Pattern: `na\wve`, Regexp: true},
		{Pattern: `\bve\b`, Regexp: true},
		{Pattern: "grüße|GRÜSSE", Regexp: true},
		{Pattern: "k elvin S"},
		{Pattern: `[[:upper:]]{3,}`, Regexp: true, Case: true},
		{Pattern: `(?i)PRINTLN`, Regexp: true, Case: true},
		{Pattern: `\Aa`, Regexp: true, Case: true},
		{Pattern: `\\`, Regexp: true},
		{Pattern: `\p{Greek}|\pL{9}`, Regexp: true},
		{Pattern: "[^a-z0-9 ]hello", Regexp: true},
		{Pattern: "x|y", Regexp: true, Glob: "late.txt"},
		{Pattern: "a\nb"},
		{Pattern: "-dash"},
		{Pattern: "hello.there", Regexp: true},
		{Pattern: "hello{1,2", Regexp: true},
	} {
		want, err := own.Search(t.Context(), q)
		if err != nil {
			t.Fatalf("%+v: %v", q, err)
		}
		got, err := f.Search(t.Context(), q)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v:\nripgrep %+v, %v\nown     %+v", q, got, err, want)
		}
		re, err := q.parse()
		if err != nil {
			t.Fatal(err)
		}
		if pattern, ok := portable(re); ok {
			s, err := f.newSearch(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.ripgrep(t.Context(), f.ripgrep(), pattern); err != nil {
				t.Errorf("%+v isn't searched by ripgrep: %v", q, err)
			}
		}
		for _, m := range got.Matches {
			if strings.Contains(m.Text, "outside") || strings.Contains(m.Path, "node_modules") {
				t.Errorf("%+v found %+v", q, m)
			}
		}
	}
	all, err := f.Search(t.Context(), Query{Pattern: "number"})
	if err != nil || all.Total != 900 || len(all.Matches) != MaxMatches || all.Matches[199].Text != "number 199" {
		t.Errorf("%d of %d, %v", len(all.Matches), all.Total, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Search(ctx, Query{Pattern: "hello"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestContextLines(t *testing.T) {
	f := tree(t, map[string]string{"x": "a\nb\n  hit\nc\nhit\nd\ne\nf\n\tg\nhit\n"})
	f.withoutRipgrep = true
	found, err := f.Search(t.Context(), Query{Pattern: "hit", Context: 2})
	if err != nil {
		t.Fatal(err)
	}
	want := []Match{
		{Path: "x", Line: 3, Text: "  hit", Before: []string{"a", "b"}, After: []string{"c"}},
		{Path: "x", Line: 5, Text: "hit", After: []string{"d", "e"}},
		{Path: "x", Line: 10, Text: "hit", Before: []string{"f", "\tg"}},
	}
	if !reflect.DeepEqual(found.Matches, want) {
		t.Errorf("%+v", found.Matches)
	}
}

func TestPatternErrors(t *testing.T) {
	f := tree(t, map[string]string{"x": "a\n"})
	for pattern, want := range map[string]string{
		"foo(bar":   "missing closing )",
		"a[z-a]b":   `invalid character class range at "z-a" (character 3)`,
		"ok|*bad":   "missing argument to repetition operator at \"*\" (character 4)",
		`back\1ref`: `invalid escape sequence at "\\1" (character 5)`,
	} {
		_, err := f.Search(t.Context(), Query{Pattern: pattern, Regexp: true})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", pattern, err)
		}
	}
}
