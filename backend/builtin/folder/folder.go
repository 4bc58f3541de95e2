// Package folder lists, searches, reads and writes files of one directory tree for an agent.
//
// Every path goes through os.Root, so nothing outside the folder is read or written, not even through symbolic
// links. Returned paths are relative to the folder and use forward slashes. All work is bounded (files visited,
// bytes read, matches kept) and every result says when a limit was reached. Functions that walk the tree take a
// context and stop soon after it ends.
package folder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"weft/backend/base/pathname"
	"weft/backend/files/regular"
)

// ErrOutside is returned for a path that leads out of the folder, directly or through a symbolic link.
var ErrOutside = errors.New("that path is outside this folder")

// Folder is an open directory tree. It is safe for concurrent use.
type Folder struct {
	disk     disk
	path     string
	steady   bool // see [regular.OpenCurrent]
	maxFiles int  // MaxFiles except in tests

	// Deny reports which paths a tool of a kind (read, search) must not list or search. They are left out. It may be
	// nil, and must be set before the folder is used.
	Deny func(ctx context.Context, kind string, rels []string) ([]bool, error)

	withoutRipgrep bool // in tests
}

// permitted removes the entries that Deny rejects.
func (f *Folder) permitted(ctx context.Context, kind string, l Listing) (Listing, error) {
	if f.Deny == nil || len(l.Entries) == 0 {
		return l, nil
	}
	rels := make([]string, len(l.Entries))
	for i := range l.Entries {
		rels[i] = l.Entries[i].Path
	}
	denied, err := f.Deny(ctx, kind, rels)
	if err != nil {
		return Listing{}, err
	}
	out := l
	out.Entries, out.Files, out.Dirs, out.Bytes = nil, 0, 0, 0
	for i, e := range l.Entries {
		if denied[i] {
			out.Denied++
		} else {
			out.add(e)
		}
	}
	return out, nil
}

// Open opens the directory at an absolute path. The error is a sentence for a user.
func Open(dir string) (*Folder, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("the folder %s doesn't exist", dir)
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("no permission to read the folder %s", dir)
	case err != nil:
		return nil, fmt.Errorf("the folder %s can't be opened: %w", dir, err)
	case !info.IsDir():
		return nil, fmt.Errorf("%s is a file, not a folder", dir)
	}
	root, steady, err := regular.OpenCurrent(dir)
	if err != nil {
		return nil, fmt.Errorf("the folder %s can't be opened: %w", dir, reason(err))
	}
	return &Folder{disk: disk{root}, path: dir, steady: steady, maxFiles: MaxFiles}, nil
}

// Current returns an error if the folder's path no longer leads to it. In that case nothing is listed, searched, read
// or written anymore, because a path then means a file of the folder that is there now. The error is a sentence for a
// user.
func (f *Folder) Current() error {
	if same, err := regular.Leads(f.disk.root, f.path); err != nil || !same && f.steady {
		return fmt.Errorf("the folder %s was moved, deleted or replaced during this turn, so nothing was done there. The next turn opens it again", f.path)
	}
	return nil
}

// Close releases the directory handle.
func (f *Folder) Close() error { return f.disk.root.Close() }

// Path returns the absolute path that the folder was opened with.
func (f *Folder) Path() string { return f.path }

// Name returns the last element of the folder's path.
func (f *Folder) Name() string { return filepath.Base(f.path) }

// Abs converts a path relative to the folder to an absolute one with the system's separators.
func (f *Folder) Abs(rel string) string { return filepath.Join(f.path, filepath.FromSlash(rel)) }

// Rel turns what a user or a client wrote (relative, absolute, or a file:// URI) into a path relative to
// the folder. It returns ErrOutside if the path leads out of the folder; it does not look at the disk for
// relative paths, so symbolic links are checked when the path is used.
func (f *Folder) Rel(name string) (string, error) {
	if rest, ok := strings.CutPrefix(name, "file://"); ok {
		if decoded, err := url.PathUnescape(rest); err == nil {
			rest = decoded
		}
		name = filepath.FromSlash(pathname.OfAddress(rest))
	}
	if filepath.IsAbs(name) {
		rel, err := relTo(f.path, filepath.Clean(name))
		if err != nil {
			return "", err
		}
		name = rel
	}
	clean := path.Clean(strings.ReplaceAll(filepath.ToSlash(name), "\\", "/"))
	if !filepath.IsLocal(filepath.FromSlash(clean)) {
		return "", fmt.Errorf("%w: %s", ErrOutside, name)
	}
	return clean, nil
}

// relTo returns an absolute path relative to dir. It tries dir as given and with its symbolic links resolved.
func relTo(dir, abs string) (string, error) {
	roots := []string{dir}
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
		roots = append(roots, real)
	}
	for _, root := range roots {
		if rel, err := filepath.Rel(root, abs); err == nil && filepath.IsLocal(rel) {
			return rel, nil
		}
	}
	return "", fmt.Errorf("%w: %s", ErrOutside, abs)
}

// Stat describes the file or directory behind a relative path, following links inside the folder.
func (f *Folder) Stat(rel string) (fs.FileInfo, error) {
	if err := f.Current(); err != nil {
		return nil, err
	}
	return f.disk.stat(rel)
}
