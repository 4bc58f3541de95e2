// Package regular opens, reads and replaces regular files in folders that an agent or a repository can change at any
// time.
//
// It never waits for the other end of a pipe, and it decides what a file is by its descriptor and not by its path, so
// that nothing can be put in the file's place in between. Calls block for as long as the disk does.
package regular

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// Errors of this package; errors of the disk are passed on as they are.
var (
	ErrFolder     = errors.New("it is a folder, not a file")
	ErrNotRegular = errors.New("it isn't a regular file")
	ErrOutside    = errors.New("it is outside the folder")
	ErrTooLarge   = errors.New("the file is too large")
)

// Open opens a regular file of root for reading. Links are followed as far as they stay in root.
func Open(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	file, err := root.OpenFile(name, os.O_RDONLY|quick, 0)
	if err != nil {
		info, statErr := root.Stat(name)
		return nil, nil, because(err, info, statErr)
	}
	return check(file)
}

// OpenPath is [Open] for a path that is not confined to a folder.
func OpenPath(path string) (*os.File, fs.FileInfo, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|quick, 0)
	if err != nil {
		info, statErr := os.Stat(path)
		return nil, nil, because(err, info, statErr)
	}
	return check(file)
}

// Read returns what a regular file of root holds. Errors: [ErrTooLarge] where that is more than limit bytes, and those
// of [Open].
func Read(root *os.Root, name string, limit int64) ([]byte, error) {
	file, _, err := Open(root, name)
	if err != nil {
		return nil, err
	}
	return readAll(file, limit)
}

// ReadPath is [Read] for a path that is not confined to a folder.
func ReadPath(path string, limit int64) ([]byte, error) {
	file, _, err := OpenPath(path)
	if err != nil {
		return nil, err
	}
	return readAll(file, limit)
}

// OpenRoot is [os.OpenRoot], but returns an error at once where dir is a pipe by now.
func OpenRoot(dir string) (*os.Root, error) { return os.OpenRoot(dir + inside) }

// OpenFolder opens a folder of root, and returns an error at once where it is a pipe by now. Links are followed as far
// as they stay in root.
func OpenFolder(root *os.Root, name string) (*os.Root, error) { return root.OpenRoot(name + inside) }

// ReadFolder returns up to limit entries of a folder of root, in no order. Links are followed as far as they stay in
// root.
func ReadFolder(root *os.Root, name string, limit int) ([]fs.DirEntry, error) {
	dir, err := root.Open(name + inside)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	list, err := dir.ReadDir(limit)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return list, err
}

func readAll(file *os.File, limit int64) ([]byte, error) {
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, ErrTooLarge
	}
	return data, nil
}

// check closes a file that is not a regular one.
func check(file *os.File) (*os.File, fs.FileInfo, error) {
	info, err := file.Stat()
	if err == nil {
		err = kind(info)
	}
	if err != nil {
		_ = file.Close()
		return nil, nil, err
	}
	return file, info, nil
}

// because returns why a file could not be opened: what it is says more than what the system says about a socket.
func because(err error, info fs.FileInfo, statErr error) error {
	if statErr != nil || kind(info) == nil {
		return err
	}
	return kind(info)
}

// kind returns the error for what is no regular file.
func kind(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return ErrFolder
	case !info.Mode().IsRegular():
		return ErrNotRegular
	}
	return nil
}
