//go:build unix

package regular

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

func folder(t *testing.T) (*os.Root, string) {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root, dir
}

func TestPipesAreRefusedAtOnce(t *testing.T) {
	root, dir := folder(t)
	if err := unix.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("pipe", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pipe", "link"} {
		if _, _, err := Open(root, name); !errors.Is(err, ErrNotRegular) {
			t.Errorf("Open %s: %v", name, err)
		}
		if _, err := ReadPath(filepath.Join(dir, name), 10); !errors.Is(err, ErrNotRegular) {
			t.Errorf("ReadPath %s: %v", name, err)
		}
		if err := Replace(root, name, []byte("text")); !errors.Is(err, ErrNotRegular) {
			t.Errorf("Replace %s: %v", name, err)
		}
		if err := overwrite(root, name, []byte("text")); err == nil {
			t.Errorf("%s was overwritten", name)
		}
		if r, err := OpenFolder(root, name); err == nil {
			_ = r.Close()
			t.Errorf("%s was opened as a folder", name)
		}
		if r, err := OpenRoot(filepath.Join(dir, name)); err == nil {
			_ = r.Close()
			t.Errorf("%s was opened as the root", name)
		}
		if _, err := ReadFolder(root, name, -1); err == nil {
			t.Errorf("%s was read as a folder", name)
		}
	}
	if _, _, err := Open(root, "."); !errors.Is(err, ErrFolder) {
		t.Errorf("a folder: %v", err)
	}
}

// Someone replaces a file by a pipe, a link to one, a folder and back, as fast as the system can. Nothing waits for the
// pipe, and what is read or written is a file.
func TestSwappedFileDoesNotBlock(t *testing.T) {
	root, dir := folder(t)
	if err := unix.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	at, sub := filepath.Join(dir, "file"), filepath.Join(dir, "sub")
	stop := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() {
		random := rand.New(rand.NewPCG(11, 13))
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			next := filepath.Join(dir, fmt.Sprint("next", i))
			switch random.IntN(4) {
			case 0:
				_ = unix.Mkfifo(next, 0o600)
			case 1:
				_ = os.Symlink("pipe", next)
			case 2:
				_ = os.Symlink("../../../../etc/passwd", next)
			default:
				_ = os.WriteFile(next, []byte("inside"), 0o600)
			}
			_ = os.Rename(next, at)
			if random.IntN(2) == 0 { // and the folder beside it
				_ = os.Rename(sub, sub+"-away")
				_ = unix.Mkfifo(sub, 0o600)
				_ = os.Remove(sub)
				_ = os.Rename(sub+"-away", sub)
			}
		}
	})
	read := 0
	for range 3000 {
		if text, err := Read(root, "file", 100); err == nil {
			if read++; string(text) != "inside" {
				t.Fatalf("read %q", text)
			}
		}
		if r, err := OpenFolder(root, "sub"); err == nil {
			_ = r.Close()
		}
		_, _ = ReadFolder(root, "sub", -1)
		_ = Replace(root, "file", []byte("inside"))
	}
	close(stop)
	swapping.Wait()
	if read == 0 {
		t.Error("the file was never read")
	}
}
