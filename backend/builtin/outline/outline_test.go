package outline

import (
	"fmt"
	"strings"
	"testing"
)

func dump(o Outline) string {
	var ds []string
	for _, d := range o.Declarations {
		ds = append(ds, fmt.Sprintf("%s %s:%d", d.Kind, d.Name, d.Line))
	}
	return fmt.Sprintf("%s|%d|%s|%s|%s|%d", o.Language, o.Lines, o.About, strings.Join(o.Imports, ","), strings.Join(ds, ", "), len(o.Notes))
}

func TestDescribe(t *testing.T) {
	for _, tc := range []struct{ file, text, want string }{
		{
			"a.go", "// Package a does things. More.\npackage a\n\nimport \"fmt\"\n\n// T is t.\ntype T struct{}\n\nfunc (t *T) Do() {}\n\nfunc main() { fmt.Println() } // TODO: x\nconst C = 1\n",
			"Go|12|Package a does things.|fmt|type T:7, method T.Do:9, func main:11, const C:12|1",
		},
		{"broken.go", "package a\n\nfunc ok() {}\n\nfunc (\n", "Go|5|||func ok:3|0"},
		{
			"a.ts", "// Hello.\nimport { a } from './a'\nimport type B from \"b\"\nimport {\n  c,\n} from 'c'\nexport async function f() {}\nexport default class K {}\nexport interface I {}\nconst g = (x: number) => x\nexport const n = 3\n",
			"TypeScript|11|Hello.|./a,b,c|function f:7, class K:8, interface I:9, function g:10, const n:11|0",
		},
		{
			"a.py", "#!/usr/bin/env python\n\"\"\"Does it.\"\"\"\nimport os\nfrom a.b import c\nLIMIT = 3\nclass K:\n    def m(self): pass\ndef f(): pass  # FIXME\n",
			"Python|8|Does it.|os,a.b|constant LIMIT:5, class K:6, function f:8|1",
		},
		{"a.rs", "//! Crate.\nuse std::fs;\npub struct S;\nimpl S {\n}\npub(crate) async fn f() {}\nenum E {}\n", "Rust|7|Crate.|std::fs|struct S:3, impl S:4, fn f:6, enum E:7|0"},
		{"A.java", "package x;\nimport java.util.List;\npublic class A {\n    public void go(int a) {\n    }\n}\n", "Java|6||java.util.List|class A:3, method go:4|0"},
		{"a.c", "#include <stdio.h>\n#define N 3\nstruct s {\n};\nint main(int argc) {\n  if (x) {}\n}\n", "C|7||stdio.h|macro N:2, struct s:3, function main:5|0"},
		{"a.md", "# T\n\n![b](x)\n\nA *thing*. Other.\n\n```sh\n# not a heading\n```\n## U\n", "Markdown|10|A *thing*.||h1 T:1, h2 U:10|0"},
		{"a.json", "{\n \"a\": 1,\n \"b\": {\"c\": 2}\n}", "JSON|4|||key a:2, key b:3|0"},
		{"bad.json", "{\"a\": 1, oops", "JSON|1|||key a:1|0"},
		{"Makefile", "# Build it.\nall: x\nX := 1\n.PHONY: all\ntest:\n", "Makefile|5|Build it.||target all:2, target test:5|0"},
		{"x.bin", "a\n", "|1||||0"},
		{"l.go", "// Copyright me.\n\npackage l\n", "Go|3||||0"},
		{"empty.py", "", "Python|0||||0"},
	} {
		if got := dump(Describe(tc.file, tc.text)); got != tc.want {
			t.Errorf("%s\n got %s\nwant %s", tc.file, got, tc.want)
		}
	}
}

func FuzzDescribe(f *testing.F) {
	for _, name := range []string{"a.go", "a.ts", "a.md", "a.json", "a.c"} {
		f.Add(name, "{\"a\":[1,\n# x\nfunc a(")
	}
	f.Fuzz(func(t *testing.T, name, text string) { Describe(name, text) })
}
