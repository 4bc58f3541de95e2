//go:build unix

package store

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"weft/backend/store/spaces"
)

// The folder exists and is open to everyone, and the umask restricts nothing.
func TestDatabaseIsPrivateInPublicFolder(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	check := func(when string) {
		t.Helper()
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			info, err := e.Info()
			if err != nil || info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s, %s is %v, %v", when, e.Name(), info.Mode(), err)
			}
		}
	}
	open := func() *Store {
		t.Helper()
		s, _, err := Open(t.Context(), dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Spaces.Create(t.Context(), spaces.Space{Folder: "/", AgentID: "a"}); err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open()
	check("when it was made")
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"weft.db", "weft.db-wal"} {
		if err := os.Chmod(filepath.Join(dir, name), 0o644); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	s = open()
	check("when one was there")
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	check("when it was closed")
}
