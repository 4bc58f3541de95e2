// Package atomicfile replaces files in one step.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write replaces the file at path, or makes it, with the folders above it for the user alone: whoever reads it sees
// the old data or the new, also after a power loss. The file gets perm, where the system has such a thing. Errors are those
// of the disk; then the file is as it was.
func Write(path string, data []byte, perm fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return Stream(path, perm, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Stream is Write for a file that write writes piece by piece, into a folder that is there. An error of write is returned as it is, and
// leaves nothing behind.
func Stream(path string, perm fs.FileMode, write func(w io.Writer) error) (err error) {
	dir := filepath.Dir(path)
	tmp, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = tmp.Close()
			_ = os.Remove(tmp.Name())
		}
	}()
	if err := tmp.Chmod(perm); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	if err := write(tmp); err != nil {
		return err
	}
	if err := tmp.Sync(); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return fmt.Errorf("replace %s: %w", path, err)
	}
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync() // not every file system can
		_ = d.Close()
	}
	return nil
}
