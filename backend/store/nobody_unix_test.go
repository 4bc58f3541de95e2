//go:build !windows

package store

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// asNobody makes cmd run as a user without privileges, who owns dir.
func asNobody(t *testing.T, cmd *exec.Cmd, dir string) {
	t.Helper()
	const nobody = 65534
	bin := filepath.Join(os.TempDir(), filepath.Base(t.TempDir())+".test")
	if err := copyFile(cmd.Path, bin); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(bin) })
	if err := os.Chmod(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd.Path, cmd.Dir = bin, "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	for p := dir; p != "/" && p != os.TempDir(); p = filepath.Dir(p) {
		_ = os.Chmod(p, 0o755)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, f := range append(files, dir) {
		_ = os.Chown(f, nobody, nobody)
	}
}
