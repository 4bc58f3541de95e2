package snapshots

import (
	"database/sql"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Look reads the present state of a path, even one that scans skip, and stores its content. known is false if the path
// has no recorded state to compare with. The change isn't recorded until [Folder.Seen] is called with it.
func (f *Folder) Look(root *os.Root, p string) (c Change, known bool, err error) {
	f.mu.Lock()
	e := f.files[p]
	complete := f.complete
	var was looked
	if e != nil {
		was = looked{State: e.State, stamp: e.stamp}
		c.Pass = e.pass
	}
	f.mu.Unlock()
	c.Path = p
	now, err := f.lookAt(root, p, was)
	if err != nil {
		return c, false, err
	}
	c.After, c.When = now.State, now.when
	switch {
	case e != nil:
		c.Before, known = e.State, true
	case complete > 0 && !f.skipped(root, p):
		c.Before, c.Pass, known = State{Kind: Absent}, complete, true
	default:
		c.Before = State{Kind: Unknown}
	}
	if c.Before.Kind == Absent && c.After.Kind != Absent {
		c.Made = f.made(p)
	}
	return c, known, f.store([]found{{change: c, stamp: now.stamp, object: f.object(now)}})
}

// lookAt reads a file unless its stamp is unchanged.
func (f *Folder) lookAt(root *os.Root, p string, was looked) (looked, error) {
	name := filepath.FromSlash(p)
	now, err := lstat(root, name)
	if err != nil {
		return now, err
	}
	if now.Kind == was.Kind && now.stamp == was.stamp && now.stamp != (stamp{}) && now.Mode == was.Mode {
		when := now.when
		now.State, now.when = was.State, when
		return now, nil
	}
	at := f.s.now()
	return read(root, name, now, at)
}

// found is a change with the data needed to record it.
type found struct {
	change Change
	stamp  stamp
	object *object
	seq    int64 // Folder.seq when the file was read
}

// object returns the content to be stored, or nil if there is none.
func (f *Folder) object(l looked) *object {
	if l.data == nil || l.Hash == "" || l.Hash == emptyHash {
		return nil
	}
	if l.Size > MaxShown {
		f.mu.Lock()
		over := f.large+l.Size > maxLarge
		f.mu.Unlock()
		if over {
			return nil
		}
	}
	return f.s.pack(l.Hash, l.data)
}

// store stores the contents.
func (f *Folder) store(list []found) error {
	objects := make([]*object, 0, len(list))
	for _, one := range list {
		if one.object != nil {
			objects = append(objects, one.object)
		}
	}
	if len(objects) == 0 {
		return nil
	}
	return f.s.change(func(tx *sql.Tx) error { return f.s.putObjects(tx, objects) })
}

// Seen records a change.
func (f *Folder) Seen(root *os.Root, c Change) error {
	one := found{change: c, seq: -1}
	// The stamp is taken again, so that a file that has changed since will be read again.
	if now, err := lstat(root, filepath.FromSlash(c.Path)); err == nil && f.s.now().UnixNano()-now.when >= int64(settled) && now.when == c.When {
		one.stamp = now.stamp
	}
	return f.seen([]found{one})
}

// seen records changes. It skips files for which a newer state was recorded after they were read.
func (f *Folder) seen(list []found) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	todo := list[:0:0]
	for _, one := range list {
		if e := f.files[one.change.Path]; one.seq < 0 || e == nil || e.seq <= one.seq {
			todo = append(todo, one)
		}
	}
	err := f.s.change(func(tx *sql.Tx) error { return f.record(tx, todo) })
	if err != nil {
		return err
	}
	for _, one := range todo {
		f.seq++
		p := one.change.Path
		if e := f.files[p]; e != nil {
			f.countLarge(e.State, -1)
		}
		if one.change.After.Kind == Absent {
			delete(f.files, p)
			continue
		}
		f.countLarge(one.change.After, 1)
		f.files[p] = &entry{State: one.change.After, stamp: one.stamp, pass: f.passes, seq: f.seq}
	}
	return nil
}

// seenFolders records folders that exist and folders that are gone.
func (f *Folder) seenFolders(made, gone []string) error {
	if len(made)+len(gone) == 0 {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.s.change(func(tx *sql.Tx) error {
		for _, d := range made {
			if _, err := tx.Exec("INSERT OR IGNORE INTO dir (fid, path) VALUES (?, ?)", f.fid, d); err != nil {
				return err
			}
		}
		for _, d := range gone {
			if _, err := tx.Exec("DELETE FROM dir WHERE fid = ? AND path = ?", f.fid, d); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, d := range made {
		f.dirs[d] = true
	}
	for _, d := range gone {
		delete(f.dirs, d)
	}
	return nil
}

// KnownFolder reports whether a folder existed when it was last seen.
func (f *Folder) KnownFolder(p string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.dirs[strings.TrimSuffix(p, "/")]
}

// SeenFolder records the present state of the path of a folder.
func (f *Folder) SeenFolder(root *os.Root, p string) error {
	now, err := LookFolder(root, p)
	switch d := strings.TrimSuffix(p, "/"); {
	case err != nil:
		return err
	case now.Kind == Directory:
		return f.seenFolders([]string{d}, nil)
	default:
		return f.seenFolders(nil, []string{d})
	}
}

// Above returns the folders above p that were created for it. made is the outermost one.
func Above(p, made string) (list []string) {
	for i, c := range p {
		if c == '/' && made != "" && i >= len(made) {
			list = append(list, p[:i+1])
		}
	}
	return list
}

func (f *Folder) record(tx *sql.Tx, list []found) error {
	put, err := tx.Prepare(`INSERT OR REPLACE INTO file (fid, path, kind, hash, size, mode, text, mtime, ctime, ino) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	defer put.Close()
	for _, one := range list {
		s := one.change.After
		if s.Kind == Absent {
			_, err = tx.Exec("DELETE FROM file WHERE fid = ? AND path = ?", f.fid, one.change.Path)
		} else {
			_, err = put.Exec(f.fid, one.change.Path, string(s.Kind), s.Hash, s.Size, s.Mode, s.Text, one.stamp.mtime, one.stamp.ctime, one.stamp.ino)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// made returns the outermost folder above p that didn't exist when the folder was last scanned.
func (f *Folder) made(p string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.complete == 0 && !f.ever {
		return ""
	}
	for i, c := range p {
		if c == '/' && !f.dirs[p[:i]] {
			return p[:i]
		}
	}
	return ""
}

// Missing returns the outermost folder above p that doesn't exist, or "".
func Missing(root *os.Root, p string) string {
	dir := path.Dir(p)
	if dir == "." {
		return ""
	}
	for i, c := range dir + "/" {
		if c != '/' {
			continue
		}
		if _, err := root.Lstat(filepath.FromSlash(dir[:i])); err != nil {
			return strings.TrimSuffix(dir[:i], "/")
		}
	}
	return ""
}
