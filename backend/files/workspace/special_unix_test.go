//go:build unix

package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// special fills a folder with everything that isn't a regular file and with links to it, and returns the names.
func special(t *testing.T, dir string) []string {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(unix.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	socket, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	must(err)
	t.Cleanup(func() { _ = unix.Close(socket) })
	t.Chdir(dir) // addresses of sockets are short
	must(unix.Bind(socket, &unix.SockaddrUnix{Name: "socket"}))
	names := []string{"pipe", "socket"}
	for _, target := range names[:2] {
		must(os.Symlink(target, filepath.Join(dir, "link-to-"+target)))
		must(os.Symlink("link-to-"+target, filepath.Join(dir, "link-to-link-to-"+target)))
		names = append(names, "link-to-"+target, "link-to-link-to-"+target)
	}
	must(os.Mkdir(filepath.Join(dir, "sub"), 0o700))
	must(os.Symlink("../pipe", filepath.Join(dir, "sub", "up")))
	must(os.Symlink("sub", filepath.Join(dir, "through")))
	return append(names, "sub/up", "through/up")
}

// None of these may wait for the other end: on a pipe that would be forever.
func TestPipesAndSocketsAreRefusedWithoutWaiting(t *testing.T) {
	f, dir, _ := opened(t)
	for _, name := range special(t, dir) {
		_, readErr := f.ReadText(name, 0, 0)
		_, lineErr := f.ReadText(name, 2, 1)
		_, viewErr := f.View(name, 0)
		_, lookErr := f.Look(name)
		writeErr := f.WriteText(name, "text")
		for what, err := range map[string]error{"read": readErr, "read lines": lineErr, "view": viewErr, "look": lookErr, "write": writeErr} {
			var refused *Error
			if !errors.As(err, &refused) || refused.Code != "not_text" || !strings.Contains(refused.Message, "isn't a regular file") {
				t.Errorf("%s %s: %v", what, name, err)
			}
		}
	}
	info, err := os.Lstat(filepath.Join(dir, "pipe"))
	if err != nil || info.Mode().Type() != os.ModeNamedPipe {
		t.Errorf("the pipe is now %v, %v", info, err)
	}
}

// An agent could create something at a predictable temporary name.
func TestWriteDoesNotTrustTheNameOfItsTemporaryFile(t *testing.T) {
	f, dir, outside := opened(t)
	guess := "." + "a.txt" + ".weft-" + strconv.Itoa(os.Getpid())
	if err := unix.Mkfifo(filepath.Join(dir, guess), 0o600); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "b.txt"), "before")
	if err := os.Symlink("b.txt", filepath.Join(dir, ".c.txt.weft-"+strconv.Itoa(os.Getpid()))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.txt", "c.txt"} {
		if err := f.WriteText(name, "text"); err != nil {
			t.Error(err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != "text" {
			t.Errorf("%s holds %q, %v", name, got, err)
		}
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "b.txt")); string(got) != "before" {
		t.Errorf("a link at the temporary name was written through: %q", got)
	}
	if entries, _ := os.ReadDir(outside); len(entries) != 1 {
		t.Errorf("outside are %v", entries)
	}
}

// A reader with the file open sees the old text to its end; nobody sees a part of the new one.
func TestWriteThroughALinkReplacesInOneStep(t *testing.T) {
	f, dir, _ := opened(t)
	for _, d := range []string{"real/deep", "other"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "real/file"), "before")
	if err := os.Chmod(filepath.Join(dir, "real/file"), 0o750); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{
		"link": "real/file", "other/link": "../real/file", "folder": "real/deep", "real/deep/link": "../file",
		"chain": "other/link", "new": "real/new",
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"link", "other/link", "folder/link", "chain"} {
		old, err := os.Open(filepath.Join(dir, "real/file"))
		if err != nil {
			t.Fatal(err)
		}
		was, _ := os.ReadFile(filepath.Join(dir, "real/file"))
		if err := f.WriteText(name, "by "+name); err != nil {
			t.Fatal(name, err)
		}
		seen := make([]byte, 100)
		n, _ := old.Read(seen)
		_ = old.Close()
		if string(seen[:n]) != string(was) {
			t.Errorf("%s: a reader of the old file saw %q, want %q", name, seen[:n], was)
		}
		got, err := os.ReadFile(filepath.Join(dir, "real/file"))
		if err != nil || string(got) != "by "+name {
			t.Errorf("%s: the file holds %q, %v", name, got, err)
		}
		info, err := os.Lstat(filepath.Join(dir, name))
		if err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more", name)
		}
	}
	if info, _ := os.Stat(filepath.Join(dir, "real/file")); info.Mode().Perm() != 0o750 {
		t.Errorf("the mode is %o", info.Mode().Perm())
	}
	if err := f.WriteText("new", "made"); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "real/new")); string(got) != "made" {
		t.Errorf("a link to a file that was not there made %q", got)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "real", ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
