//go:build unix

package cli

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestNamedFilesAreFiles passes paths of everything except files to commands that take a file: none of them blocks.
func TestNamedFilesAreFiles(t *testing.T) {
	dir := t.TempDir()
	data, settings := filepath.Join(dir, "data"), filepath.Join(dir, "settings.json")
	pipe, link, folder := filepath.Join(dir, "pipe"), filepath.Join(dir, "link"), filepath.Join(dir, "folder")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir) // the names of sockets are short
	socket, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	code := 0
	if out := printed(t, func() { code = run([]string{"import", "none", "--data", data, "--settings", settings}) }); code != 1 || !strings.Contains(out, "no file") {
		t.Fatal(out)
	}
	for _, name := range []string{"/dev/zero", pipe, link, "socket", folder} {
		for _, args := range [][]string{
			{"import", name, "--data", data, "--settings", settings},
			{"import", "--dry-run", name, "--data", data, "--settings", settings},
			{"restore", name, "--data", filepath.Join(dir, "other"), "--settings", settings},
			{"fold", name},
			{"replay", name},
			{"backup", filepath.Join(dir, "backup.zip"), "--data", data, "--settings", name},
		} {
			done := make(chan struct{})
			go func() {
				defer close(done)
				out := printed(t, func() { code = run(args) })
				if said := strings.Contains(out, "regular file") || name == folder; code == 0 || !said || strings.Contains(out, "{{") {
					t.Errorf("weft %q: %d, %q", args, code, out)
				}
			}()
			select {
			case <-done:
			case <-time.After(10 * time.Second):
				t.Fatalf("weft %q does not end", args)
			}
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Error("left behind:", left, err)
	}
}
