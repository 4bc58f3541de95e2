package repo

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Repository is a git repository on disk. It reads its configuration once. It isn't safe for concurrent use.
type Repository struct {
	Dir    string // git folder; for a linked worktree or a submodule, its own
	Common string // the git folder with the objects and the configuration; usually the same as Dir
	Top    string // the folder in which it was found; "" for a bare repository

	entries []Entry
	files   []string // files of the configuration
	read    bool
	err     error
}

// Bare reports whether the git folder was identified only by its contents (HEAD, objects, refs), under any name.
func (r *Repository) Bare() bool { return r.Top == "" }

// Find returns the repository that git would use in dir, or nil. Like git, it searches dir and the folders above it.
// It returns [ErrUnclear] if something looks like a repository and git might disagree.
func Find(dir string) (*Repository, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	for {
		r, err := at(dir)
		if r != nil || err != nil {
			return r, err
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil, nil
		}
		dir = parent
	}
}

// at returns the repository whose working tree begins at dir, or whose git folder is dir.
func at(dir string) (*Repository, error) {
	dot := filepath.Join(dir, ".git")
	info, err := os.Stat(dot)
	switch {
	case err == nil && info.Mode().IsRegular():
		text, err := readFile(dot, maxPointer)
		if err != nil {
			return nil, ErrUnclear
		}
		target, ok := strings.CutPrefix(string(text), "gitdir: ")
		if target = strings.TrimRight(target, "\r\n"); !ok || target == "" {
			return nil, ErrUnclear
		}
		r, err := Open(from(dir, target))
		if r == nil {
			return nil, errors.Join(err, ErrUnclear)
		}
		r.Top = dir
		return r, err
	case err == nil && info.IsDir():
		r, err := Open(dot)
		if r != nil {
			r.Top = dir
		}
		if r != nil || err != nil {
			return r, err
		}
	case err == nil:
		return nil, ErrUnclear // a pipe or a device
	case !errors.Is(err, fs.ErrNotExist):
		return nil, ErrUnclear
	}
	return Open(dir)
}

// Open returns the repository with the git folder dir, or nil if dir isn't one.
func Open(dir string) (*Repository, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, nil //nolint:nilerr // what is not there is no git folder
	}
	if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
		return nil, nil //nolint:nilerr // no git folder
	}
	r := &Repository{Dir: dir, Common: dir}
	if text, err := readFile(filepath.Join(dir, "commondir"), maxPointer); err == nil {
		if r.Common, err = filepath.EvalSymlinks(from(dir, strings.TrimRight(string(text), "\r\n"))); err != nil {
			return nil, ErrUnclear
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, ErrUnclear
	}
	for _, name := range []string{"objects", "refs"} {
		if _, err := os.Stat(filepath.Join(r.Common, name)); err != nil {
			return nil, nil //nolint:nilerr // no git folder
		}
	}
	if !validHead(dir) {
		return nil, ErrUnclear
	}
	return r, nil
}

// from joins dir and path without cleaning: after a symbolic link, ".." isn't the element before it.
func from(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return dir + string(filepath.Separator) + path
}

// validHead reports whether git certainly accepts HEAD: a symbolic reference or an id.
func validHead(dir string) bool {
	path := filepath.Join(dir, "HEAD")
	if target, err := os.Readlink(path); err == nil {
		return strings.HasPrefix(target, "refs/")
	}
	text, err := readFile(path, maxPointer)
	if err != nil {
		return false
	}
	if rest, ok := strings.CutPrefix(string(text), "ref:"); ok {
		return strings.HasPrefix(strings.TrimLeft(rest, " \t\r\n"), "refs/")
	}
	n := 0
	for n < len(text) && strings.IndexByte("0123456789abcdefABCDEF", text[n]) >= 0 {
		n++
	}
	return n >= 40
}

const (
	maxPointer = 16 << 10 // bytes of a file that points to a folder
	maxConfig  = 1 << 20  // bytes of a configuration file
)

// errTooLarge reports a file above the size limit, or something that isn't a regular file.
var errTooLarge = errors.New("too large, or not a file")

// readFile reads a regular file of at most limit bytes. It doesn't wait for a pipe.
func readFile(path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > limit {
		return nil, errTooLarge
	}
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = errTooLarge
	}
	return text, err
}
