package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/backend/base/fault"
)

// replace puts another folder with the same file at the path of f's folder, and returns the new path of the old one.
func replace(t *testing.T, dir string) (away string) {
	t.Helper()
	away = dir + ".bak"
	if err := os.Rename(dir, away); err != nil {
		t.Skip("a folder that is open can't be moved on this system: ", err)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "a.txt"), "new")
	return away
}

func TestNothingIsTouchedInAReplacedFolder(t *testing.T) {
	f, dir, _ := opened(t)
	file := filepath.Join(dir, "a.txt")
	write(t, file, "old")
	if err := f.Current(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	prepared, err := f.Prepare(file, "written", FormRequest{}, false)
	if err != nil {
		t.Fatal(err)
	}
	away := replace(t, dir)
	if err := f.Current(t.Context(), ""); !Replaced(err) || !strings.Contains(err.Error(), dir) {
		t.Errorf("current: %v", err)
	}
	for what, do := range map[string]func(path string) error{
		"Current": func(path string) error { return f.Current(t.Context(), path) },
		"Read":    func(path string) error { _, err := f.Read(path, "a.txt", 0, 0); return err },
		"Bytes":   func(path string) error { _, err := f.Bytes(path, 10); return err },
		"View":    func(path string) error { _, err := f.View(path, 0); return err },
		"Look":    func(path string) error { _, err := f.Look(path); return err },
		"Locate":  func(path string) error { _, err := f.Locate(path); return err },
		"Dir":     func(string) error { _, err := f.Dir(""); return err },
		"Prepare": func(path string) error { _, err := f.Prepare(path, "written", FormRequest{}, false); return err },
		"Write":   func(path string) error { return f.Write(path, "a.txt", prepared) },
		"Write in a folder of its own": func(string) error {
			return f.Write(filepath.Join(dir, "sub", "b.txt"), "sub/b.txt", prepared)
		},
	} {
		if err := do(file); !Replaced(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if f.Exists(file) {
		t.Error("the file is said to exist")
	}
	if list, err := f.Exist([]string{file, "a.txt"}); err != nil || len(list) != 0 {
		t.Errorf("these are said to exist: %q, %v", list, err)
	}
	for at, want := range map[string]string{dir: "new", away: "old"} {
		text, err := os.ReadFile(filepath.Join(at, "a.txt"))
		if err != nil || string(text) != want {
			t.Errorf("%s holds %q, %v", at, text, err)
		}
		if _, err := os.Stat(filepath.Join(at, "sub")); err == nil {
			t.Errorf("a folder was made in %s", at)
		}
	}
}

func TestFolderThatComesBackIsTheSame(t *testing.T) {
	f, dir, _ := opened(t)
	write(t, filepath.Join(dir, "a.txt"), "old")
	away := replace(t, dir)
	if err := errors.Join(os.Rename(dir, dir+".other"), f.Current(t.Context(), "")); fault.CodeOf(err) != "not_found" {
		t.Errorf("where there is none: %v", err)
	}
	if err := os.Symlink(away, dir); err != nil {
		t.Skip(err)
	}
	if err := f.Current(t.Context(), ""); err != nil { // by a link
		t.Error(err)
	}
	if err := errors.Join(os.Remove(dir), os.Rename(away, dir), f.Current(t.Context(), ""), f.WriteText("a.txt", "written")); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "a.txt")); err != nil || string(text) != "written" {
		t.Errorf("it holds %q, %v", text, err)
	}
}

func TestCurrentTimesOutOnAnUnresponsiveDisk(t *testing.T) {
	f, dir, _ := opened(t)
	for range cap(f.operations) { // as if so many had begun
		f.operations <- struct{}{}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("stopped")
	cancel(why)
	if err := f.Current(ctx, ""); !errors.Is(err, why) {
		t.Errorf("after a stop: %v", err)
	}
	if err := f.Current(ctx, dir); !errors.Is(err, why) {
		t.Errorf("an operation after a stop: %v", err)
	}
	if err := f.Current(t.Context(), ""); err != nil {
		t.Errorf("a prompt is not sent to an agent whose disk is slow: %v", err)
	}
}

// On some mounts, a folder has a different inode number on each access.
func TestFolderWithoutStableInodeIsNotCompared(t *testing.T) {
	f, dir, _ := opened(t)
	f.steady = false
	replace(t, dir)
	if err := f.Current(t.Context(), ""); err != nil {
		t.Error(err)
	}
	if err := errors.Join(os.RemoveAll(dir), f.Current(t.Context(), "")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a folder: %v", err)
	}
}
