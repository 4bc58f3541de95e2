package patch

import (
	"errors"
	"strings"
	"testing"
)

func TestFormsOfAPatchAreRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, patch, old, want string
		op                     Op
		path, to               string
		misfit                 bool
	}{
		{"update", "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+2\n*** End Patch\n", "one\ntwo\nthree\n", "one\n2\nthree\n", Update, "a.txt", "", false},
		{"update without a frame", "*** Update File: a.txt\n@@\n-two\n+2\n", "one\ntwo\nthree\n", "one\n2\nthree\n", Update, "a.txt", "", false},
		{"update without a first mark", "*** Begin Patch\n*** Update File: a.txt\n-two\n+2\n*** End Patch", "one\ntwo\n", "one\n2\n", Update, "a.txt", "", false},
		{"in a here-document", "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+2\n*** End Patch\nEOF\n", "two\n", "2\n", Update, "a.txt", "", false},
		{"marks choose the place", "*** Begin Patch\n*** Update File: a.go\n@@ func B() {\n-\treturn 1\n+\treturn 2\n*** End Patch", "func A() {\n\treturn 1\n}\nfunc B() {\n\treturn 1\n}\n", "func A() {\n\treturn 1\n}\nfunc B() {\n\treturn 2\n}\n", Update, "a.go", "", false},
		{"two marks in a row", "*** Begin Patch\n*** Update File: a.py\n@@ class B\n@@   def f():\n-    pass\n+    return\n*** End Patch", "class A\n  def f():\n    pass\nclass B\n  def f():\n    pass\n", "class A\n  def f():\n    pass\nclass B\n  def f():\n    return\n", Update, "a.py", "", false},
		{"end of the file", "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End of File\n*** End Patch", "x\nx\n", "x\ny\n", Update, "a.txt", "", false},
		{"added at the end of the file", "*** Begin Patch\n*** Update File: a.txt\n@@\n+y\n*** End of File\n*** End Patch", "x\n", "x\ny\n", Update, "a.txt", "", false},
		{"other spaces at the ends", "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+2\n*** End Patch\n", "one\ntwo  \n", "one\n2\n", Update, "a.txt", "", false},
		{"other dashes", "*** Begin Patch\n*** Update File: a.txt\n@@\n-a - b\n+2\n*** End Patch\n", "a \u2014 b\n", "2\n", Update, "a.txt", "", false},
		{"line ends stay", "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+2\n*** End Patch\n", "one\r\ntwo\r\nthree\r\n", "one\r\n2\r\nthree\r\n", Update, "a.txt", "", false},
		{"an empty line that lost its space", "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n\n-two\n+2\n*** End Patch\n", "one\n\ntwo\n", "one\n\n2\n", Update, "a.txt", "", false},
		{"into an empty file", "*** Begin Patch\n*** Update File: a.txt\n@@\n+one\n*** End Patch\n", "", "one\n", Update, "a.txt", "", false},
		{"move", "*** Begin Patch\n*** Update File: a.txt\n*** Move to: b/c.txt\n@@\n-two\n+2\n*** End Patch\n", "two\n", "2\n", Update, "a.txt", "b/c.txt", false},
		{"move alone", "*** Begin Patch\n*** Update File: a.txt\n*** Move to: c.txt\n*** End Patch\n", "two\n", "two\n", Update, "a.txt", "c.txt", false},
		{"add", "*** Begin Patch\n*** Add File: src/with spaces/ünï.ts\n+one\n+\n+two\n*** End Patch\n", "", "one\n\ntwo\n", Add, "src/with spaces/ünï.ts", "", false},
		{"delete", "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n", "one\n", "", Delete, "a.txt", "", false},
		{"lines that aren't there", "*** Begin Patch\n*** Update File: a.txt\n@@\n-four\n+4\n*** End Patch\n", "one\n", "", Update, "a.txt", "", true},
		{"a mark that isn't there", "*** Begin Patch\n*** Update File: a.txt\n@@ nowhere\n-one\n+4\n*** End Patch\n", "one\n", "", Update, "a.txt", "", true},
		{"hunks in the wrong order", "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+2\n@@\n-one\n+1\n*** End Patch\n", "one\ntwo\n", "", Update, "a.txt", "", true},
		{"lines without a place", "*** Begin Patch\n*** Update File: a.txt\n@@\n+new\n*** End Patch\n", "one\n", "", Update, "a.txt", "", true},

		{"unified", "--- a.txt\t2026-01-01\n+++ a.txt\t2026-01-02\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n", "one\ntwo\n", "one\n2\n", Update, "a.txt", "", false},
		{"unified, another line", "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-two\n+2\n", "one\nmore\ntwo\n", "one\nmore\n2\n", Update, "a.txt", "", false},
		{"unified, the nearer place", "--- a.txt\n+++ a.txt\n@@ -4 +4 @@\n-x\n+y\n", "x\n\n\nx\n", "x\n\n\ny\n", Update, "a.txt", "", false},
		{"unified, only added", "--- a.txt\n+++ a.txt\n@@ -1,0 +2 @@\n+two\n", "one\nthree\n", "one\ntwo\nthree\n", Update, "a.txt", "", false},
		{"unified, counted badly", "--- a.txt\n+++ a.txt\n@@ -1,9 +1,9 @@\n one\n-two\n+2\n", "one\ntwo\n", "one\n2\n", Update, "a.txt", "", false},
		{"unified, with the empty end of the file as a line", "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n \n", "one\ntwo\n", "one\n2\n", Update, "a.txt", "", false},
		{"a line that begins with dashes", "--- a.sql\n+++ a.sql\n@@ -1,2 +1,2 @@\n--- old\n+++ new\n x\n", "-- old\nx\n", "++ new\nx\n", Update, "a.sql", "", false},
		{"git", "diff --git a/src/a.txt b/src/a.txt\nindex 1..2 100644\n--- a/src/a.txt\n+++ b/src/a.txt\n@@ -1 +1 @@\n-two\n+2\n", "two\n", "2\n", Update, "src/a.txt", "", false},
		{"git, new", "diff --git a/n.txt b/n.txt\nnew file mode 100644\n--- /dev/null\n+++ b/n.txt\n@@ -0,0 +1 @@\n+2\n", "", "2\n", Add, "n.txt", "", false},
		{"git, new without a line end", "diff --git a/n.txt b/n.txt\nnew file mode 100644\n--- /dev/null\n+++ b/n.txt\n@@ -0,0 +1 @@\n+2\n\\ No newline at end of file\n", "", "2", Add, "n.txt", "", false},
		{"git, new and empty", "diff --git a/my n.txt b/my n.txt\nnew file mode 100644\nindex 000..e69\n", "", "", Add, "my n.txt", "", false},
		{"git, deleted", "diff --git a/n.txt b/n.txt\ndeleted file mode 100644\n--- a/n.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-2\n", "2\n", "", Delete, "n.txt", "", false},
		{"git, renamed", "diff --git a/n.txt b/m.txt\nsimilarity index 100%\nrename from n.txt\nrename to m.txt\n", "2\n", "2\n", Update, "n.txt", "m.txt", false},
		{"git, quoted", "diff --git \"a/\\303\\274.txt\" \"b/\\303\\274.txt\"\n--- \"a/\\303\\274.txt\"\n+++ \"b/\\303\\274.txt\"\n@@ -1 +1 @@\n-two\n+2\n", "two\n", "2\n", Update, "ü.txt", "", false},
		{"git with other prefixes", "diff --git i/a.txt w/a.txt\n--- i/a.txt\n+++ w/a.txt\n@@ -1 +1 @@\n-two\n+2\n", "two\n", "2\n", Update, "a.txt", "", false},
		{"git without prefixes", "diff --git a.txt a.txt\n--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-two\n+2\n", "two\n", "2\n", Update, "a.txt", "", false},
		{"an absolute path behind a prefix", "\ndiff --git a/home/u/p/a.txt b/home/u/p/a.txt\ncreate file mode 100644\nindex 0..0\n--- a/dev/null\n+++ b/home/u/p/a.txt\n@@ -1,0 +1,2 @@\n+2\n+3\n", "", "2\n3\n", Add, "home/u/p/a.txt", "", false},
		{"binary", "diff --git a/x.png b/x.png\nBinary files a/x.png and b/x.png differ\n", "?", "", Update, "x.png", "", true},
		{"the other tool's copy", "--- a.txt.orig\n+++ a.txt\n@@ -1 +1 @@\n-two\n+2\n", "two\n", "2\n", Update, "a.txt", "", false},
	} {
		files := Parse(c.patch)
		if len(files) != 1 {
			t.Errorf("%s: read as %d files", c.name, len(files))
			continue
		}
		f := files[0]
		if f.Op != c.op || f.Path != c.path || f.To != c.to {
			t.Errorf("%s: %s %q to %q", c.name, f.Op, f.Path, f.To)
		}
		got, err := f.Apply(c.old)
		if errors.Is(err, ErrMisfit) != c.misfit || got != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
		if strings.Contains(c.name, "spaces at") || strings.Contains(c.name, "dashes") || c.misfit || c.op == Delete && len(f.Hunks) == 0 {
			continue
		}
		if back, err := f.Revert(got); err != nil || back != c.old {
			t.Errorf("%s: taken back %q, %v, want %q", c.name, back, err, c.old)
		}
	}
}

func TestOtherTextsAreNotReadAsPatches(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"", "hello", "*** bold ***", "a --- b", "--- \n+++ ", "---\ntitle: x\n---\n# Text\n",
		"*** Begin Patch\n*** End Patch", "*** Begin Patch\n*** Update File: a.txt\n*** End Patch", "*** Update File: a.txt\nwhat is this\n",
		"*** Begin Patch\n*** Update File: a.txt\n@@ func\n*** End Patch", "*** Update File: \n@@\n-a\n+b\n",
		"@@ -1 +1 @@\n-a\n+b\n", "--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n",
	} {
		if files := Parse(s); files != nil {
			t.Errorf("%q is read as %+v", s, files)
		}
	}
}

func TestPrefixesAreTakenOffWhereTheyAreSome(t *testing.T) {
	t.Parallel()
	disk := func(named []string, there ...string) *Disk {
		have := map[string]bool{"/": true}
		for _, p := range there {
			for at := p; at != "/"; at = at[:max(1, strings.LastIndexByte(at, '/'))] {
				have[at] = true
			}
		}
		return &Disk{Folder: "/home/u/p", Named: named, Exists: func(p string) bool { return have[p] }}
	}
	for _, c := range []struct {
		name     string
		prefixed bool
		disk     *Disk
		want     string
	}{
		{"src/x.go", true, disk(nil, "/home/u/p/src/x.go"), "src/x.go"},
		{"src/new.go", true, disk(nil, "/home/u/p/src"), "src/new.go"},
		{"new/new.go", true, disk(nil, "/home/u/p"), "new/new.go"},
		{"home/u/p/src/x.go", true, disk(nil, "/home/u/p/src/x.go"), "/home/u/p/src/x.go"},
		{"home/u/p/src/new/x.go", true, disk(nil, "/home/u/p"), "/home/u/p/src/new/x.go"},
		{"etc/passwd", true, disk(nil, "/home/u/p", "/etc/passwd"), "/etc/passwd"},
		{"etc/new", true, disk(nil, "/home/u/p", "/etc/passwd"), "/etc/new"},
		{"etc/new", true, disk(nil, "/home/u/p/etc", "/etc/passwd"), "etc/new"},
		{"srv/new", true, disk([]string{"/srv/new"}, "/home/u/p"), "/srv/new"},
		{"x.go", true, disk(nil, "/home/u/p/a/x.go"), "a/x.go"},
		{"x.go", true, disk(nil, "/home/u/p/a/x.go", "/home/u/p/x.go"), "x.go"},
		{"a/x.go", false, disk(nil, "/home/u/p/x.go"), "x.go"},
		{"b/x.go", false, disk(nil, "/home/u/p/x.go"), "x.go"},
		{"a/x.go", false, disk(nil, "/home/u/p/a/x.go", "/home/u/p/x.go"), "a/x.go"},
		{"a/x.go", false, disk(nil, "/home/u/p"), "a/x.go"},
		{"a/home/u/p/x.go", false, disk(nil, "/home/u/p/x.go"), "/home/u/p/x.go"},
		{"/etc/x", true, disk(nil, "/home/u/p"), "/etc/x"},
		{"../x", true, disk(nil, "/home/u/x"), "../x"},
	} {
		if got := c.disk.Locate(c.name, c.prefixed); got != c.want {
			t.Errorf("%s (%v): %s, want %s", c.name, c.prefixed, got, c.want)
		}
	}
	if got := disk(nil, "/home/u/p/a/x.go", "/home/u/p/x.go").Doubted("x.go"); got != "a/x.go" {
		t.Errorf("the other file is %q", got)
	}
}
