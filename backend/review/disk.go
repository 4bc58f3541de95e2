package review

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"weft/backend/fault"
	"weft/backend/review/snapshots"
)

// errMoved is that a file is not any more what it was when the work on it began.
var errMoved = errors.New("the file was changed meanwhile")

// swap puts a file back: from, which must be there now, becomes to. It is the one or the other at any
// time. made is the outermost folder that was made for the file: with the file it goes, if it is empty then.
func (p *place) swap(ctx context.Context, root *os.Root, rel string, from, to snapshots.State, made string) error {
	if snapshots.FolderPath(rel) {
		return p.swapFolder(root, rel, to)
	}
	if overLink(root, rel) {
		return fault.New("conflict", "A folder above {{path}} is now a link, so the file wasn't changed.", rel)
	}
	c, _, err := p.folder.Look(root, rel)
	if err != nil {
		return err
	}
	if !c.After.Same(from) {
		return errMoved
	}
	name := filepath.FromSlash(rel)
	switch {
	case to.Kind == snapshots.Absent:
		if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		removeMade(root, rel, made)
	case from.Kind == snapshots.File && to.Kind == snapshots.File && from.Hash == to.Hash:
		err = root.Chmod(name, to.FileMode())
	default:
		err = p.replace(ctx, root, rel, to)
	}
	if err != nil {
		return err
	}
	c, _, err = p.folder.Look(root, rel)
	if err != nil {
		return err
	}
	return p.folder.Seen(root, c)
}

// swapFolder makes a folder or removes it, if it is empty.
func (p *place) swapFolder(root *os.Root, rel string, to snapshots.State) error {
	dir := strings.TrimSuffix(rel, "/")
	if overLink(root, dir) {
		return errMoved
	}
	now, err := snapshots.LookFolder(root, rel)
	switch {
	case err != nil:
		return err
	case now.Same(to):
	case to.Kind == snapshots.Directory && now.Kind == snapshots.Absent:
		err = root.MkdirAll(filepath.FromSlash(dir), 0o777)
	case to.Kind == snapshots.Absent && now.Kind == snapshots.Directory:
		err = root.Remove(filepath.FromSlash(dir)) // fails where something is in it
	default:
		return errMoved
	}
	if err != nil {
		return err
	}
	return p.folder.SeenFolder(root, rel)
}

// replace writes a file or link beside its place and moves it there.
func (p *place) replace(ctx context.Context, root *os.Root, rel string, to snapshots.State) error {
	data, ok := p.recorder.contents.bytes(ctx, to)
	if !ok {
		return fault.New("not_kept", "The earlier content of {{path}} isn't known, so it wasn't changed.", rel)
	}
	dir := path.Dir(rel)
	if dir != "." {
		if err := root.MkdirAll(filepath.FromSlash(dir), 0o777); err != nil {
			return err
		}
	}
	temp := tempOf(rel)
	_ = root.Remove(temp) // of a try that was cut off
	err := writeTemp(root, temp, data, to)
	if err == nil {
		err = root.Rename(temp, filepath.FromSlash(rel))
	}
	if err != nil {
		_ = root.Remove(temp)
	}
	return err
}

// tempOf is where a file is written before it is moved to its place.
func tempOf(rel string) string {
	return filepath.FromSlash(path.Join(path.Dir(rel), snapshots.TempPrefix+snapshots.Hash([]byte(rel))[:12]))
}

func writeTemp(root *os.Root, temp string, data []byte, to snapshots.State) error {
	if to.Kind == snapshots.Link {
		return root.Symlink(string(data), temp)
	}
	file, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Chmod(to.FileMode()), file.Sync(), file.Close())
}

// removeMade removes the folders from that of rel up to made, as far as they are empty.
func removeMade(root *os.Root, rel, made string) {
	if made == "" {
		return
	}
	for dir := path.Dir(rel); dir != "." && (dir == made || len(dir) > len(made) && dir[:len(made)+1] == made+"/"); dir = path.Dir(dir) {
		if root.Remove(filepath.FromSlash(dir)) != nil {
			return
		}
	}
}

// removeEmpty removes the folders that were made for the files of steps, as far as they are empty once all steps are done: a folder
// goes only with the last of its files, which may not be the one that it was made for.
func removeEmpty(root *os.Root, steps []step) {
	made := map[string]bool{}
	for _, s := range steps {
		if s.made != "" {
			made[s.made] = true
		}
	}
	var dirs []string
	for _, s := range steps {
		if s.to.Kind != snapshots.Absent {
			continue
		}
		var above []string // from the file upwards; those up to the outermost folder that was made are not the user's
		for dir := path.Dir(s.path); dir != "."; dir = path.Dir(dir) {
			if above = append(above, dir); made[dir] {
				dirs = append(dirs, above...)
				above = nil
			}
		}
	}
	slices.Sort(dirs)
	dirs = slices.Compact(dirs)
	slices.Reverse(dirs) // what is in a folder comes before it
	for _, dir := range dirs {
		_ = root.Remove(filepath.FromSlash(dir)) // fails where something is in it
	}
}

// present returns what is at a path now, and keeps it.
func (p *place) present(root *os.Root, rel string) (snapshots.State, error) {
	if snapshots.FolderPath(rel) {
		return snapshots.LookFolder(root, rel)
	}
	c, _, err := p.folder.Look(root, rel)
	if errors.Is(err, fs.ErrPermission) {
		return snapshots.State{Kind: snapshots.Unknown}, nil
	}
	return c.After, err
}

// resolve follows the links of what is there of a path.
func resolve(file string) string {
	rest := ""
	for dir := file; ; {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return file
		}
		if _, err := os.Lstat(dir); err == nil {
			return filepath.Join(resolve(up), filepath.Base(dir), rest) // a link that leads nowhere
		}
		rest = filepath.Join(filepath.Base(dir), rest)
		dir = up
	}
}

// overLink reports whether a folder above rel is a link by now: nothing is written over it.
func overLink(root *os.Root, rel string) bool {
	for i, c := range rel {
		if c != '/' {
			continue
		}
		info, err := root.Lstat(filepath.FromSlash(rel[:i]))
		if err != nil {
			return false
		}
		if !info.IsDir() {
			return true
		}
	}
	return !validPath(rel)
}

// validPath reports whether a path is one that this package has made.
func validPath(rel string) bool {
	return rel != "" && path.Clean(rel) == rel && filepath.IsLocal(filepath.FromSlash(rel)) && !strings.HasPrefix(rel, "../")
}
