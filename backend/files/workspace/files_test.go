package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"weft/backend/files/regular"
)

func opened(t *testing.T) (*Files, string, string) {
	t.Helper()
	base := t.TempDir()
	dir, outside := filepath.Join(base, "space"), filepath.Join(base, "outside")
	for _, d := range []string{dir, outside} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(outside, "secret"), "secret")
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f, dir, outside
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestNothingOutsideIsTouched(t *testing.T) {
	f, dir, outside := opened(t)
	for link, target := range map[string]string{"file-link": filepath.Join(outside, "secret"), "dir-link": outside, "up-link": "..", "new-link": filepath.Join(outside, "new")} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{
		filepath.Join(outside, "secret"), "../outside/secret", dir + "/../outside/secret", dir + "/./../outside/secret",
		"file-link", "dir-link/secret", "up-link/outside/secret", filepath.Join(dir, "file-link"), "/etc/passwd", "..", "new-link",
		dir + "x/secret", strings.ToUpper(dir) + "/a",
	} {
		if text, err := f.ReadText(path, 0, 0); err == nil {
			t.Errorf("read %s: %q", path, text)
		}
		if err := f.WriteText(path, "hacked"); err == nil {
			t.Errorf("wrote %s", path)
		}
	}
	got, err := os.ReadFile(filepath.Join(outside, "secret"))
	if err != nil || string(got) != "secret" {
		t.Errorf("the secret is %q, %v", got, err)
	}
	entries, err := os.ReadDir(outside)
	if err != nil || len(entries) != 1 {
		t.Errorf("outside has %d entries, %v", len(entries), err)
	}
}

func TestReadLines(t *testing.T) {
	f, dir, _ := opened(t)
	write(t, filepath.Join(dir, "a"), "1\r\n2\n3")
	for _, c := range []struct {
		line, limit int
		want        string
	}{{0, 0, "1\r\n2\n3"}, {1, 1, "1\r\n"}, {2, 0, "2\n3"}, {3, 9, "3"}, {4, 1, ""}, {0, 2, "1\r\n2\n"}} {
		if got, err := f.ReadText(filepath.Join(dir, "a"), c.line, c.limit); err != nil || got != c.want {
			t.Errorf("line %d limit %d: %q, %v", c.line, c.limit, got, err)
		}
	}
}

// Only a limited part of a line that is too long is held in memory, even if only its beginning is requested.
func TestLongLineIsNotHeld(t *testing.T) {
	f, dir, _ := opened(t)
	path := filepath.Join(dir, "a")
	if err := os.WriteFile(path, []byte("first\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 20*MaxRead); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := f.ReadText(path, 2, 1)
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("%v", err)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 8*MaxRead {
		t.Errorf("%d MB were allocated", got>>20)
	}
	if got, err := f.ReadText(path, 1, 1); got != "first\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestWriteKeepsModeAndMakesFolders(t *testing.T) {
	f, dir, _ := opened(t)
	path := filepath.Join(dir, "a.sh")
	write(t, path, "old")
	if err := os.Chmod(path, 0o750); err != nil {
		t.Fatal(err)
	}
	if err := f.WriteText(path, "new"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := f.WriteText("deep/er/file", "x"); err != nil {
		t.Fatal(err)
	}
	if got, err := f.ReadText("deep/er/file", 0, 0); err != nil || got != "x" {
		t.Errorf("%q, %v", got, err)
	}
	if err := os.Symlink("a.sh", filepath.Join(dir, "inner")); err != nil {
		t.Fatal(err)
	}
	if err := f.WriteText("inner", "through"); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "through" {
		t.Errorf("%q", got)
	}
}

func TestSentences(t *testing.T) {
	f, dir, _ := opened(t)
	write(t, filepath.Join(dir, "bin"), "\xff\xfe\xff")
	for path, code := range map[string]string{"gone": "not_found", ".": "is_directory", "bin": "not_text", "/": "outside"} {
		_, err := f.ReadText(path, 0, 0)
		var e *Error
		if !errors.As(err, &e) || e.Code != code {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// A file:// URL isn't treated as a path in a folder called "file:", because other programs would access the file that
// it names.
func TestFileURLsAreRefused(t *testing.T) {
	f, dir, _ := opened(t)
	write(t, filepath.Join(dir, "a"), "x")
	for _, path := range []string{"file://" + dir + "/a", "file://a", "file:///etc/passwd", "file://" + dir} {
		var refused *Error
		if _, err := f.ReadText(path, 0, 0); !errors.As(err, &refused) || refused.Code != "outside" {
			t.Errorf("read %s: %v", path, err)
		}
		if err := f.WriteText(path, "x"); !errors.As(err, &refused) || refused.Code != "outside" {
			t.Errorf("wrote %s: %v", path, err)
		}
		if got, err := f.Dir(path); err == nil {
			t.Errorf("a command starts in %s: %s", path, got)
		}
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("the folder has %d files: %v", len(list), err)
	}
}

// WriteText writes a text as it is, wherever the path leads now.
func (f *Files) WriteText(path, text string) error {
	rel, err := f.relative(path)
	if err != nil {
		return err
	}
	at, err := regular.Resolve(f.root, rel)
	if err != nil {
		return wrap(path, "Couldn't write {{path}}: {{why}}.", err)
	}
	return f.Write(path, filepath.ToSlash(at), &Written{data: []byte(text)})
}
