package review

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"weft/backend/fault"
	"weft/backend/review/snapshots"
)

// folders finds the folder of each space, and keeps it in memory while turns continue there. Its methods may be called
// from any goroutine.
type folders struct {
	of         func(ctx context.Context, spaceID string) (string, error) // see [Options].Folder
	snapshots  *snapshots.Store
	recorder   *recorder
	background *background

	mu       sync.Mutex        // protects what follows; the mutex of a place may be locked while it is held, not the reverse
	places   map[string]*place // by folder, links resolved
	spaces   map[string]*place // of spaces with a turn in progress
	starting map[string]*turn  // turns whose agent was not told yet, by run
}

func newFolders(of func(ctx context.Context, spaceID string) (string, error), kept *snapshots.Store, rec *recorder, b *background) *folders {
	return &folders{
		of: of, snapshots: kept, recorder: rec, background: b,
		places: map[string]*place{}, spaces: map[string]*place{}, starting: map[string]*turn{},
	}
}

// place returns the place of a space's folder.
func (f *folders) place(ctx context.Context, spaceID string) (*place, error) {
	if p := f.working(spaceID); p != nil {
		return p, nil
	}
	return f.there(ctx, spaceID)
}

// there returns the place of the folder that the path of a space leads to now.
func (f *folders) there(ctx context.Context, spaceID string) (*place, error) {
	dir, err := f.of(ctx, spaceID)
	if err != nil {
		return nil, err
	}
	return f.placeOf(ctx, dir)
}

// enter returns the place of a space's folder, and opens the folder.
func (f *folders) enter(ctx context.Context, spaceID string) (*place, *os.Root, error) {
	p, err := f.place(ctx, spaceID)
	if err != nil {
		return nil, nil, err
	}
	root, err := p.open()
	return p, root, err
}

// working returns the place where a turn of a space is in progress, nil if there is none.
func (f *folders) working(spaceID string) *place {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.spaces[spaceID]
}

// inMemory returns the place of a space if someone works there, nil otherwise.
func (f *folders) inMemory(ctx context.Context, spaceID string) *place {
	dir, err := f.of(ctx, spaceID)
	if err != nil {
		return nil
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.places[real]
}

func (f *folders) placeOf(ctx context.Context, dir string) (*place, error) {
	folder, err := f.snapshots.Folder(ctx, dir)
	if err != nil {
		return nil, fault.New("folder_not_found", "The folder {{folder}} can't be opened.", dir).Because(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.places[folder.Dir()]
	if p == nil {
		p = newPlace(folder, f.recorder, f.background)
		f.places[folder.Dir()] = p
		f.forgetIdle(p)
	}
	return p, nil
}

// maxIdle is how many folders without a turn are kept in memory.
const maxIdle = 1

// forgetIdle drops what is known of folders that nobody works in. The mutex is held.
func (f *folders) forgetIdle(but *place) {
	idle := len(f.places) - maxIdle
	for dir, p := range f.places {
		if idle <= 0 {
			return
		}
		if p != but && p.idle() {
			delete(f.places, dir)
			f.snapshots.Forget(dir)
			idle--
		}
	}
}

// expect keeps the place of a turn in memory until arrived is called for it.
func (f *folders) expect(t *turn) {
	t.place.use(1)
	f.mu.Lock()
	f.starting[t.runID] = t
	f.mu.Unlock()
}

// arrived ends the wait for an expected turn: it has begun, or will not any more.
func (f *folders) arrived(runID string) {
	f.mu.Lock()
	t := f.starting[runID]
	delete(f.starting, runID)
	f.mu.Unlock()
	if t != nil {
		t.place.use(-1)
	}
}

// moves notes that a turn that is about to begin takes place elsewhere than expected.
func (f *folders) moves(t *turn, to *place) {
	if to == t.place {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.starting[t.runID] == t {
		t.place.use(-1)
		to.use(1)
	}
	t.place = to
}

// begin adds a turn to those in progress.
func (f *folders) begin(t *turn) {
	t.place.begin(t)
	f.mu.Lock()
	f.spaces[t.space] = t.place
	f.mu.Unlock()
}

// end removes a turn from those in progress.
func (f *folders) end(t *turn) {
	defer t.close()
	last := t.place.end(t)
	f.mu.Lock()
	defer f.mu.Unlock()
	if last && f.spaces[t.space] == t.place {
		delete(f.spaces, t.space)
	}
}

// turn returns the turn that is in progress in a space, the one that began last, nil if there is none.
func (f *folders) turn(spaceID string) *turn {
	p := f.working(spaceID)
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.newest(spaceID)
}

// turnOf returns the turn of a run that is in progress, nil if it is not.
func (f *folders) turnOf(runID string) *turn {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, known := range []map[string]*place{f.spaces, f.places} {
		for _, p := range known {
			p.mu.Lock()
			t := p.turns[runID]
			p.mu.Unlock()
			if t != nil {
				return t
			}
		}
	}
	return nil
}
