package spaces

import (
	"context"
	"sync"
	"sync/atomic"

	"weft/backend/store"
	"weft/backend/store/spaces"
	"weft/backend/transcript"
)

// mostLatest is how many spaces are kept as they were last read.
const mostLatest = 1000

// Rows keeps spaces as they were last read, so that a message doesn't have its space read again: it changes nothing of it but the time
// of its last activity. What was read is used as long as nothing else was written to the database than events.
type Rows struct {
	store *store.Store
	ends  atomic.Uint64 // counts the ends of runs that were stored
	mu    sync.Mutex
	all   map[string]*latestSpace
	begun map[string]map[string]bool // by space: runs that began since the start, and have no end that is stored
}

type latestSpace struct {
	row      *spaces.Space // nil: it has to be read
	changes  uint64        // of the database, before it was read
	version  int           // counts the events after which it has to be read again
	activity int64         // the time of the last event that counts as activity
}

// Happened takes in the events of an append, after they were committed. It must be called before anyone hears of them.
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
	if ended { // how its last run ended is in the row
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

// ending reports whether a run of a space has begun, and its end isn't stored.
func (l *Rows) ending(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.begun[id]) > 0
}

// forget forgets what has begun in a space that is gone.
func (l *Rows) forget(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.begun, id)
}

// get returns the space with that id if what was read of it holds at that count of changes. If not, [Rows.put] takes it once it was
// read, unless it has changed since.
func (l *Rows) get(id string, changes uint64) (row spaces.Space, found bool, sp *latestSpace, version int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	sp = l.all[id]
	if sp == nil {
		if l.all == nil || len(l.all) >= mostLatest {
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

// Latest is Get that doesn't read the space again where only messages have come since it was read last.
func (s *Spaces) Latest(ctx context.Context, id string) (Space, error) {
	return viewOf(ctx, s, func() (spaces.Space, error) {
		row, _, err := s.Rows.row(ctx, id)
		return row, err
	})
}

// row returns a space as it is stored, and whether it had to be read.
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
