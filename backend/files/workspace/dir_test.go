package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestCommandsStartInside(t *testing.T) {
	f, dir, outside := opened(t)
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "file"), "x")
	for link, target := range map[string]string{"in": "a", "out": outside, "up": "..", "abs": filepath.Join(dir, "a"), "loop": "loop", "gone": "missing"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"": dir, ".": dir, dir: dir, dir + "/": dir, "a": dir + "/a", "a/../a/b": dir + "/a/b", dir + "/a/b": dir + "/a/b", "in/b": dir + "/a/b",
	} {
		if got, err := f.Dir(path); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", path, got, err, want)
		}
	}
	for path, code := range map[string]string{
		"..": "outside", "/": "outside", outside: "outside", "../outside": "outside", "a/../..": "outside", dir + "/../outside": "outside", dir + "x": "outside",
		"out": "outside", "up": "outside", "out/..": "", "up/outside": "outside", "file": "not_found", "missing": "not_found", "gone": "not_found", "loop": "failed",
	} {
		got, err := f.Dir(path)
		if code == "" { // cleaned away before anything is looked up
			if err != nil || got != dir {
				t.Errorf("%q: %q, %v", path, got, err)
			}
			continue
		}
		var e *Error
		if !errors.As(err, &e) || e.Code != code {
			t.Errorf("%q: %q, %v, want %s", path, got, err, code)
		}
	}
}
