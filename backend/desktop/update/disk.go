package update

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// disk is how files are moved and removed. On Windows a program that runs can be moved to another name, but neither
// removed nor replaced: it is put aside, and removed by a later update or start.
type disk struct {
	rename func(from, to string) error
	remove func(path string) error
}

// aside is the folder, in that of an update, of programs that couldn't be removed while they ran.
const aside = "aside"

// move replaces to by from, in one step where the system can, also where they are on different file systems.
func (s *site) move(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	// A second name of the same file would stay where it is.
	there, missing := os.Lstat(to)
	if a, err := os.Lstat(from); err == nil && missing == nil && os.SameFile(a, there) {
		return s.discard(from)
	}
	err := s.disk.rename(from, to)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EXDEV):
		return s.moveAcross(from, to)
	case missing != nil || !there.Mode().IsRegular():
		return err
	}
	kept, why := s.putAside(to)
	if why != nil {
		return err
	}
	if err := s.disk.rename(from, to); err != nil {
		return errors.Join(err, s.disk.rename(kept, to))
	}
	_ = s.disk.remove(kept) // as soon as it can be
	return nil
}

func (s *site) moveAcross(from, to string) error {
	part := to + ".weft-part"
	if err := os.RemoveAll(part); err != nil {
		return err
	}
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if err := copyTo(from, part, info.Mode()); err != nil {
		_ = os.Remove(part)
		return err
	}
	if err := s.disk.rename(part, to); err != nil {
		return err
	}
	return os.Remove(from)
}

// putAside moves a file to where nothing looks for it.
func (s *site) putAside(path string) (at string, err error) {
	if err := os.MkdirAll(s.dir(aside), 0o700); err != nil {
		return "", err
	}
	at = s.dir(aside, rand.Text())
	return at, s.disk.rename(path, at)
}

// discard removes a file, or puts it aside. It is no error that there is none.
func (s *site) discard(path string) error {
	err := s.disk.remove(path)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if info, missing := os.Lstat(path); missing != nil || !info.Mode().IsRegular() {
		return err
	}
	if _, why := s.putAside(path); why != nil {
		return err
	}
	return nil
}

// clear removes a file, or a folder with all that is in it.
func (s *site) clear(path string) error {
	first := filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return s.discard(path)
	})
	if err := os.RemoveAll(path); err != nil {
		return errors.Join(first, err)
	}
	return nil
}

// sweep removes what was put aside and doesn't run any more.
func (s *site) sweep() {
	entries, _ := os.ReadDir(s.dir(aside))
	for _, e := range entries {
		_ = s.disk.remove(s.dir(aside, e.Name()))
	}
	_ = os.Remove(s.dir(aside))
}
