package review

import (
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync/atomic"

	"weft/backend/review/snapshots"
)

// turn is a run in progress.
type turn struct {
	place *place
	space string
	runID string
	id    int64        // in the store
	late  bool         // the agent was told before the whole folder was seen
	since int64        // when it was told, unix ns
	pass  atomic.Int64 // scans from this one on saw the folder as the prompt found it
	tools map[string]*tool
	told  map[string]snapshots.Change // the last change of each file; under recorder.noting of its space
	scans bool                        // a scan is asked for

	root *os.Root    // the folder in which it takes place, open until it is over so that no other one is taken for it
	info fs.FileInfo // of root; nil: it takes place in whichever folder is at the path
}

// in reports whether the turn takes place in a folder.
func (t *turn) in(folder fs.FileInfo) bool { return t.info == nil || os.SameFile(t.info, folder) }

// close lets go of the folder.
func (t *turn) close() {
	if t.root != nil {
		_ = t.root.Close() // opened for reading only
	}
}

// use counts those who are about to work in the folder.
func (p *place) use(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.users += n
}

// begin adds a turn to those in progress.
func (p *place) begin(t *turn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.turns[t.runID] = t
}

// end removes a turn from those in progress. Last is true if it was the last one of its space.
func (p *place) end(t *turn) (last bool) {
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

// newest returns the turn of a space that began last, nil if none is in progress. The mutex is held.
func (p *place) newest(spaceID string) (last *turn) {
	for _, t := range p.turns {
		if t.space == spaceID && (last == nil || t.id > last.id) {
			last = t
		}
	}
	return last
}

// maxClaims bounds how many paths are remembered to be named by an agent.
const maxClaims = 20_000

// claim notes that the agent of a turn named a path.
func (p *place) claim(t *turn, rel string) {
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

// tell notes changes in a folder for the turns that they belong to. named is the turn whose agent named the files,
// nil where they were found on disk: then they belong to every turn in progress, unless the agent of
// another one named them. What is in another folder than that of a turn never belongs to it.
func (p *place) tell(folder fs.FileInfo, list []snapshots.Change, named *turn) error {
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

// slack is how far clocks of files may be behind.
const slack = 20_000_000 // ns

// belongs reports whether a change that was found on disk is one of a turn. What it was before may not be
// known by then.
func (p *place) belongs(t *turn, c *snapshots.Change) bool {
	p.mu.Lock()
	by := p.claims[c.Path]
	others := len(by) > 0 && !by[t.space]
	p.mu.Unlock()
	if others {
		return false
	}
	if c.Before.Kind == snapshots.Unknown || t.late && c.Pass < t.pass.Load() {
		// Nobody had looked at it when the turn began; its time tells whether it changed since.
		if c.When < t.since-slack {
			return false
		}
		c.Before = snapshots.State{Kind: snapshots.Unknown}
	}
	return true
}
