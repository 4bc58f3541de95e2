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

const maxFolders = 1000 // of a working tree in which repositories are looked for

// Nested reports whether the working tree holds a repository that isn't a submodule yet. Once git add has put it into the index, git enters it
// and runs what its configuration says. Folders that .gitignore leaves out don't count, unless it may change before. [ErrUnclear] if there are
// more folders than are looked at.
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

// ignored returns folders that git add leaves out, as the plain lines of the .gitignore of the working tree name them: a name in any folder, or
// a path that begins with a slash. There are none if a line of the file takes something back.
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
