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

// MakeDirs creates the folders that a file at rel lies in.
func (f *Folder) MakeDirs(rel string) error {
	dir := path.Dir(rel)
	if dir == "." {
		return nil
	}
	if err := f.root.MkdirAll(filepath.FromSlash(dir), 0o755); err != nil {
		return f.explain(dir, err)
	}
	return nil
}

// Write creates or replaces a file. The new text appears at once (written beside it, then renamed), so a crash
// leaves either the old file or the new one. A link inside the folder is written through in place.
func (f *Folder) Write(rel, content string) error {
	if err := f.CheckWritable(rel); err != nil {
		return err
	}
	name := filepath.FromSlash(rel)
	mode := fs.FileMode(0o644)
	if info, err := f.root.Lstat(name); err == nil {
		if info.Mode()&fs.ModeSymlink != 0 {
			if err := f.root.WriteFile(name, []byte(content), mode); err != nil {
				return f.explain(rel, err)
			}
			return nil
		}
		mode = info.Mode().Perm()
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

func (f *Folder) writeNew(name, content string, mode fs.FileMode) error {
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.WriteString(content)
	if err == nil {
		err = file.Chmod(mode) // the umask may have narrowed it
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
