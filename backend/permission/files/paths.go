package files

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"weft/backend/pathname"
)

// Max is the most files of a request that are looked at. More are asked about.
const Max = 64

// File is something that a request touches.
type File struct {
	// Named is its path as it is written, from the folder; Real where that leads once links are followed. Both
	// have slashes. Real is empty for what is outside of the folder, or cannot be said.
	Named, Real string
	Git         bool // it lies in a git folder, or would be a part of one; see [InGitFolder]
}

// Folder is the folder of a space.
type Folder struct {
	Named string // cleaned, as it was given
	Real  string // with links followed; empty if that can't be told, as for a folder that isn't there
}

// Open returns the folder at an absolute path. It follows links on the disk.
func Open(dir string) Folder {
	f := Folder{Named: filepath.Clean(dir)}
	if real, err := filepath.EvalSymlinks(f.Named); err == nil {
		f.Real = real
	}
	return f
}

// PlainPath returns the path that a path or a file:// address names. It is not ok for an address of which readers may make different paths, as
// of one with a host or an escape.
func PlainPath(path string) (plain string, ok bool) {
	plain, address := strings.CutPrefix(path, "file://")
	if address && (!strings.HasPrefix(plain, "/") || strings.ContainsAny(plain, "%?#")) {
		return path, false
	}
	if address {
		plain = pathname.OfAddress(plain)
	}
	return plain, true
}

// File returns the file that a path means which is given from dir, a folder inside of f; empty for f itself. It follows links on the disk.
func (f Folder) File(path, dir string) File {
	path, ok := PlainPath(path)
	out := File{Named: filepath.ToSlash(filepath.Clean(path))}
	if !ok || f.Real == "" || path == "" || strings.HasPrefix(path, "~") || strings.ContainsAny(path, "\x00\n\r") {
		return out
	}
	for part := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if part == ".." {
			return out // where it leads depends on links
		}
	}
	path, ok = pathname.From(filepath.Join(f.Named, dir), path)
	path = filepath.Clean(path)
	if rel, ok := inside(f.Named, path); ok {
		out.Named = rel
	} else if rel, ok := inside(f.Real, path); ok {
		out.Named = rel
	}
	if !ok {
		return out // Named is the file that it is about at best
	}
	real, ok := follow(path)
	if !ok {
		return out
	}
	out.Real, _ = inside(f.Real, real)
	return out
}

// Operand is [Folder.File] for a word of a command, where file:// has no meaning.
func (f Folder) Operand(name, dir string) File {
	if strings.HasPrefix(name, "file://") {
		name = "./" + name
	}
	return f.File(name, dir)
}

// Exists reports whether there is a file by a path that is given from dir, a folder inside of f, wherever links and ".." lead.
func (f Folder) Exists(path, dir string) bool {
	full, _ := pathname.From(filepath.Join(f.Named, dir), path)
	_, err := os.Stat(full)
	return err == nil
}

// IsFile reports whether a path that is given from dir, a folder inside of f, is a file of f, and neither a folder nor a link.
func (f Folder) IsFile(path, dir string) bool {
	real := f.File(path, dir).Real
	info, err := os.Lstat(filepath.Join(f.Real, filepath.FromSlash(real)))
	return real != "" && err == nil && info.Mode().IsRegular()
}

// Full returns the absolute path that a path means. Links are not followed.
func (f Folder) Full(path string) string {
	path, _ = PlainPath(path)
	path, _ = pathname.From(f.Named, path)
	return filepath.Clean(path)
}

// maxPath is how long the path of a file may be, in bytes: no system opens a file by a longer one.
const maxPath = 4 << 10

// maxCame is how often a path may come to be while it is looked at: its agent may be writing it.
const maxCame = 8

// follow returns where a path leads. What is not there yet is taken as it is written. It is not ok for a
// link that leads to nothing, and for a path that is too long.
func follow(path string) (string, bool) {
	if len(path) >= maxPath {
		return "", false
	}
	rest := ""
	for came := 0; ; {
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			return filepath.Join(real, rest), true
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", false
		}
		if info, err := os.Lstat(path); err == nil {
			if came++; info.Mode()&fs.ModeSymlink != 0 || came > maxCame {
				return "", false
			}
			continue
		}
		parent := filepath.Dir(path)
		if parent == path {
			return "", false
		}
		rest = filepath.Join(filepath.Base(path), rest)
		path = parent
	}
}

// inside returns path as seen from dir, with slashes; ok is false if it is not in it.
func inside(dir, path string) (rel string, ok bool) {
	rel, err := filepath.Rel(dir, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// IsDir reports whether a path inside of the folder, with links followed, is a folder.
func (f Folder) IsDir(real string) bool {
	info, err := os.Lstat(filepath.Join(f.Real, filepath.FromSlash(real)))
	return err == nil && info.IsDir()
}

// InAnotherPackage reports whether a folder inside of f belongs to a package of its own: it, or one above it, has one of the files that make one.
func (f Folder) InAnotherPackage(dir string, marks []string) bool {
	if f.Real == "" || len(marks) == 0 {
		return false
	}
	for ; dir != "" && dir != "." && dir != "/"; dir = path.Dir(dir) {
		for _, mark := range marks {
			if _, err := os.Lstat(filepath.Join(f.Real, filepath.FromSlash(dir), mark)); err == nil {
				return true
			}
		}
	}
	return false
}

// Glob returns the files that a simple pattern of a command in dir names. It is not ok if these are more than [Max], or none.
func (f Folder) Glob(pattern, dir string) (found []File, ok bool) {
	pattern = path.Clean(pattern)
	if path.IsAbs(pattern) || !fs.ValidPath(pattern) || strings.Count(pattern, "*")+strings.Count(pattern, "?") > 4 || strings.Count(pattern, "/") > 8 {
		return nil, false
	}
	names, err := fs.Glob(os.DirFS(filepath.Join(f.Real, filepath.FromSlash(dir))), pattern)
	if err != nil || len(names) == 0 || len(names) > Max {
		return nil, false
	}
	for _, name := range names {
		found = append(found, f.File(name, dir))
	}
	return found, true
}
