package review

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"weft/backend/base/fault"
	"weft/backend/changes/review/snapshots"
)

// folders finds the folder of each space, and keeps it in memory while turns are in progress. Its methods are safe for
// concurrent use.
type folders struct {
	of         func(ctx context.Context, spaceID string) (string, error) // see [Options].Folder
	snapshots  *snapshots.Store
	recorder   *recorder
	background *background

	mu       sync.Mutex                // protects the fields below; the mutex of a trackedFolder may be locked while it is held, not the reverse
	byDir    map[string]*trackedFolder // by folder, symbolic links resolved
	spaces   map[string]*trackedFolder // spaces with a turn in progress
	starting map[string]*turn          // turns whose prompt hasn't been sent yet, by run
}

func newFolders(of func(ctx context.Context, spaceID string) (string, error), kept *snapshots.Store, rec *recorder, b *background) *folders {
	return &folders{
		of: of, snapshots: kept, recorder: rec, background: b,
		byDir: map[string]*trackedFolder{}, spaces: map[string]*trackedFolder{}, starting: map[string]*turn{},
	}
}

// find returns the tracked folder of a space's folder.
func (f *folders) find(ctx context.Context, spaceID string) (*trackedFolder, error) {
	if p := f.active(spaceID); p != nil {
		return p, nil
	}
	return f.current(ctx, spaceID)
}

// current returns the tracked folder at the path of a space's folder.
func (f *folders) current(ctx context.Context, spaceID string) (*trackedFolder, error) {
	dir, err := f.of(ctx, spaceID)
	if err != nil {
		return nil, err
	}
	return f.at(ctx, dir)
}

// enter returns the tracked folder of a space, and opens it. The caller must close the root.
func (f *folders) enter(ctx context.Context, spaceID string) (*trackedFolder, *os.Root, error) {
	p, err := f.find(ctx, spaceID)
	if err != nil {
		return nil, nil, err
	}
	root, err := p.open()
	return p, root, err
}

// active returns the tracked folder of a space with a turn in progress, or nil.
func (f *folders) active(spaceID string) *trackedFolder {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.spaces[spaceID]
}

// inMemory returns the tracked folder of a space if it is in memory, otherwise nil.
func (f *folders) inMemory(ctx context.Context, spaceID string) *trackedFolder {
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
	return f.byDir[real]
}

func (f *folders) at(ctx context.Context, dir string) (*trackedFolder, error) {
	folder, err := f.snapshots.Folder(ctx, dir)
	if err != nil {
		return nil, fault.New("folder_not_found", "The folder {{folder}} can't be opened.", dir).Because(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.byDir[folder.Dir()]
	if p == nil {
		p = newTrackedFolder(folder, f.recorder, f.background)
		f.byDir[folder.Dir()] = p
		f.forgetIdle(p)
	}
	return p, nil
}

// maxIdle is how many folders without a turn are kept in memory.
const maxIdle = 1

// forgetIdle drops the state of idle folders, except but. The mutex is held.
func (f *folders) forgetIdle(but *trackedFolder) {
	idle := len(f.byDir) - maxIdle
	for dir, p := range f.byDir {
		if idle <= 0 {
			return
		}
		if p != but && p.idle() {
			delete(f.byDir, dir)
			f.snapshots.Forget(dir)
			idle--
		}
	}
}

// hold keeps the folder of a turn in memory until release is called.
func (f *folders) hold(t *turn) {
	t.tracked.addUsers(1)
	f.mu.Lock()
	f.starting[t.runID] = t
	f.mu.Unlock()
}

// release ends the wait for an expected turn. The turn has begun or was canceled.
func (f *folders) release(runID string) {
	f.mu.Lock()
	t := f.starting[runID]
	delete(f.starting, runID)
	f.mu.Unlock()
	if t != nil {
		t.tracked.addUsers(-1)
	}
}

// relocate records that a turn that is about to begin takes place in another folder than expected.
func (f *folders) relocate(t *turn, to *trackedFolder) {
	if to == t.tracked {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.starting[t.runID] == t {
		t.tracked.addUsers(-1)
		to.addUsers(1)
	}
	t.tracked = to
}

// begin adds a turn in progress.
func (f *folders) begin(t *turn) {
	t.tracked.begin(t)
	f.mu.Lock()
	f.spaces[t.space] = t.tracked
	f.mu.Unlock()
}

// end removes a turn in progress.
func (f *folders) end(t *turn) {
	defer t.close()
	last := t.tracked.end(t)
	f.mu.Lock()
	defer f.mu.Unlock()
	if last && f.spaces[t.space] == t.tracked {
		delete(f.spaces, t.space)
	}
}

// turn returns the newest turn in progress of a space, or nil.
func (f *folders) turn(spaceID string) *turn {
	p := f.active(spaceID)
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.newest(spaceID)
}

// turnOf returns the turn in progress of a run, or nil.
func (f *folders) turnOf(runID string) *turn {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, known := range []map[string]*trackedFolder{f.spaces, f.byDir} {
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
