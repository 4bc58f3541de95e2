package regular

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// tempPrefix begins the names of files that are written beside their place. Other parts of Weft leave such files out.
const tempPrefix = ".weft-"

// Replace has the file at name hold data, in one step: a reader sees the old text or the new one. A link is followed
// and stays. The mode of a file that is there stays; a new one gets what the umask leaves of 0666. Where no file can be
// made beside it, the file is overwritten in place.
//
// Errors: [ErrFolder] and [ErrNotRegular] for what is no file, [ErrOutside], and those of the disk.
func Replace(root *os.Root, name string, data []byte) error {
	name, err := Resolve(root, name)
	if err != nil {
		return err
	}
	return replace(root, name, data)
}

// replace is Replace for a path without links.
func replace(root *os.Root, name string, data []byte) error {
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		info = nil
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		return ErrMoved
	case kind(info) != nil:
		return kind(info)
	}
	temp := filepath.Join(filepath.Dir(name), tempPrefix+rand.Text())
	err = write(root, temp, data, info)
	if errors.Is(err, fs.ErrPermission) && info != nil {
		return overwrite(root, name, data)
	}
	if err == nil {
		err = root.Rename(temp, name)
	}
	if err != nil {
		_ = root.Remove(temp) // of a write that failed; it may not be there
	}
	return err
}

// write makes a new file, with the mode of the one that it is to replace.
func write(root *os.Root, name string, data []byte, old fs.FileInfo) error {
	mode := fs.FileMode(0o666)
	if old != nil {
		mode = old.Mode().Perm()
	}
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil && old != nil {
		err = file.Chmod(mode) // the umask may have narrowed it
	}
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// overwrite writes into a file that is there.
func overwrite(root *os.Root, name string, data []byte) error {
	file, err := root.OpenFile(name, os.O_WRONLY|quick, 0)
	if err != nil {
		return err
	}
	file, info, err := check(file)
	if err != nil {
		return err
	}
	if err = sameAs(root, name, info); err == nil {
		err = file.Truncate(0)
	}
	if err == nil {
		_, err = file.Write(data)
	}
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}
