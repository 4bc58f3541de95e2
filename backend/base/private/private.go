// Package private keeps the files of Weft's own data folder from other users of the machine: what agents and users said
// is in them. On Windows, folders of a user are private as they are.
package private

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

const (
	fileMode   = 0o600
	folderMode = 0o700
)

// folders are those of the data folder that hold nothing but Weft's own files. Others hold programs, or files of the
// user.
var folders = []string{"logs", "processes", "protocol"}

// Create makes a file that only the user can read, if it is not there. One that is there is narrowed as [Narrow] does.
func Create(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, fileMode)
	if errors.Is(err, fs.ErrExist) {
		return Narrow(path)
	}
	if err != nil {
		return err
	}
	return file.Close()
}

// Narrow takes the rights of other users from a file or folder, if it is there. Errors are those of the system, such as
// that it belongs to someone else.
func Narrow(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	wide := info.Mode().Perm()&^folderMode != 0
	if !wide || !info.Mode().IsRegular() && !info.IsDir() {
		return nil // a link is the user's doing
	}
	return os.Chmod(path, info.Mode().Perm()&folderMode)
}

// Tidy narrows the files of a data folder, and the folders in it that are Weft's own. The folder itself stays as it is:
// someone has made it so. It returns what could not be narrowed.
func Tidy(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	errs := []error{err}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.Type().IsRegular():
			errs = append(errs, Narrow(path))
		case e.IsDir() && slices.Contains(folders, e.Name()):
			errs = append(errs, narrowAll(path))
		}
	}
	return errors.Join(errs...)
}

func narrowAll(dir string) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return Narrow(path)
	})
}
