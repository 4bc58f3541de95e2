//go:build unix

package workspace

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// umaskVariable has the test binary write files with that umask, in the folder that is its first argument.
const umaskVariable = "WEFT_TEST_UMASK"

func TestMain(m *testing.M) {
	if mask, err := strconv.ParseInt(os.Getenv(umaskVariable), 8, 32); err == nil {
		unix.Umask(int(mask))
		if err := writeAll(os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func writeAll(dir string) error {
	f, err := Open(dir)
	if err != nil {
		return err
	}
	for _, name := range []string{"new", "made/deep/new", "wide", "narrow", "program", "link", "dangling"} {
		if err := f.WriteText(name, "text"); err != nil {
			return err
		}
	}
	return f.Close()
}

// The umask belongs to the process, so each one is tested in a separate process.
func TestNewFilesHonorTheUmask(t *testing.T) {
	for _, mask := range []fs.FileMode{0, 0o002, 0o022, 0o027, 0o077} {
		dir := t.TempDir()
		kept := map[string]fs.FileMode{"wide": 0o666, "narrow": 0o600, "program": 0o755, "target": 0o664}
		for name, mode := range kept {
			write(t, filepath.Join(dir, name), "before")
			if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
				t.Fatal(err)
			}
		}
		for link, target := range map[string]string{"link": "target", "dangling": "coming"} {
			if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.CommandContext(t.Context(), os.Args[0], dir)
		cmd.Env = append(os.Environ(), umaskVariable+"="+strconv.FormatInt(int64(mask), 8))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("umask %o: %v %s", mask, err, out)
		}
		want := map[string]fs.FileMode{
			"new": 0o666 &^ mask, "made/deep/new": 0o666 &^ mask, "coming": 0o666 &^ mask, "made": 0o777 &^ mask, "made/deep": 0o777 &^ mask,
		}
		for name, mode := range kept {
			want[name] = mode
		}
		for name, mode := range want {
			info, err := os.Stat(filepath.Join(dir, name))
			if err != nil {
				t.Error(err)
			} else if got := info.Mode().Perm(); got != mode {
				t.Errorf("umask %o: %s is %o, want %o", mask, name, got, mode)
			}
		}
	}
}
