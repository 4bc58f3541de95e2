package folder

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
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
	if dir := path.Dir(rel); dir != "." {
		info, err := f.Stat(dir)
		for create && errors.Is(err, fs.ErrNotExist) && dir != "." {
			if _, lerr := f.root.Lstat(filepath.FromSlash(dir)); lerr == nil {
				return fmt.Errorf("%s is a link that leads nowhere", dir)
			}
			dir = path.Dir(dir)
			info, err = f.Stat(dir)
		}
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return fmt.Errorf("%s is not a folder", dir)
		}
	}
	if _, err := f.root.Lstat(filepath.FromSlash(rel)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	info, err := f.Stat(rel)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", rel)
	}
	return nil
}

// MakeDirs creates the folders that a file at rel lies in, with the modes that the user's umask gives them.
func (f *Folder) MakeDirs(rel string) error {
	dir := path.Dir(rel)
	if dir == "." {
		return nil
	}
	if err := f.root.MkdirAll(filepath.FromSlash(dir), 0o777); err != nil {
		return f.explain(dir, err)
	}
	return nil
}

// Write creates or replaces a file. The new text appears at once (written beside it, then renamed), so a crash
// leaves either the old file or the new one. A new file has the mode that the user's umask gives it, a replaced one keeps
// its own. A link inside the folder is written through in place.
func (f *Folder) Write(rel, content string) error {
	if err := f.CheckWritable(rel); err != nil {
		return err
	}
	name := filepath.FromSlash(rel)
	var mode *fs.FileMode // of the file that is replaced
	if info, err := f.root.Lstat(name); err == nil {
		if info.Mode()&fs.ModeSymlink != 0 {
			if err := f.root.WriteFile(name, []byte(content), 0o666); err != nil {
				return f.explain(rel, err)
			}
			return nil
		}
		perm := info.Mode().Perm()
		mode = &perm
	}
	temp := filepath.Join(filepath.Dir(name), ".weft-"+rand.Text()[:10]+".tmp")
	if err := f.writeNew(temp, content, mode); err != nil {
		return f.explain(rel, err)
	}
	if err := f.root.Rename(temp, name); err != nil {
		_ = f.root.Remove(temp)
		return f.explain(rel, err)
	}
	return nil
}

func (f *Folder) writeNew(name, content string, mode *fs.FileMode) error {
	made := fs.FileMode(0o666)
	if mode != nil {
		made = 0o600 // until it has the mode of the file that it replaces
	}
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, made)
	if err != nil {
		return err
	}
	_, err = file.WriteString(content)
	if err == nil && mode != nil {
		err = file.Chmod(*mode)
	}
	if err == nil {
		err = file.Sync()
	}
	if cerr := file.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = f.root.Remove(name)
	}
	return err
}
