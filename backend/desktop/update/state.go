package update

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/go-json-experiment/json"

	"weft/backend/files/atomicfile"
)

// The phases of an update, in their order.
const (
	phaseNone      = ""
	phaseReady     = "ready"     // the new version is in "new"
	phaseReplacing = "replacing" // the old one is in "old", and the files of the new one are being moved to their places
	phaseTrial     = "trial"     // the new one is in place and wasn't up yet
	phaseBack      = "back"      // the files of the old one are being moved back
)

const stateFile = "state.json"

// spare is a file that leaves room for what going back has to write: a version that doesn't start mustn't stay because
// the disk is full.
const (
	spare     = "spare"
	spareSize = 64 << 10
)

// write replaces a file, where the disk is full at the cost of the spare room at room.
func write(room, path string, data []byte, perm os.FileMode) error {
	err := atomicfile.Write(path, data, perm)
	if atomicfile.Full(err) && os.Remove(room) == nil {
		err = atomicfile.Write(path, data, perm)
	}
	return err
}

// state is the journal of an update. It is replaced in one step, so it is never half written.
type state struct {
	Format int      `json:"format"`
	Phase  string   `json:"phase"`
	From   string   `json:"from"` // versions
	To     string   `json:"to"`
	New    []Entry  `json:"new"`
	Old    []string `json:"old"`
	Starts int      `json:"starts"` // in trial: those that have begun
	// Tried is when the first of them has begun, also where it isn't counted any more.
	Tried   time.Time `json:"tried,omitzero"`
	Outcome *Outcome  `json:"outcome,omitempty"`
}

// newNames returns the names of the files of the new version.
func (st *state) newNames() []string {
	names := make([]string, len(st.New))
	for i, e := range st.New {
		names[i] = e.Name
	}
	return names
}

// Outcome is how the last update has ended.
type Outcome struct {
	From   string    `json:"from"` // versions
	To     string    `json:"to"`
	At     time.Time `json:"at"`
	Failed bool      `json:"failed"`         // Weft has gone back to From
	Why    string    `json:"why"`            // a sentence, where it failed
	Tried  time.Time `json:"tried,omitzero"` // where it failed: when To was started first, zero if never
}

// load returns the state; that of a place without an update if there is none, or one that can't be read.
func (p *Place) load() (st state, err error) {
	raw, err := os.ReadFile(p.dir(stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return state{Format: Format}, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &st)
	}
	if err == nil && st.Format != Format {
		err = errors.New("it was written by another version")
	}
	for _, e := range st.New {
		if !p.layout.allows(e.Name) {
			err = errors.New("it names a file that no version has")
		}
	}
	for _, name := range st.Old {
		if !p.layout.allows(name) {
			err = errors.New("it names a file that no version has")
		}
	}
	if err != nil {
		return state{Format: Format}, fail(codeBroken, err, "Weft can't read the state of an update ({{path}}). Install Weft again.", p.dir(stateFile))
	}
	return st, nil
}

// save writes the state, and removes the folder of the update where nothing is left to know.
func (p *Place) save(st state) error {
	if st.Phase == phaseNone && st.Outcome == nil && !p.staging {
		if err := errors.Join(p.tidy(), os.Remove(p.dir(stateFile))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		_ = os.Remove(p.dir(lockName))
		_ = os.Remove(p.dir()) // it isn't empty where something was put aside that runs
		return nil
	}
	st.Format = Format
	raw, err := json.Marshal(st, json.Deterministic(true))
	if err != nil {
		return err
	}
	return write(p.dir(spare), p.dir(stateFile), raw, 0o600)
}

// tidy removes what an update has left that isn't going on, and then what the state doesn't need.
func (p *Place) tidy(keep ...string) error {
	entries, err := os.ReadDir(p.dir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		kept := e.Name() == stateFile || e.Name() == lockName || e.Name() == aside
		for _, name := range keep {
			kept = kept || e.Name() == name
		}
		if !kept {
			err = errors.Join(err, p.clear(p.dir(e.Name())))
		}
	}
	p.sweep()
	return err
}

// Outcome returns how the last update has ended, nil if there was none or the user has seen it.
func (p *Place) Outcome() *Outcome {
	if !p.Replaces() {
		return nil
	}
	st, err := p.load()
	if err != nil {
		return nil
	}
	return st.Outcome
}

// TakenBack returns when the version was started first that the Weft of a place has gone back from, zero if the last
// update didn't fail.
func TakenBack(p *Place) time.Time {
	if p != nil {
		if o := p.Outcome(); o != nil {
			return o.Tried
		}
	}
	return time.Time{}
}

// Seen forgets how the last update has ended. A version may be downloaded meanwhile.
func (p *Place) Seen() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	st, err := p.load()
	if err != nil || st.Outcome == nil {
		return err
	}
	st.Outcome = nil
	return p.save(st)
}

// Ready returns the version that is put in place at the next start, "" if none.
func (p *Place) Ready() string {
	if st, err := p.load(); err == nil && st.Phase == phaseReady {
		return st.To
	}
	return ""
}
