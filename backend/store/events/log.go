package events

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/rs/zerolog"

	"weft/backend/store/db"
	"weft/backend/store/permissions"
	"weft/backend/store/rows"
	"weft/backend/store/search"
	"weft/backend/transcript"
)

// Options are what a log needs from its owner.
type Options struct {
	Log zerolog.Logger
	// OnCommit is called with the events of each append, see the package comment. Calls for different spaces may overlap. It must
	// not append to the same space.
	OnCommit func(spaceID string, events []transcript.Event)
	// Index notes what is folded.
	Index *search.Index
	// MaxDecisions is how many permission decisions are kept, 0 for [permissions.MaxDecisions].
	MaxDecisions int64
}

// Log is the sequence of events of each space. Its methods are safe for concurrent use.
type Log struct {
	db  *db.DB
	opt Options

	// The writer's goroutine owns these.
	fold    *rows.Fold
	journal journal
	sweepAt int64 // unix ms of the next sweep

	mu     sync.Mutex
	spaces map[string]*space // by id
	drops  int               // how many were dropped

	events, bytes, folds atomic.Int64
}

// Open returns the log in d, which must not be started yet, and starts d after that with the log as its Batcher. It folds what the
// journal has left, and returns how many events that were.
func Open(d *db.DB, opt Options) (l *Log, leftovers int, err error) {
	c := d.Writer().Conn()
	l = &Log{db: d, opt: opt, fold: rows.New(c), journal: journal{c: c}, spaces: map[string]*space{}}
	leftovers, err = l.foldLeftovers(d.Writer())
	if err != nil {
		return nil, 0, db.Wrap(err, "read the conversations of the last session")
	}
	return l, leftovers, nil
}

// Append is what one call of [Log.Append] adds to a space.
type Append struct {
	SpaceID string
	At      int64 // unix ms, the time of all the events
	Bodies  []transcript.Body
	// Blobs are the payloads that the bodies refer to, one entry per reference. Superseded are the hashes that MessageID (or, if
	// that is empty, the space) refers to once less. A blob that nobody refers to is deleted.
	Blobs      []transcript.Blob
	Superseded []string
	MessageID  string
	// Decisions are permission decisions to store in the same transaction.
	Decisions []permissions.Decision
}

// Append stores bodies as the next events of a space and returns them with their numbers.
//
// It blocks until they are committed and OnCommit has returned. A commit usually takes well below a millisecond, and a disk flush
// more when a message or a run ends. The package comment says what else an append waits for; there is no limit to the time that a
// slow disk takes. If another program holds the database for more than 5 seconds, Append fails with the code locked.
//
// The context ends the wait only until the append is accepted, which is at once unless 128 requests are waiting. From then on it
// runs to its end. Appends of one goroutine are stored in the order of the calls, so a caller needs no lock to keep its order.
//
// Codes of errors: not_found (no such space, or it is being purged), disk_full, locked, read_only, damaged, io, invalid, closed,
// cancelled (ctx ended before it was accepted). After an error nothing was stored, nothing is kept in memory and no number was
// used; the same append can be repeated, for instance when there is space on the disk again.
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

// Since returns the events after seq, in order. reset reports that they are not kept one by one any more, or that epoch is not the
// present one; the caller then needs a new snapshot. For spaces in use it does not read the database. If seq is that of events
// that are being committed it waits for the commit, otherwise it never waits for one. The error has the code not_found.
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

// Flush folds the journal of a space, so that its rows have all of its events. It blocks like a [db.DB.Change], but waits for no disk: after a
// power cut the journal has the events still.
func (l *Log) Flush(ctx context.Context, spaceID string) error {
	committed := func() {}
	return l.db.AgainThen(ctx, "save the message", func(c *db.Conn) (err error) {
		_, committed, err = l.FoldPending(c, spaceID)
		return err
	}, func() { committed() })
}

// FlushAll folds the journals of all spaces that have something in them, and returns at once if none has. It is as durable as
// Flush.
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

// FoldPending folds the journal of a space into rows, within a change, and returns the sid of the space. The caller must call
// committed when the change is committed, with [db.DB.ChangeThen].
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

// addRows folds events into rows, and has the index note what they change.
func (l *Log) addRows(c *db.Conn, sid int64, lists ...[]transcript.Event) error {
	if err := l.fold.Add(sid, lists...); err != nil {
		return err
	}
	return l.opt.Index.Folded(c, l.fold.Touched())
}

// Fold returns the fold that writes the rows. Only changes may use it, for events that never were in the journal.
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
