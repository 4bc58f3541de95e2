package spaces

import (
	"context"
	"sync"
	"sync/atomic"

	"weft/backend/conversation/transcript"
	"weft/backend/store"
	"weft/backend/store/spaces"
)

// maxCached is the maximum number of cached spaces.
const maxCached = 1000

// Rows caches spaces, so that a message doesn't cause its space to be read again; a message changes only the space's
// last activity. A cached space is valid while only events were written to the database.
type Rows struct {
	store *store.Store
	ends  atomic.Uint64 // number of stored ends of runs
	mu    sync.Mutex
	all   map[string]*latestSpace
	begun map[string]map[string]bool // by space: runs that began since the start and have no stored end
}

type latestSpace struct {
	row      *spaces.Space // nil: read it again
	changes  uint64        // of the database, before the row was read
	version  int           // increases with each event that makes the row invalid
	activity int64         // time of the last event that counts as activity
}

// Happened updates the cache after an append was committed. It must be called before the events are published.
func (l *Rows) Happened(id string, events []transcript.Event) {
	ends, ended := false, false
	for i := range events {
		switch body := events[i].Body.(type) {
		case *transcript.RunCreated:
			l.began(id, body.RunID)
		case *transcript.RunCompleted:
			ends, ended = true, true
			l.ended(id, body.RunID)
		case *transcript.MessageEnd:
			ends = true
		}
	}
	if !ends {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	sp := l.all[id]
	if sp == nil {
		return
	}
	sp.activity = max(sp.activity, events[len(events)-1].At)
	if ended { // the row says how its last run ended
		sp.row = nil
		sp.version++
	}
}

func (l *Rows) began(id, runID string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.begun == nil {
		l.begun = map[string]map[string]bool{}
	}
	if l.begun[id] == nil {
		l.begun[id] = map[string]bool{}
	}
	l.begun[id][runID] = true
}

func (l *Rows) ended(id, runID string) {
	l.ends.Add(1)
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.begun[id], runID)
	if len(l.begun[id]) == 0 {
		delete(l.begun, id)
	}
}

// ending reports whether a run of a space has begun without a stored end.
func (l *Rows) ending(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.begun[id]) > 0
}

// forget removes a space that is gone.
func (l *Rows) forget(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.begun, id)
}

// get returns the cached space if it is valid at that count of changes. Otherwise the caller reads the space and passes
// it to [Rows.put], which ignores it if the space has changed since.
func (l *Rows) get(id string, changes uint64) (row spaces.Space, found bool, sp *latestSpace, version int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	sp = l.all[id]
	if sp == nil {
		if l.all == nil || len(l.all) >= maxCached {
			l.all = map[string]*latestSpace{}
		}
		sp = &latestSpace{}
		l.all[id] = sp
	}
	if sp.row == nil || sp.changes != changes {
		return spaces.Space{}, false, sp, sp.version
	}
	row = *sp.row
	row.LastActivity = max(row.LastActivity, sp.activity)
	return row, true, sp, sp.version
}

func (l *Rows) put(sp *latestSpace, version int, row spaces.Space, changes uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if sp.version == version {
		sp.row, sp.changes = &row, changes
	}
}

// Latest is Get with a cache: it doesn't read the space again if only messages have arrived since.
func (s *Spaces) Latest(ctx context.Context, id string) (Space, error) {
	return viewOf(ctx, s, func() (spaces.Space, error) {
		row, _, err := s.Rows.row(ctx, id)
		return row, err
	})
}

// row returns a stored space, and whether it was read from the database.
func (l *Rows) row(ctx context.Context, id string) (row spaces.Space, read bool, err error) {
	changes := l.store.Changes()
	row, found, sp, version := l.get(id, changes)
	if found {
		return row, false, nil
	}
	if row, err = l.store.Spaces.Get(ctx, id); err != nil {
		return spaces.Space{}, true, err
	}
	l.put(sp, version, row, changes)
	return row, true, nil
}
