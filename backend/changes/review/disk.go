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

	"weft/backend/base/fault"
	"weft/backend/changes/review/snapshots"
)

// errChanged reports that a file has changed since the work on it began.
var errChanged = errors.New("the file was changed meanwhile")

// swap replaces the state of a file. It returns errChanged if the present state isn't from. The file always has one
// state or the other. made is the outermost folder that was created for the file; if to is absent, the empty folders
// up to it are removed too.
func (p *trackedFolder) swap(ctx context.Context, root *os.Root, rel string, from, to snapshots.State, made string) error {
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
		return errChanged
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

// swapFolder creates a folder, or removes an empty one.
func (p *trackedFolder) swapFolder(root *os.Root, rel string, to snapshots.State) error {
	dir := strings.TrimSuffix(rel, "/")
	if overLink(root, dir) {
		return errChanged
	}
	now, err := snapshots.LookFolder(root, rel)
	switch {
	case err != nil:
		return err
	case now.Same(to):
	case to.Kind == snapshots.Directory && now.Kind == snapshots.Absent:
		err = root.MkdirAll(filepath.FromSlash(dir), 0o777)
	case to.Kind == snapshots.Absent && now.Kind == snapshots.Directory:
		err = root.Remove(filepath.FromSlash(dir)) // fails if the folder isn't empty
	default:
		return errChanged
	}
	if err != nil {
		return err
	}
	return p.folder.SeenFolder(root, rel)
}

// replace writes a file or link to a temporary name and renames it.
func (p *trackedFolder) replace(ctx context.Context, root *os.Root, rel string, to snapshots.State) error {
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
	_ = root.Remove(temp) // left over from an interrupted attempt
	err := writeTemp(root, temp, data, to)
	if err == nil {
		err = root.Rename(temp, filepath.FromSlash(rel))
	}
	if err != nil {
		_ = root.Remove(temp)
	}
	return err
}

// tempOf returns the temporary name of a file in the same folder.
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

// removeMade removes empty folders, from the one of rel up to made.
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

// removeEmpty removes the empty folders that were created for the files of steps. It runs after all steps, because a
// folder can only be removed after the last of its files, which may not be the one for which it was created.
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
		var above []string // folders from the file upwards; those up to the outermost created one don't belong to the user
		for dir := path.Dir(s.path); dir != "."; dir = path.Dir(dir) {
			if above = append(above, dir); made[dir] {
				dirs = append(dirs, above...)
				above = nil
			}
		}
	}
	slices.Sort(dirs)
	dirs = slices.Compact(dirs)
	slices.Reverse(dirs) // subfolders before their parents
	for _, dir := range dirs {
		_ = root.Remove(filepath.FromSlash(dir)) // fails if the folder isn't empty
	}
}

// present returns the present state of a path, and stores its content.
func (p *trackedFolder) present(root *os.Root, rel string) (snapshots.State, error) {
	if snapshots.FolderPath(rel) {
		return snapshots.LookFolder(root, rel)
	}
	c, _, err := p.folder.Look(root, rel)
	if errors.Is(err, fs.ErrPermission) {
		return snapshots.State{Kind: snapshots.Unknown}, nil
	}
	return c.After, err
}

// resolve resolves the symbolic links in the part of a path that exists.
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
			return filepath.Join(resolve(up), filepath.Base(dir), rest) // a dangling link
		}
		rest = filepath.Join(filepath.Base(dir), rest)
		dir = up
	}
}

// overLink reports whether a folder above rel has become a symbolic link. Nothing may be written through it.
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

// validPath reports whether a path has the form that this package uses.
func validPath(rel string) bool {
	return rel != "" && path.Clean(rel) == rel && filepath.IsLocal(filepath.FromSlash(rel)) && !strings.HasPrefix(rel, "../")
}
