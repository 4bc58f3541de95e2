package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestLookStaysInside(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	for _, err := range []error{
		os.MkdirAll(filepath.Join(dir, "a b"), 0o755), os.WriteFile(filepath.Join(dir, "a b/c#.txt"), []byte("x"), 0o600),
		os.Symlink(outside, filepath.Join(dir, "out")), os.Symlink("a b", filepath.Join(dir, "in")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for path, code := range map[string]string{
		"a b/c#.txt": "", "a b/": "", "in/c#.txt": "", "out/": "outside", "out/x": "outside", "../x": "outside", "none": "not_found",
	} {
		_, err := f.Look(path)
		var e *Error
		got := ""
		if errors.As(err, &e) {
			got = e.Code
		}
		if got != code || err != nil && got == "" {
			t.Errorf("%s: %v, want %q", path, err, code)
		}
	}
}

func TestFileURLs(t *testing.T) {
	dir := t.TempDir()
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, path := range []string{"a.txt", "a b/c#?%.txt", "src/", "two\nlines\u202e.txt", "\xff.txt"} {
		if got := Within(dir, f.URI(path)); got != path {
			t.Errorf("%q became %q, by %s", path, got, f.URI(path))
		}
	}
	for _, uri := range []string{"file://" + dir, "file:///etc/passwd", "file://" + dir + "/../x", "file://elsewhere" + dir + "/a", "https://x/a", "attachment:///a", "%zz", ""} {
		if got := Within(dir, uri); got != "" {
			t.Errorf("%q is %q in the folder", uri, got)
		}
	}
}

func TestTextReportsMissingFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := os.WriteFile(path, []byte("one\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	files, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	if text, ok := files.Text(path); !ok || text != "one\ntwo\n" || !files.Exists(path) || !files.Exists(dir) {
		t.Errorf("%q, %v", text, ok)
	}
	missing := filepath.Join(dir, "b")
	if _, ok := files.Text(missing); ok || files.Exists(missing) || files.Exists(filepath.Dir(dir)) {
		t.Error("a file is there that isn't, or that is outside")
	}
}
