package files

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// InGitFolder reports whether changing a file could change a git repository itself, and so what git runs: it lies in a git folder, of
// whatever name, or would be a part of one. path is absolute; its links are followed, and it need not exist. A path of which it
// can't be told where it leads counts as one.
func InGitFolder(path string) bool {
	path = filepath.Clean(path)
	real, ok := follow(path)
	return !ok || inGitFolder(path, nil) || inGitFolder(real, nil)
}

// coming are the names of files and folders that a request may make, by the folder in which they come to be.
type coming map[string][]string

func (c coming) add(path string) {
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

func inGitFolder(path string, also coming) bool {
	for part := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if gitName(part) {
			return true
		}
	}
	child := ""
	for dir := path; ; {
		if gitParts(dir, child, also[dir]) {
			return true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return false
		}
		child, dir = filepath.Base(dir), parent
	}
}

// gitName reports whether some disk takes a name for ".git": beside what [Fold] knows, one leaves out dots and spaces at the end, and gives files short
// names.
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

// gitNames are what a git folder is known by, and what in one decides what git runs.
var gitNames = []string{"HEAD", "objects", "refs", "commondir", "config", "config.worktree", "hooks", "info", "packed-refs", "index", "gitdir", "worktrees", "modules"}

// gitParts reports whether dir is a git folder, or would be one with that child and the other names: git takes every folder for one that
// has a HEAD besides objects and refs, or besides a pointer to these. One of them missing is near enough for a change of what it is known by.
func gitParts(dir, child string, also []string) bool {
	has := func(name string) bool {
		if strings.EqualFold(child, name) {
			return true
		}
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
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

// MarkGit sets Git of the files that lie in a git folder, or would be a part of one once all of them are there. It looks at the disk.
func (f Folder) MarkGit(list []*File) {
	also := coming{}
	for _, file := range list {
		also.add(f.absolute(file))
	}
	for _, file := range list {
		file.Git = inGitFolder(f.absolute(file), also)
	}
}

// absolute is where a file is, as far as that is known.
func (f Folder) absolute(file *File) string {
	switch {
	case file.Real != "" && f.Real != "":
		return filepath.Join(f.Real, filepath.FromSlash(file.Real))
	case filepath.IsAbs(file.Named):
		return file.Named
	}
	return filepath.Join(f.Named, filepath.FromSlash(file.Named))
}
