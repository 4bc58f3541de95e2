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

	"weft/backend/files/ignore"
	"weft/backend/files/regular"
)

// entry is the recorded state of a file.
type entry struct {
	State
	stamp stamp
	pass  int64 // the last scan that confirmed the state
	seq   int64 // sequence number of the entry's last change; see Folder.seq
}

// Folder is the recorded state of a folder's files.
type Folder struct {
	s   *Store
	dir string // absolute, symbolic links resolved
	fid int64

	scanning sync.Mutex // one scan at a time

	mu       sync.Mutex
	files    map[string]*entry
	dirs     map[string]bool
	passes   int64 // number of started scans
	complete int64 // the last complete scan, or 0
	ever     bool  // an earlier scan was complete, maybe before a restart
	seq      int64
	large    int64 // total bytes of stored files above MaxShown
	coverage string
	stopped  bool // the folder is too large to scan
}

// Folder returns the recorded state of a folder. The first call blocks while it loads the state.
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
	// Not under the lock, because this may take a moment.
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

// Forget drops the state of a folder from memory. It is loaded again when needed.
func (s *Store) Forget(dir string) {
	s.folderMu.Lock()
	defer s.folderMu.Unlock()
	delete(s.folders, dir)
}

// Dir returns the folder's path with symbolic links resolved.
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
		f.countLarge(e.State, 1)
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

func (f *Folder) countLarge(s State, by int64) {
	if s.Kind == File && s.Size > MaxShown && s.Size <= maxKept {
		f.large += by * s.Size
	}
}

// Pass returns the number of the last complete scan, or 0.
func (f *Folder) Pass() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.complete
}

// Begun returns the number of the last started scan.
func (f *Folder) Begun() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.passes
}

// Coverage returns a sentence about what isn't covered, or "".
func (f *Folder) Coverage() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.coverage
}

// Known returns the recorded state of a path.
func (f *Folder) Known(p string) (State, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e := f.files[p]; e != nil {
		return e.State, true
	}
	return State{Kind: Absent}, false
}

// rules returns the ignore rules of the folder, including those of its parents. prefix is the folder relative to where
// the rules begin.
func (f *Folder) rules(root *os.Root) (rules ignore.Rules, prefix string) {
	// Find the repository that contains the folder.
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
			// The user works in an ignored folder, so the rules above it don't apply.
			return rulesIn(root, nil, "", ""), ""
		}
	}
	return rulesIn(root, rules, prefix, ""), prefix
}

// rulesIn adds the rules of a subfolder.
func rulesIn(dir *os.Root, rules ignore.Rules, prefix, rel string) ignore.Rules {
	text, err := regular.Read(dir, ".gitignore", maxRules)
	if err != nil {
		return rules
	}
	return rules.With(path.Join(prefix, rel), text)
}

// skipped reports whether a scan skips a path.
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
