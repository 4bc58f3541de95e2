package files

import (
	"io/fs"
	"os"
	"path/filepath"
)

// View is what was found on the disk at one time. It keeps what it reads, so the same question always has the same
// result. The zero value and nil keep nothing. It is not safe for concurrent use.
//
// What decides a request while others wait for it uses a view that was filled before, because a disk may take long.
type View struct{ known *known }

type known struct {
	found map[question]finding
	reads int
}

// question is what is asked about a path: one of the methods below. pattern is for glob.
type question struct{ what, path, pattern string }

// finding is the result. Each question uses some of its fields.
type finding struct {
	ok    bool
	path  string
	mode  fs.FileMode
	names []string
}

// NewView returns a view that keeps what it reads.
func NewView() *View { return &View{&known{found: map[question]finding{}}} }

// Reads returns how often a view that keeps what it reads has read the disk.
func (v *View) Reads() int {
	if v == nil || v.known == nil {
		return 0
	}
	return v.known.reads
}

// Take adds what another view keeps. What v knew before stays.
func (v *View) Take(other *View) {
	if v.known == nil || other == nil || other.known == nil {
		return
	}
	for q, f := range other.known.found {
		if _, known := v.known.found[q]; !known {
			v.known.found[q] = f
		}
	}
}

func (v *View) find(q question, read func() finding) finding {
	if v == nil || v.known == nil {
		return read()
	}
	f, ok := v.known.found[q]
	if !ok {
		f = read()
		v.known.found[q] = f
		v.known.reads++
	}
	return f
}

// real is [filepath.EvalSymlinks]. ok is false if that fails, for example because there is nothing at the path.
func (v *View) real(path string) (real string, ok bool) {
	f := v.find(question{what: "real", path: path}, func() finding {
		real, err := filepath.EvalSymlinks(path)
		return finding{path: real, ok: err == nil}
	})
	return f.path, f.ok
}

// follow is [follow].
func (v *View) follow(path string) (real string, ok bool) {
	f := v.find(question{what: "follow", path: path}, func() finding {
		real, ok := follow(path)
		return finding{path: real, ok: ok}
	})
	return f.path, f.ok
}

// mode returns the mode of a file without following its last link. ok is false if there is none.
func (v *View) mode(path string) (mode fs.FileMode, ok bool) {
	f := v.find(question{what: "mode", path: path}, func() finding {
		info, err := os.Lstat(path)
		if err != nil {
			return finding{}
		}
		return finding{mode: info.Mode(), ok: true}
	})
	return f.mode, f.ok
}

// exists reports whether there is something at a path. Links are followed.
func (v *View) exists(path string) bool {
	return v.find(question{what: "exists", path: path}, func() finding {
		_, err := os.Stat(path)
		return finding{ok: err == nil}
	}).ok
}

// glob is [fs.Glob] in a folder. ok is false if the pattern is invalid.
func (v *View) glob(dir, pattern string) (names []string, ok bool) {
	f := v.find(question{what: "glob", path: dir, pattern: pattern}, func() finding {
		names, err := fs.Glob(os.DirFS(dir), pattern)
		return finding{names: names, ok: err == nil}
	})
	return f.names, f.ok
}
