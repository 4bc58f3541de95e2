package folder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"weft/backend/files/regular"
)

// disk reads the files below a root by their relative paths. Its errors are sentences for a user.
type disk struct{ root *os.Root }

func (d disk) stat(rel string) (fs.FileInfo, error) {
	info, err := d.root.Stat(filepath.FromSlash(rel))
	if err != nil {
		return nil, explain(rel, err)
	}
	return info, nil
}

// open opens a regular file. It refuses anything else, so it never blocks on a pipe or a device.
func (d disk) open(rel string) (*os.File, fs.FileInfo, error) {
	file, info, err := regular.Open(d.root, filepath.FromSlash(rel))
	if err != nil {
		return nil, nil, explain(rel, err)
	}
	return file, info, nil
}

// read returns the first bytes of a file, at most limit.
func (d disk) read(rel string, limit int64) ([]byte, error) {
	file, _, err := d.open(rel)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, limit))
}

// head returns the first bytes of a file, enough to distinguish text from binary.
func (d disk) head(rel string) ([]byte, error) { return d.read(rel, sniffBytes) }

// explain turns a system error about rel into a sentence; a path that escapes becomes ErrOutside.
func explain(rel string, err error) error {
	switch {
	case errors.Is(err, regular.ErrFolder):
		return fmt.Errorf("%s is a folder", rel)
	case errors.Is(err, regular.ErrNotRegular):
		return fmt.Errorf("%s isn't a regular file", rel)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s doesn't exist: %w", rel, fs.ErrNotExist)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("no permission to open %s: %w", rel, fs.ErrPermission)
	case errors.Is(err, regular.ErrOutside), strings.Contains(err.Error(), "escapes from parent"):
		return fmt.Errorf("%w: %s", ErrOutside, rel)
	}
	return fmt.Errorf("%s: %w", rel, reason(err))
}

// reason drops the operation and the path from a *fs.PathError, because the sentence around it contains them.
func reason(err error) error {
	var perr *fs.PathError
	if errors.As(err, &perr) {
		return perr.Err
	}
	return err
}
