package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"weft/backend/files/regular"
)

// CheckWritable returns an error unless a file can be created or replaced at rel: its directory must exist inside
// the folder, and rel must not be a directory, a special file, or a link that leads out.
func (f *Folder) CheckWritable(rel string) error {
	return f.checkWritable(rel, false)
}

// CheckCreatable is CheckWritable, but the directories needn't exist: [Folder.MakeDirs] can create them.
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

// MakeDirs creates the directories of a file at rel, with modes according to the umask.
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

// Write creates or replaces a file atomically (it writes a temporary file and renames it), so a crash leaves either
// the old or the new content. A new file's mode follows the umask; a replaced one keeps its mode. If rel is a link,
// its target inside the folder is replaced.
func (f *Folder) Write(rel, content string) error {
	if err := f.CheckWritable(rel); err != nil {
		return err
	}
	if err := regular.Replace(f.disk.root, filepath.FromSlash(rel), []byte(content)); err != nil {
		return explain(rel, err)
	}
	return nil
}
