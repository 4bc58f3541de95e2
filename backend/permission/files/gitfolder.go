package files

import (
	"path/filepath"
	"slices"
	"strings"
)

// InGitFolder reports whether changing a file could change a git repository itself, and so what git runs: the file is
// in a git folder with any name, or would become part of one. path is absolute and need not exist. Symbolic links are
// resolved; a path that can't be resolved counts as one in a git folder.
func InGitFolder(path string) bool {
	path = filepath.Clean(path)
	var disk *View
	real, ok := disk.follow(path)
	return !ok || disk.inGitFolder(path, nil) || disk.inGitFolder(real, nil)
}

// newNames maps folders to the names of the files and folders that a request may create in them.
type newNames map[string][]string

func (c newNames) add(path string) {
	for path = filepath.Clean(path); ; {
		parent := filepath.Dir(path)
		if parent == path {
			return
		}
		if name := filepath.Base(path); !slices.Contains(c[parent], name) {
			c[parent] = append(c[parent], name)
		}
		path = parent
	}
}

func (v *View) inGitFolder(path string, also newNames) bool {
	for part := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if gitName(part) {
			return true
		}
	}
	child := ""
	for dir := path; ; {
		if v.gitParts(dir, child, also[dir]) {
			return true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return false
		}
		child, dir = filepath.Base(dir), parent
	}
}

// gitName reports whether some file system treats a name as ".git". In addition to what [Fold] handles, Windows
// ignores dots and spaces at the end and gives files short names.
func gitName(name string) bool {
	name = Fold(name)
	name, _, _ = strings.Cut(name, ":")
	name = strings.TrimRight(name, " .")
	if name == ".git" {
		return true
	}
	short, number, ok := strings.Cut(name, "~")
	return ok && short == "git" && number != "" && strings.Trim(number, "0123456789") == ""
}

// gitNames are the names that identify a git folder, and those in one that decide what git runs.
var gitNames = []string{"HEAD", "objects", "refs", "commondir", "config", "config.worktree", "hooks", "info", "packed-refs", "index", "gitdir", "worktrees", "modules"}

// gitParts reports whether dir is a git folder, or would be one with that child and the other names. Git accepts every
// folder that has HEAD and either objects and refs, or a pointer to them. If child is one of [gitNames], a folder that
// lacks one of them also counts.
func (v *View) gitParts(dir, child string, also []string) bool {
	has := func(name string) bool {
		if strings.EqualFold(child, name) {
			return true
		}
		if _, ok := v.mode(filepath.Join(dir, name)); ok {
			return true
		}
		return slices.ContainsFunc(also, func(other string) bool { return strings.EqualFold(other, name) })
	}
	if !has("HEAD") {
		return false
	}
	objects, refs, common := has("objects"), has("refs"), has("commondir")
	if common || objects && refs {
		return true
	}
	known := slices.ContainsFunc(gitNames, func(name string) bool { return strings.EqualFold(child, name) })
	return known && (objects || refs)
}

// MarkGit sets Git for the files that are in a git folder, or would be once all of the files exist. It reads the disk.
func (f Folder) MarkGit(list []*File) {
	also := newNames{}
	for _, file := range list {
		also.add(f.absolute(file))
	}
	for _, file := range list {
		file.Git = f.disk.inGitFolder(f.absolute(file), also)
	}
}

// absolute returns the location of a file, as far as it is known.
func (f Folder) absolute(file *File) string {
	switch {
	case file.Real != "" && f.Real != "":
		return filepath.Join(f.Real, filepath.FromSlash(file.Real))
	case filepath.IsAbs(file.Named):
		return file.Named
	}
	return filepath.Join(f.Named, filepath.FromSlash(file.Named))
}
