package snapshots

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"weft/backend/ignore"
	"weft/backend/regular"
)

// entry is what is known of a file.
type entry struct {
	State
	stamp stamp
	pass  int64 // the scan that last saw it to be so
	seq   int64 // of the last change of this entry, counted by the folder
}

// Folder is what is known of a folder's files.
type Folder struct {
	s   *Store
	dir string // absolute, links resolved
	fid int64

	scanning sync.Mutex // one scan at a time

	mu       sync.Mutex
	files    map[string]*entry
	dirs     map[string]bool
	passes   int64 // scans begun
	complete int64 // the last scan that saw everything, 0 if none has yet
	ever     bool  // one of an earlier start has
	seq      int64
	large    int64 // bytes of kept files above MaxShown
	coverage string
	stopped  bool // the folder is too large to be scanned
}

// Folder returns what is known of a folder. It blocks for reading that the first time.
func (s *Store) Folder(ctx context.Context, dir string) (*Folder, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, fmt.Errorf("find the folder: %w", err)
	}
	s.folderMu.Lock()
	known := s.folders[real]
	s.folderMu.Unlock()
	if known != nil {
		return known, nil
	}
	// Without the lock: this may take a moment.
	f := &Folder{s: s, dir: real, files: map[string]*entry{}, dirs: map[string]bool{}}
	if err := f.load(ctx); err != nil {
		return nil, fmt.Errorf("read what is known of %s: %w", real, err)
	}
	s.folderMu.Lock()
	defer s.folderMu.Unlock()
	if known := s.folders[real]; known != nil {
		return known, nil
	}
	s.folders[real] = f
	return f, nil
}

// Forget drops from memory what is known of a folder; it is read again when it is needed.
func (s *Store) Forget(dir string) {
	s.folderMu.Lock()
	defer s.folderMu.Unlock()
	delete(s.folders, dir)
}

// Dir is the folder's path with links resolved.
func (f *Folder) Dir() string { return f.dir }

func (f *Folder) load(ctx context.Context) error {
	err := f.s.change(func(tx *sql.Tx) error {
		if _, err := tx.Exec("INSERT INTO folder (path, used_at) VALUES (?, ?) ON CONFLICT DO UPDATE SET used_at = excluded.used_at", f.dir, f.s.now().Unix()); err != nil {
			return err
		}
		return tx.QueryRow("SELECT fid, complete FROM folder WHERE path = ?", f.dir).Scan(&f.fid, &f.ever)
	})
	if err != nil {
		return err
	}
	rows, err := f.s.db.QueryContext(ctx, "SELECT path, kind, hash, size, mode, text, mtime, ctime, ino FROM file WHERE fid = ?", f.fid)
	if err != nil {
		return err
	}
	for rows.Next() {
		var p string
		e := &entry{}
		if err := rows.Scan(&p, &e.Kind, &e.Hash, &e.Size, &e.Mode, &e.Text, &e.stamp.mtime, &e.stamp.ctime, &e.stamp.ino); err != nil {
			return errors.Join(err, rows.Close())
		}
		if e.stamp.mtime != 0 {
			e.stamp.size = e.Size
		}
		f.files[p] = e
		f.weigh(e.State, 1)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	dirs, err := f.s.db.QueryContext(ctx, "SELECT path FROM dir WHERE fid = ?", f.fid)
	if err != nil {
		return err
	}
	for dirs.Next() {
		var p string
		if err := dirs.Scan(&p); err != nil {
			return errors.Join(err, dirs.Close())
		}
		f.dirs[p] = true
	}
	return errors.Join(dirs.Err(), dirs.Close())
}

func (f *Folder) weigh(s State, by int64) {
	if s.Kind == File && s.Size > MaxShown && s.Size <= maxKept {
		f.large += by * s.Size
	}
}

// Pass is the number of the last scan that saw everything, 0 before the first.
func (f *Folder) Pass() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.complete
}

// Begun is the number of the last scan that was begun.
func (f *Folder) Begun() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.passes
}

// Coverage is a sentence about what is not covered, "" if everything is.
func (f *Folder) Coverage() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.coverage
}

// Known returns what was last seen at a path.
func (f *Folder) Known(p string) (State, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e := f.files[p]; e != nil {
		return e.State, true
	}
	return State{Kind: Absent}, false
}

// rules returns the rules of a folder within, "" for the folder itself, with those above it. prefix is
// the folder as seen from where the rules begin.
func (f *Folder) rules(root *os.Root) (rules ignore.Rules, prefix string) {
	// Above the folder: up to the repository that it is part of.
	top := f.dir
	for range 12 {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			break
		}
		up := filepath.Dir(top)
		if up == top {
			top = f.dir
			break
		}
		top = up
	}
	if _, err := os.Lstat(filepath.Join(top, ".git")); err != nil {
		top = f.dir
	}
	if text, err := regular.ReadPath(filepath.Join(top, ".git", "info", "exclude"), maxRules); err == nil {
		rules = rules.With("", text)
	}
	rel, err := filepath.Rel(top, f.dir)
	if err != nil || rel == "." {
		return rulesIn(root, rules, "", ""), ""
	}
	prefix = filepath.ToSlash(rel)
	for i, c := range prefix + "/" {
		if c != '/' {
			continue
		}
		above := path.Dir(prefix[:i])
		if above == "." {
			above = ""
		}
		if text, err := regular.ReadPath(filepath.Join(top, above, ".gitignore"), maxRules); err == nil {
			rules = rules.With(above, text)
		}
		if rules.Ignored(prefix[:i], true) {
			// The user works in an ignored folder: what is said above it is not meant for it.
			return rulesIn(root, nil, "", ""), ""
		}
	}
	return rulesIn(root, rules, prefix, ""), prefix
}

// rulesIn adds the rules that are in a folder within.
func rulesIn(dir *os.Root, rules ignore.Rules, prefix, rel string) ignore.Rules {
	text, err := regular.Read(dir, ".gitignore", maxRules)
	if err != nil {
		return rules
	}
	return rules.With(path.Join(prefix, rel), text)
}

// skipped reports whether a scan would not see a path.
func (f *Folder) skipped(root *os.Root, p string) bool {
	rules, prefix := f.rules(root)
	parts := strings.Split(p, "/")
	if parts[len(parts)-1] == ".git" {
		return true
	}
	for i := range parts {
		at := strings.Join(parts[:i+1], "/")
		last := i == len(parts)-1
		if rules.Ignored(path.Join(prefix, at), !last) {
			return true
		}
		if last {
			break
		}
		if text, err := regular.Read(root, filepath.FromSlash(at+"/.gitignore"), maxRules); err == nil {
			rules = rules.With(path.Join(prefix, at), text)
		}
	}
	return false
}
