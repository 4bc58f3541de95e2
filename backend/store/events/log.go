package events

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/rs/zerolog"

	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
	"weft/backend/store/permissions"
	"weft/backend/store/rows"
	"weft/backend/store/search"
)

// Options configures [Open].
type Options struct {
	Log zerolog.Logger
	// OnCommit is called with the events of each append, see the package comment. Calls for different spaces may overlap.
	// It must not append to the same space.
	OnCommit func(spaceID string, events []transcript.Event)
	// Index indexes folded events for searching.
	Index *search.Index
	// MaxDecisions is the number of permission decisions to keep; 0 means [permissions.MaxDecisions].
	MaxDecisions int64
}

// Log is the sequence of events of each space. Its methods are safe for concurrent use.
type Log struct {
	db  *db.DB
	opt Options

	// Only the writer's goroutine uses these.
	fold    *rows.Fold
	journal journal
	sweepAt int64 // unix ms of the next sweep

	mu     sync.Mutex
	spaces map[string]*space // by id
	drops  int               // number of dropped spaces

	events, bytes, folds atomic.Int64
}

// Open returns the log of d. The caller must start d afterwards, with the log as its Batcher. Open folds the events
// left in the journal; leftovers is their number.
func Open(d *db.DB, opt Options) (l *Log, leftovers int, err error) {
	c := d.Writer().Conn()
	l = &Log{db: d, opt: opt, fold: rows.New(c), journal: journal{c: c}, spaces: map[string]*space{}}
	leftovers, err = l.foldLeftovers(d.Writer())
	if err != nil {
		return nil, 0, db.Wrap(err, "read the conversations of the last session")
	}
	return l, leftovers, nil
}

// Append describes what [Log.Append] adds to a space.
type Append struct {
	SpaceID string
	At      int64 // unix ms, the time of all the events
	Bodies  []transcript.Body
	// Blobs are the payloads that the bodies refer to, one entry per reference. Superseded has a hash for each
	// reference that MessageID (or, if that is empty, the space) drops. A blob without references is deleted.
	Blobs      []transcript.Blob
	Superseded []string
	MessageID  string
	// Decisions are permission decisions to store in the same transaction.
	Decisions []permissions.Decision
}

// Append stores bodies as the next events of a space and returns them with their numbers.
//
// It blocks until they are committed and OnCommit has returned. A commit usually takes well under a millisecond, plus a
// disk flush if a message or a run ends. See the package comment for what else an append waits for. A slow disk can
// delay it without limit. If another program locks the database for more than 5 seconds, Append fails with the code
// locked.
//
// The context can cancel an append only until it is accepted, which is immediate unless 128 requests are waiting. After
// that, the append always completes. Appends of one goroutine are stored in call order, so they need no lock.
//
// Error codes: not_found (no such space, or it is being purged), disk_full, locked, read_only, damaged, io, invalid,
// closed, cancelled (ctx ended before it was accepted). After an error, nothing is stored or kept in memory and no
// number is used, so the append can be retried, for example once the disk has space again.
func (l *Log) Append(ctx context.Context, a Append) ([]transcript.Event, error) {
	if len(a.Bodies) == 0 && len(a.Blobs) == 0 && len(a.Superseded) == 0 && len(a.Decisions) == 0 {
		return nil, nil
	}
	it := newItem(a)
	if err := l.db.Batch(ctx, it); err != nil {
		return nil, err
	}
	if n := len(it.events); n > 0 {
		it.space.show(it.events[0].Seq, it.events[n-1].Seq, func() {
			if l.opt.OnCommit != nil {
				l.opt.OnCommit(a.SpaceID, it.events)
			}
		})
	}
	return it.events, nil
}

// Since returns the events after seq, in order. reset is true if some of them are no longer in memory, or if epoch is
// outdated; the caller then needs a new snapshot. For spaces in use, Since doesn't read the database. It waits for a
// commit in progress only if seq is one of its events. The error has the code not_found if there is no such space.
func (l *Log) Since(spaceID string, epoch, seq int64) (events []transcript.Event, reset bool, err error) {
	sp, err := l.lookup(spaceID)
	if err != nil {
		return nil, false, err
	}
	events, reset = sp.since(epoch, seq)
	return events, reset, nil
}

// Head returns the epoch of a space and the number of its last event. It never waits for a commit.
func (l *Log) Head(spaceID string) (epoch, seq int64, err error) {
	sp, err := l.lookup(spaceID)
	if err != nil {
		return 0, 0, err
	}
	return sp.epoch, sp.head(), nil
}

// Flush folds the journal of a space into rows. It blocks like a [db.DB.Change] but skips the disk flush, because after
// a power cut the journal still has the events.
func (l *Log) Flush(ctx context.Context, spaceID string) error {
	committed := func() {}
	return l.db.AgainThen(ctx, "save the message", func(c *db.Conn) (err error) {
		_, committed, err = l.FoldPending(c, spaceID)
		return err
	}, func() { committed() })
}

// FlushAll folds all journals that have events, and returns immediately if none has. It is as durable as Flush.
func (l *Log) FlushAll(ctx context.Context) error {
	l.mu.Lock()
	var ids []string
	for id, sp := range l.spaces {
		if len(sp.unfolded()) > 0 {
			ids = append(ids, id)
		}
	}
	l.mu.Unlock()
	var all []func()
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	return l.db.AgainThen(ctx, "save the message", func(c *db.Conn) error {
		all = nil
		for _, id := range ids {
			_, committed, err := l.FoldPending(c, id)
			if err != nil && db.CodeOf(err) != db.CodeNotFound {
				return err
			}
			if err == nil {
				all = append(all, committed)
			}
		}
		return nil
	}, func() {
		for _, committed := range all {
			committed()
		}
	})
}

// FoldPending folds the journal of a space into rows within a change, and returns the sid of the space. The caller must
// call committed after the commit; see [db.DB.ChangeThen].
func (l *Log) FoldPending(c *db.Conn, spaceID string) (sid int64, committed func(), err error) {
	sp, err := l.load(c, spaceID)
	if err != nil {
		return 0, nil, err
	}
	if pending := sp.unfolded(); len(pending) > 0 {
		if err := l.addRows(c, sp.sid, pending); err != nil {
			return 0, nil, err
		}
	}
	return sp.sid, func() {
		sp.flushed()
		l.journal.release(&sp.journal)
	}, nil
}

// addRows folds events into rows and passes the changes to the index.
func (l *Log) addRows(c *db.Conn, sid int64, lists ...[]transcript.Event) error {
	if err := l.fold.Add(sid, lists...); err != nil {
		return err
	}
	return l.opt.Index.Folded(c, l.fold.Touched())
}

// Fold returns the fold that writes the rows. Use it only within a change, for events that skip the journal.
func (l *Log) Fold() *rows.Fold { return l.fold }

// Forget implements [db.Batcher].
func (l *Log) Forget() {
	l.fold.Forget()
	l.opt.Index.Forget()
}

// Stats are counters since the log was opened.
type Stats struct {
	Events     int64
	EventBytes int64 // JSON of events
	Folds      int64
}

// Stats returns the counters.
func (l *Log) Stats() Stats {
	return Stats{Events: l.events.Load(), EventBytes: l.bytes.Load(), Folds: l.folds.Load()}
}
