package repo

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const maxFolders = 1000 // folders of a working tree that are searched for repositories

// Nested reports whether the working tree contains a repository that isn't a submodule yet. Once git add has put it
// into the index, git enters it and runs what its configuration defines. Folders that .gitignore excludes don't count,
// unless ignoreChanges says that it may change first. It returns [ErrUnclear] if there are too many folders.
func (r *Repository) Nested(ignoreChanges bool) (bool, error) {
	if r.Bare() {
		return false, ErrUnclear
	}
	links, err := r.gitlinks()
	if err != nil {
		return false, err
	}
	ignored := map[string]bool{}
	if !ignoreChanges {
		ignored = r.ignored()
	}
	dirs := []string{""}
	for n := 0; len(dirs) > 0; n++ {
		dir := dirs[len(dirs)-1]
		dirs = dirs[:len(dirs)-1]
		if n == maxFolders || len(dirs) > maxFolders {
			return false, ErrUnclear
		}
		list, err := os.ReadDir(filepath.Join(r.Top, filepath.FromSlash(dir)))
		if err != nil {
			return false, ErrUnclear
		}
		for _, f := range list {
			below := path.Join(dir, f.Name())
			switch {
			case strings.EqualFold(f.Name(), ".git"):
				if dir != "" {
					return true, nil
				}
			case f.IsDir() && !ignored[f.Name()] && !ignored["/"+below] && !slices.Contains(links, below):
				dirs = append(dirs, below)
			}
		}
	}
	return false, nil
}

// ignored returns the folders that git add skips because of plain lines in the working tree's .gitignore: a name in
// any folder, or a path that begins with a slash. It returns none if a line of the file re-includes something.
func (r *Repository) ignored() map[string]bool {
	file := filepath.Join(r.Top, ".gitignore")
	if info, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return nil
	}
	text, err := readFile(file, maxConfig)
	if err != nil {
		return nil
	}
	out := map[string]bool{}
	for line := range strings.SplitSeq(string(text), "\n") {
		switch line = strings.TrimSuffix(line, "/"); {
		case strings.HasPrefix(line, "!"):
			return nil
		case line == "" || strings.Trim(line, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/") != "":
		case strings.Contains(strings.TrimPrefix(line, "/"), "/"):
			out["/"+strings.TrimPrefix(line, "/")] = true
		default:
			out[line] = true
		}
	}
	return out
}
