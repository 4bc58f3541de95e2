package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"weft/backend/regular"
)

// CheckWritable reports whether a file could be created or replaced at rel: its directory exists inside the
// folder and rel is not a directory, a special file, or a link that leads out.
func (f *Folder) CheckWritable(rel string) error {
	return f.checkWritable(rel, false)
}

// CheckCreatable is CheckWritable for a file whose folders [Folder.MakeDirs] would create first.
func (f *Folder) CheckCreatable(rel string) error {
	return f.checkWritable(rel, true)
}

func (f *Folder) checkWritable(rel string, create bool) error {
	if err := f.Current(); err != nil {
		return err
	}
	if dir := path.Dir(rel); dir != "." {
		info, err := f.disk.stat(dir)
		for create && errors.Is(err, fs.ErrNotExist) && dir != "." {
			if _, lerr := f.disk.root.Lstat(filepath.FromSlash(dir)); lerr == nil {
				return fmt.Errorf("%s is a broken link", dir)
			}
			dir = path.Dir(dir)
			info, err = f.disk.stat(dir)
		}
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return fmt.Errorf("%s isn't a folder", dir)
		}
	}
	if _, err := f.disk.root.Lstat(filepath.FromSlash(rel)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	info, err := f.disk.stat(rel)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s isn't a regular file", rel)
	}
	return nil
}

// MakeDirs creates the folders that a file at rel lies in, with the modes that the user's umask gives them.
func (f *Folder) MakeDirs(rel string) error {
	if err := f.Current(); err != nil {
		return err
	}
	dir := path.Dir(rel)
	if dir == "." {
		return nil
	}
	if err := f.disk.root.MkdirAll(filepath.FromSlash(dir), 0o777); err != nil {
		return explain(dir, err)
	}
	return nil
}

// Write creates or replaces a file. The new text appears at once (written beside it, then renamed), so a crash
// leaves either the old file or the new one. A new file has the mode that the user's umask gives it, a replaced one keeps
// its own. A link inside the folder stays, and the file that it leads to is replaced.
func (f *Folder) Write(rel, content string) error {
	if err := f.CheckWritable(rel); err != nil {
		return err
	}
	if err := regular.Replace(f.disk.root, filepath.FromSlash(rel), []byte(content)); err != nil {
		return explain(rel, err)
	}
	return nil
}
