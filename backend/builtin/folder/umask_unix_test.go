//go:build unix

package folder

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// New files and folders get their mode from the umask. A replaced file keeps its mode.
func TestNewFilesFollowTheUmask(t *testing.T) {
	for _, umask := range []int{0o077, 0o027, 0o022, 0o002, 0} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "old"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(dir, "old"), 0o754); err != nil {
			t.Fatal(err)
		}
		f, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		before := syscall.Umask(umask)
		err = f.MakeDirs("a/b/new")
		for _, name := range []string{"a/b/new", "old"} {
			if err == nil {
				err = f.Write(name, "text")
			}
		}
		syscall.Umask(before)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]os.FileMode{
			"a": os.FileMode(0o777 &^ umask), "a/b": os.FileMode(0o777 &^ umask), "a/b/new": os.FileMode(0o666 &^ umask), "old": 0o754,
		} {
			info, err := os.Stat(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if got := info.Mode().Perm(); got != want {
				t.Errorf("umask %03o: %s has %v, want %v", umask, name, got, want)
			}
		}
	}
}
