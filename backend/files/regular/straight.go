package regular

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrMoved says that a path leads elsewhere than when it was resolved.
var ErrMoved = errors.New("it leads elsewhere by now")

// OpenAt is [Open] for a path that [Resolve] has returned. It follows no link. Errors: also [ErrMoved].
func OpenAt(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	dir, err := straight(root, filepath.Dir(name), false)
	if err != nil {
		return nil, nil, err
	}
	defer dir.Close()
	file, info, err := Open(dir, filepath.Base(name))
	if err != nil {
		return nil, nil, err
	}
	if err := sameAs(dir, filepath.Base(name), info); err != nil {
		_ = file.Close() // opened for reading only
		return nil, nil, err
	}
	return file, info, nil
}

// ReplaceAt is [Replace] for a path that [Resolve] has returned. It follows no link, and makes the folders that are
// missing. Errors: also [ErrMoved].
func ReplaceAt(root *os.Root, name string, data []byte) error {
	dir, err := straight(root, filepath.Dir(name), true)
	if err != nil {
		return err
	}
	defer dir.Close()
	return replace(dir, filepath.Base(name), data)
}

// straight opens a folder below root, one step at a time, and so that no link is followed, whatever is put in the place
// of a folder meanwhile. The answer has to be closed.
func straight(root *os.Root, name string, makes bool) (*os.Root, error) {
	at, err := OpenFolder(root, ".")
	if err != nil {
		return nil, err
	}
	for part := range strings.SplitSeq(filepath.Clean(name), string(filepath.Separator)) {
		if part == "." {
			continue
		}
		next, err := step(at, part, makes)
		_ = at.Close() // nothing was written through it
		if err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

func step(at *os.Root, part string, makes bool) (*os.Root, error) {
	if makes {
		if err := at.Mkdir(part, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	next, err := OpenFolder(at, part)
	if err != nil {
		return nil, err
	}
	info, err := next.Stat(".")
	if err == nil {
		err = sameAs(at, part, info)
	}
	if err != nil {
		_ = next.Close()
		return nil, err
	}
	return next, nil
}

// sameAs reports, as [ErrMoved], that what was opened by a name isn't what has the name itself, but what a link leads
// to or what was there before.
func sameAs(dir *os.Root, name string, opened fs.FileInfo) error {
	there, err := dir.Lstat(name)
	if err != nil {
		return err
	}
	if !os.SameFile(there, opened) {
		return ErrMoved
	}
	return nil
}
