package review

import (
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"weft/backend/changes/review/snapshots"
)

// turn is a run in progress.
type turn struct {
	tracked  *trackedFolder
	space    string
	runID    string
	id       int64        // in the store
	late     bool         // the prompt was sent before the first scan of the folder was complete
	since    int64        // when the prompt was sent, unix ns
	ended    atomic.Int64 // when the turn ended, unix ns; 0 before that
	pass     atomic.Int64 // scans from this one on saw the folder as it was before the prompt
	tools    map[string]*tool
	recorded map[string]snapshots.Change // the last recorded change of each file; protected by recorder.updates
	scans    bool                        // a scan is queued

	root *os.Root    // the turn's folder, open until the turn ends, so that another one at the path isn't mistaken for it
	info fs.FileInfo // of root; nil if any folder at the path will do
}

// in reports whether the turn takes place in the folder.
func (t *turn) in(folder fs.FileInfo) bool { return t.info == nil || os.SameFile(t.info, folder) }

// over reports whether the turn was over when a file changed: its last scan comes later, and whatever the user saves
// before that isn't the agent's. A file from the future shows that the file system has another clock (a network drive),
// so its times mean nothing here.
func (t *turn) over(c *snapshots.Change, now time.Time) bool {
	ended := t.ended.Load()
	return ended != 0 && c.When > ended && c.When <= now.UnixNano()
}

// close closes the folder.
func (t *turn) close() {
	if t.root != nil {
		_ = t.root.Close() // read-only
	}
}

// addUsers adds n to the number of turns that are about to begin.
func (p *trackedFolder) addUsers(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.users += n
}

// begin adds a turn in progress.
func (p *trackedFolder) begin(t *turn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.turns[t.runID] = t
}

// end removes a turn in progress. last reports that it was the last one of its space.
func (p *trackedFolder) end(t *turn) (last bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.turns, t.runID)
	if last = p.newest(t.space) == nil; !last {
		return false
	}
	for path, by := range p.claims {
		if delete(by, t.space); len(by) == 0 {
			delete(p.claims, path)
		}
	}
	return true
}

// newest returns the newest turn in progress of a space, or nil. The mutex is held.
func (p *trackedFolder) newest(spaceID string) (last *turn) {
	for _, t := range p.turns {
		if t.space == spaceID && (last == nil || t.id > last.id) {
			last = t
		}
	}
	return last
}

// maxClaims limits how many paths named by agents are remembered.
const maxClaims = 20_000

// claim records that the agent of a turn named a path.
func (p *trackedFolder) claim(t *turn, rel string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.claims[rel] == nil {
		if len(p.claims) >= maxClaims {
			return
		}
		p.claims[rel] = map[string]bool{}
	}
	p.claims[rel][t.space] = true
}

// reportChanges records changes in a folder for the turns to which they belong. named is the turn whose agent named the
// files. It is nil for changes that were found on disk: these belong to every turn in progress, unless another turn's
// agent named the file. Changes in a folder other than a turn's never belong to it. Error: errReplaced.
func (p *trackedFolder) reportChanges(folder fs.FileInfo, list []snapshots.Change, named *turn) error {
	// If the folder was replaced since it was read, its missing files weren't deleted by the turn.
	if now, err := os.Stat(p.folder.Dir()); err != nil || !os.SameFile(folder, now) {
		return errReplaced
	}
	p.mu.Lock()
	turns := slices.Collect(maps.Values(p.turns))
	p.mu.Unlock()
	if named != nil {
		turns = []*turn{named}
	}
	turns = slices.DeleteFunc(turns, func(t *turn) bool { return !t.in(folder) })
	for _, t := range turns {
		var mine []snapshots.Change
		for _, c := range list {
			if named != nil || p.belongs(t, &c) {
				mine = append(mine, c)
			}
		}
		if len(mine) == 0 {
			continue
		}
		if err := p.recorder.report(p.background.ctx, t, mine, len(turns) == 1); err != nil {
			return err
		}
	}
	return nil
}

// clockSlack is how far file times may lag behind the clock.
const clockSlack = 20_000_000 // ns

// belongs reports whether a change that was found on disk belongs to a turn. It may set c.Before to unknown.
func (p *trackedFolder) belongs(t *turn, c *snapshots.Change) bool {
	p.mu.Lock()
	by := p.claims[c.Path]
	others := len(by) > 0 && !by[t.space]
	p.mu.Unlock()
	if others || t.over(c, p.recorder.now()) {
		return false
	}
	if c.Before.Kind == snapshots.Unknown || t.late && c.Pass < t.pass.Load() {
		// The file wasn't scanned before the turn began. Its time shows whether it changed since.
		if c.When < t.since-clockSlack {
			return false
		}
		c.Before = snapshots.State{Kind: snapshots.Unknown}
	}
	return true
}
