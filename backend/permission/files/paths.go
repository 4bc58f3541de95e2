package files

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"weft/backend/base/pathname"
)

// Max is the number of files of a request that are checked. For more, the user is asked.
const Max = 64

// File is a file or folder that a request touches.
type File struct {
	// Named is the path as written, relative to the folder. Real is the path with symbolic links resolved, or "" if
	// the file is outside of the folder or can't be resolved. Both use slashes.
	Named, Real string
	Git         bool // it is in a git folder, or would be part of one; see [InGitFolder]
}

// Folder is the folder of a space.
type Folder struct {
	Named string // cleaned, links not resolved
	Real  string // with symbolic links resolved; "" if that failed, for example because the folder doesn't exist

	disk *View
}

// Open returns the folder at an absolute path, as it is in a view of the disk. It resolves symbolic links.
func Open(dir string, disk *View) Folder {
	f := Folder{Named: filepath.Clean(dir), disk: disk}
	if real, ok := disk.real(f.Named); ok {
		f.Real = real
	}
	return f
}

// PlainPath returns the path of a file:// URL, or the path itself. ok is false for a URL that programs interpret
// differently, such as one with a host or an escape.
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

// File returns the file with a path relative to dir, a folder inside of f, or "" for f itself. It resolves symbolic
// links on the disk.
func (f Folder) File(path, dir string) File {
	path, ok := PlainPath(path)
	out := File{Named: filepath.ToSlash(filepath.Clean(path))}
	if !ok || f.Real == "" || path == "" || strings.HasPrefix(path, "~") || strings.ContainsAny(path, "\x00\n\r") {
		return out
	}
	for part := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if part == ".." {
			return out // its meaning depends on symbolic links
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
		return out // Named is only a guess
	}
	real, ok := f.disk.follow(path)
	if !ok {
		return out
	}
	out.Real, _ = inside(f.Real, real)
	return out
}

// Operand is like [Folder.File] for an operand of a command, for which file:// has no meaning.
func (f Folder) Operand(name, dir string) File {
	if strings.HasPrefix(name, "file://") {
		name = "./" + name
	}
	return f.File(name, dir)
}

// Exists reports whether a file exists at a path relative to dir, a folder inside of f. It follows symbolic links and
// "..".
func (f Folder) Exists(path, dir string) bool {
	full, _ := pathname.From(filepath.Join(f.Named, dir), path)
	return f.disk.exists(full)
}

// IsFile reports whether a path relative to dir, a folder inside of f, is a regular file in f, not a folder or a link.
func (f Folder) IsFile(path, dir string) bool {
	real := f.File(path, dir).Real
	mode, ok := f.disk.mode(filepath.Join(f.Real, filepath.FromSlash(real)))
	return real != "" && ok && mode.IsRegular()
}

// Full returns the absolute form of a path. It doesn't resolve symbolic links.
func (f Folder) Full(path string) string {
	path, _ = PlainPath(path)
	path, _ = pathname.From(f.Named, path)
	return filepath.Clean(path)
}

// maxPath is the maximum length of a path in bytes. No system opens files with longer paths.
const maxPath = 4 << 10

// maxRetries limits the retries if a path is created while it is being resolved, because the agent may be writing it.
const maxRetries = 8

// Is reports whether an absolute path leads to the folder.
func (f Folder) Is(path string) bool {
	real, ok := f.disk.real(path)
	return ok && f.Real == real
}

// HasEntry reports whether there is a file, a folder or a link at an absolute path.
func (f Folder) HasEntry(path string) bool {
	_, ok := f.disk.mode(path)
	return ok
}

// follow resolves symbolic links. Elements that don't exist yet are kept as written. ok is false for a dangling link
// and for a path that is too long.
func follow(path string) (string, bool) {
	if len(path) >= maxPath {
		return "", false
	}
	rest := ""
	for retries := 0; ; {
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			return filepath.Join(real, rest), true
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", false
		}
		if info, err := os.Lstat(path); err == nil {
			if retries++; info.Mode()&fs.ModeSymlink != 0 || retries > maxRetries {
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

// inside returns path relative to dir, with slashes. ok is false if it isn't in dir.
func inside(dir, path string) (rel string, ok bool) {
	rel, err := filepath.Rel(dir, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// IsDir reports whether a path inside of the folder, with symbolic links resolved, is a folder.
func (f Folder) IsDir(real string) bool {
	mode, ok := f.disk.mode(filepath.Join(f.Real, filepath.FromSlash(real)))
	return ok && mode.IsDir()
}

// InAnotherPackage reports whether a folder inside of f belongs to a separate package: the folder or one of its
// parents contains one of the files in marks.
func (f Folder) InAnotherPackage(dir string, marks []string) bool {
	if f.Real == "" || len(marks) == 0 {
		return false
	}
	for ; dir != "" && dir != "." && dir != "/"; dir = path.Dir(dir) {
		for _, mark := range marks {
			if f.HasEntry(filepath.Join(f.Real, filepath.FromSlash(dir), mark)) {
				return true
			}
		}
	}
	return false
}

// Glob returns the files that match a simple pattern of a command in dir. ok is false if there are none, or more than
// [Max].
func (f Folder) Glob(pattern, dir string) (found []File, ok bool) {
	pattern = path.Clean(pattern)
	if path.IsAbs(pattern) || !fs.ValidPath(pattern) || strings.Count(pattern, "*")+strings.Count(pattern, "?") > 4 || strings.Count(pattern, "/") > 8 {
		return nil, false
	}
	names, ok := f.disk.glob(filepath.Join(f.Real, filepath.FromSlash(dir)), pattern)
	if !ok || len(names) == 0 || len(names) > Max {
		return nil, false
	}
	for _, name := range names {
		found = append(found, f.File(name, dir))
	}
	return found, true
}
