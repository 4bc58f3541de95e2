package update

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"weft/backend/files/atomicfile"
	"weft/backend/files/filelock"
)

// Running is a Weft that runs from a place. While it does, the files there aren't replaced.
type Running struct {
	// Again says that another version is in place now: this program must be started again, as it was, instead of going on.
	Again bool
	// Trial says that this version was just installed: [Running.Up] must be called when it is up.
	Trial bool
	// Err says why an update couldn't be finished. Weft continues as it is.
	Err error

	place *Place
	lock  *os.File
}

// waitTime is how long a start waits for another one that replaces the files.
const (
	waitTime  = 30 * time.Second
	waitPause = 50 * time.Millisecond
)

// Start is called before anything else by a Weft of this version that opens a window or serves. It finishes what an
// update has left, where no other Weft of this place runs, and returns nil where Weft doesn't replace itself. It blocks
// for a second at worst, unless another one is replacing the files.
func (p *Place) Start(version string) *Running { return p.start(version, func(string) {}, time.Now) }

func (p *Place) start(version string, step func(string), now func() time.Time) *Running {
	if !p.Replaces() {
		return nil
	}
	r := &Running{place: p}
	waited := false
	for end := now().Add(waitTime); ; {
		lock, err := tryLock(p.at(p.layout.lib), filelock.Exclusive)
		if err == nil {
			r.lock = lock
			r.Again, r.Err = p.finish(version, r, step, now)
			if r.Again {
				r.Close()
				return r
			}
			_ = filelock.Share(lock)
			break
		}
		if !errors.Is(err, filelock.ErrHeld) {
			return nil // this file system has no locks: nothing is replaced here
		}
		if lock, err = tryLock(p.at(p.layout.lib), filelock.Shared); err == nil {
			r.lock = lock
			r.Trial = p.isTrial(version)
			break
		}
		if now().After(end) {
			return nil
		}
		waited = true
		time.Sleep(waitPause)
	}
	r.Again = waited // the files may have become another version meanwhile
	if r.Again {
		r.Close()
	}
	return r
}

func (p *Place) isTrial(version string) bool {
	st, err := p.load()
	return err == nil && st.Phase == phaseTrial && canonical(st.To) == canonical(version)
}

// finish does what the state asks for. The exclusive lock is held. again says that the files are another version now.
func (p *Place) finish(version string, r *Running, step func(string), now func() time.Time) (again bool, err error) {
	defer func() { err = unfinished(p.Prefix, err) }()
	st, err := p.load()
	if err != nil {
		return false, err
	}
	m := &mover{p, step, now}
	switch st.Phase {
	case phaseReady:
		if !Newer(st.To, version) {
			return false, p.forget(st) // installed otherwise meanwhile
		}
		if err := m.check(st); err != nil {
			return false, errors.Join(err, p.forget(st))
		}
		return m.install(version, &st)
	case phaseReplacing:
		if err := m.forward(&st); err != nil {
			return m.undo(version, &st, err)
		}
		return true, nil
	case phaseTrial:
		if canonical(st.To) != canonical(version) {
			return false, p.forget(st) // installed otherwise meanwhile
		}
		if st.Starts > 0 {
			return m.undo(version, &st, nil)
		}
		st.Starts++
		if st.Tried.IsZero() {
			st.Tried = now().UTC()
		}
		r.Trial = true
		return false, p.save(st)
	case phaseBack:
		return m.goBack(version, &st, "")
	}
	return false, p.forget(st) // also what a download has left that was cut short
}

// install replaces the old version, or leaves it as it was.
func (m *mover) install(version string, st *state) (again bool, err error) {
	if err := m.replace(st); err != nil {
		if st.Phase == phaseReady { // nothing was moved
			return false, errors.Join(m.cantWrite(err), m.forget(*st))
		}
		return m.undo(version, st, err)
	}
	return true, nil
}

// undo goes back to the old version. cause is nil where the new one didn't start.
func (m *mover) undo(version string, st *state, cause error) (again bool, err error) {
	why := "Weft " + st.To + " didn't start, so Weft went back to " + st.From + ". Your conversations are as they were."
	if cause != nil {
		why = "The files of Weft " + st.To + " couldn't be put in place, so Weft went back to " + st.From + ": " + cause.Error() + "."
	}
	return m.goBack(version, st, why)
}

// goBack is [mover.back] for a start of a version: the old one is started as soon as it is in place, also where the
// rest can't be done yet.
func (m *mover) goBack(version string, st *state, why string) (again bool, err error) {
	isNew := canonical(version) == canonical(st.To)
	if err = m.back(st, why); err == nil {
		return true, nil
	}
	_, left := os.Lstat(m.dir("old", filepath.FromSlash(m.layout.program)))
	return isNew && errors.Is(left, fs.ErrNotExist), err
}

// unfinished explains why an update stays as it is. The next start continues with it. Errors that are explained already
// stay as they are.
func unfinished(prefix string, err error) error {
	switch {
	case err == nil || explained(err):
		return err
	case atomicfile.Full(err) || atomicfile.Denied(err):
		return fail("read_only", err, "An update couldn't be finished, because {{folder}} can't be written or its disk is full. Fix that, then start Weft again.", prefix)
	}
	return fail(codeBroken, err, "Couldn't finish an update or undo it: {{reason}}. Install Weft again.", err)
}

// forget drops an update that isn't in place.
func (p *Place) forget(st state) error {
	return errors.Join(p.save(state{Outcome: st.Outcome}), p.tidy())
}

// Up says that this version is up: the old one isn't needed any more. It returns how the update has ended, nil where
// this wasn't the first start; what couldn't be tidied is an error beside it.
func (r *Running) Up() (*Outcome, error) {
	if r == nil || !r.Trial {
		return nil, nil //nolint:nilnil // no update is no error
	}
	r.Trial = false
	st, err := r.place.load()
	if err != nil || st.Phase != phaseTrial {
		return nil, err
	}
	done := &Outcome{From: st.From, To: st.To, At: time.Now().UTC()}
	return done, errors.Join(r.place.save(state{Outcome: done}), r.place.tidy(), r.place.register(st.To))
}

// Excuse says that a first start has ended for a reason that isn't the new version's: it may be tried again.
func (r *Running) Excuse() {
	if r == nil || !r.Trial {
		return
	}
	if st, err := r.place.load(); err == nil && st.Phase == phaseTrial {
		st.Starts = 0
		_ = r.place.save(st)
	}
}

// Install puts a version in place that was staged, where no other Weft of the place runs. done is false if one does:
// then the next start installs it.
func (p *Place) Install(version string) (done bool, err error) {
	lock, err := tryLock(p.at(p.layout.lib), filelock.Exclusive)
	if errors.Is(err, filelock.ErrHeld) {
		return false, nil
	}
	if err != nil {
		return false, p.cantWrite(err)
	}
	defer lock.Close()
	st, err := p.load()
	if err != nil || st.Phase != phaseReady {
		return false, err
	}
	return p.finish(version, &Running{place: p}, func(string) {}, time.Now)
}

// Close says that this Weft has ended.
func (r *Running) Close() {
	if r != nil && r.lock != nil {
		_ = r.lock.Close()
		r.lock = nil
	}
}
