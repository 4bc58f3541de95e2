package files

import (
	"path/filepath"
	"slices"
	"strings"

	"weft/backend/base/pathname"
)

// Target is a file of a request, as shown to the user.
type Target struct {
	Path    string `json:"path"`             // as the agent named it
	Real    string `json:"real,omitzero"`    // where Path leads through symbolic links, if that differs
	Outside bool   `json:"outside,omitzero"` // outside of the space's folder
	Write   bool   `json:"write,omitzero"`
	Git     bool   `json:"git,omitzero"` // in a git folder, so that changing it can run code later
}

// Target returns the target of a path relative to the folder. It resolves symbolic links on the disk.
func (f Folder) Target(sent string) Target {
	t := Target{Path: sent, Outside: true}
	plain, ok := PlainPath(sent)
	if !ok || f.Real == "" || plain == "" || strings.HasPrefix(plain, "~") || strings.ContainsAny(plain, "\x00\n\r") {
		return t
	}
	abs, ok := pathname.From(f.Named, plain) // not cleaned, because ".." after a symbolic link leads elsewhere
	if !ok {
		t.Git = f.disk.inGitFolder(filepath.Clean(abs), nil)
		return t
	}
	real, found := f.disk.real(abs)
	if !found {
		if slices.Contains(strings.Split(filepath.ToSlash(plain), "/"), "..") {
			return t
		}
		if real, found = f.disk.follow(filepath.Clean(abs)); !found {
			return t
		}
	}
	_, ok = inside(f.Real, real)
	t.Outside = !ok
	t.Git = f.disk.inGitFolder(real, nil)
	named := filepath.Clean(abs)
	if from, ok := inside(f.Named, named); ok {
		named = filepath.Join(f.Real, filepath.FromSlash(from)) // the folder itself may be named by a link
	}
	if named != real {
		t.Real = real
	}
	return t
}
