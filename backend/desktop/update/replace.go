package update

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"weft/backend/base/fault"
	"weft/backend/files/atomicfile"
)

func explained(err error) bool { return fault.Of(err) != nil }

// mover moves the files of an update. step is called before each thing that changes the disk, with what that is: tests
// end there.
type mover struct {
	*Place
	step func(what string)
	now  func() time.Time
}

// check returns an error unless the new version is complete and as it was when it was staged.
func (m *mover) check(st state) error {
	for _, e := range st.New {
		if err := sameAs(m.dir("new", filepath.FromSlash(e.Name)), e); err != nil {
			return fail(codeBroken, err, "The update to Weft {{to}} is incomplete. Download it again.", st.To)
		}
	}
	return nil
}

// sameAs returns an error unless the file at path is as an entry says.
func sameAs(path string, e Entry) error {
	if e.Link != "" {
		if target, err := os.Readlink(path); err != nil || filepath.ToSlash(target) != e.Link {
			return errors.Join(fmt.Errorf("%s isn't the link it should be", e.Name), err)
		}
		return nil
	}
	sum, err := sumOf(path)
	if err == nil && sum != e.SHA256 {
		err = fmt.Errorf("%s differs", e.Name)
	}
	return err
}

// replace puts the new version in the place of the old one, of which it makes copies first.
func (m *mover) replace(st *state) error {
	old, err := m.readList()
	if err != nil {
		return err
	}
	m.step("save the old files")
	if err := m.clear(m.dir("old")); err != nil {
		return err
	}
	room := make([]byte, spareSize)
	_, _ = rand.Read(room) // what a file system that compresses can't make smaller
	if err := atomicfile.Write(m.dir(spare), room, 0o600); err != nil {
		return err
	}
	st.Old = nil
	for _, name := range old {
		err := m.keep(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the user has removed it
		}
		if err != nil {
			return err
		}
		st.Old = append(st.Old, name)
	}
	syncTree(m.dir("old"))
	m.step("begin")
	next := *st
	next.Phase = phaseReplacing
	if err := m.save(next); err != nil {
		return err
	}
	*st = next
	return m.forward(st)
}

// keep makes a second name of an installed file, or a copy where the file system has no such thing.
func (m *mover) keep(name string) error {
	from, to := m.at(name), m.dir("old", filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() && info.Mode()&os.ModeSymlink == 0 {
		return fs.ErrNotExist
	}
	if info.Mode().IsRegular() && os.Link(from, to) == nil {
		return nil
	}
	return copyTo(from, to, info.Mode())
}

// forward moves the files that aren't in place yet. It may be called again after it was interrupted anywhere.
func (m *mover) forward(st *state) error {
	for _, e := range m.programLast(st.New) {
		from := m.dir("new", filepath.FromSlash(e.Name))
		if _, err := os.Lstat(from); errors.Is(err, fs.ErrNotExist) {
			if err := sameAs(m.at(e.Name), e); err != nil { // moved before
				return err
			}
			continue
		}
		m.step("move " + e.Name)
		if err := m.move(from, m.at(e.Name)); err != nil {
			return err
		}
	}
	m.syncDirs(st)
	names := st.newNames()
	for _, name := range m.layout.without(st.Old, names) {
		m.step("remove " + name)
		if err := m.discard(m.at(name)); err != nil {
			return err
		}
		m.removeEmpty(name)
	}
	m.step("list the new files")
	if err := m.writeList(names); err != nil {
		return err
	}
	m.step("end")
	st.Phase, st.Starts = phaseTrial, 0
	if err := m.save(*st); err != nil {
		return err
	}
	m.step("tidy")
	_ = m.tidy("old", spare)
	return nil
}

// programLast returns entries with Weft itself at the end: until it is moved, an interrupted update is finished by the
// old one.
func (m *mover) programLast(entries []Entry) []Entry {
	sorted, program := slices.Clone(entries), m.layout.program
	slices.SortStableFunc(sorted, func(a, b Entry) int {
		switch {
		case a.Name == program && b.Name != program:
			return 1
		case b.Name == program && a.Name != program:
			return -1
		}
		return 0
	})
	return sorted
}

// back puts the old version in its place again. why is a sentence. It may be called again after it was interrupted
// anywhere.
func (m *mover) back(st *state, why string) error {
	if st.Phase != phaseBack {
		m.step("begin to go back")
		st.Phase = phaseBack
		st.Outcome = &Outcome{From: st.From, To: st.To, At: m.now().UTC(), Failed: true, Why: why, Tried: st.Tried}
		if err := m.save(*st); err != nil {
			return err
		}
	}
	for _, name := range append([]string{m.layout.program}, st.Old...) { // first what the next start runs
		from := m.dir("old", filepath.FromSlash(name))
		if _, err := os.Lstat(from); errors.Is(err, fs.ErrNotExist) {
			continue // moved before
		}
		m.step("move back " + name)
		if err := m.move(from, m.at(name)); err != nil {
			return err
		}
	}
	for _, name := range m.layout.without(st.newNames(), st.Old) {
		m.step("take back " + name)
		if info, err := os.Lstat(m.at(name)); err != nil || info.IsDir() {
			continue // it wasn't put there: a folder is in the way
		}
		if err := m.discard(m.at(name)); err != nil {
			return err
		}
		m.removeEmpty(name)
	}
	m.syncDirs(st)
	m.step("list the old files")
	if err := m.writeList(st.Old); err != nil {
		return err
	}
	m.step("end")
	*st = state{Outcome: st.Outcome}
	if err := m.save(*st); err != nil {
		return err
	}
	m.step("tidy")
	_ = m.tidy()
	return nil
}

// copyTo copies a file, or makes a link like one. There must be nothing at to.
func copyTo(from, to string, mode fs.FileMode) error {
	if mode&os.ModeSymlink != 0 {
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode.Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}

// syncDirs asks the system to write the names of the files of both versions, before the state says that they are there.
func (m *mover) syncDirs(st *state) {
	dirs := map[string]bool{}
	for _, e := range st.New {
		dirs[filepath.Dir(m.at(e.Name))] = true
	}
	for _, name := range st.Old {
		dirs[filepath.Dir(m.at(name))] = true
	}
	for dir := range dirs {
		syncDir(dir)
	}
}

func syncDir(path string) {
	if f, err := os.Open(path); err == nil {
		_ = f.Sync() // not every file system can
		_ = f.Close()
	}
}

// syncTree asks the system to write the names in a tree.
func syncTree(root string) {
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil //nolint:nilerr // as far as it goes
		}
		syncDir(path)
		return nil
	})
}
