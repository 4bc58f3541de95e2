package files

import (
	"path/filepath"
	"slices"
	"strings"

	"weft/backend/pathname"
)

// Target is a file of a request, as the user is shown it.
type Target struct {
	Path    string `json:"path"`             // as it was named
	Real    string `json:"real,omitzero"`    // where that leads through links, where it differs
	Outside bool   `json:"outside,omitzero"` // of the folder of the space
	Write   bool   `json:"write,omitzero"`
	Git     bool   `json:"git,omitzero"` // inside of a git folder: changing it can run code later
}

// Target returns where a path leads that is given from the folder. It follows links on the disk.
func (f Folder) Target(sent string) Target {
	t := Target{Path: sent, Outside: true}
	plain, ok := PlainPath(sent)
	if !ok || f.Real == "" || plain == "" || strings.HasPrefix(plain, "~") || strings.ContainsAny(plain, "\x00\n\r") {
		return t
	}
	abs, ok := pathname.From(f.Named, plain) // not cleaned: ".." behind a link leads elsewhere
	if !ok {
		t.Git = inGitFolder(filepath.Clean(abs), nil)
		return t
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		if slices.Contains(strings.Split(filepath.ToSlash(plain), "/"), "..") {
			return t
		}
		var found bool
		if real, found = follow(filepath.Clean(abs)); !found {
			return t
		}
	}
	_, ok = inside(f.Real, real)
	t.Outside = !ok
	t.Git = inGitFolder(real, nil)
	named := filepath.Clean(abs)
	if from, ok := inside(f.Named, named); ok {
		named = filepath.Join(f.Real, filepath.FromSlash(from)) // the folder itself may be named by a link
	}
	if named != real {
		t.Real = real
	}
	return t
}
