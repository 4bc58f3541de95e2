package events

import (
	"context"
	"sync"

	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
	"weft/backend/store/spaces"
)

const (
	recentBytes = 512 << 10 // bytes of events that are kept per space
	maxRecent   = 32        // spaces whose events are kept
	idleAfter   = 5 * 60e3  // ms after the last append at which a space is forgotten
	sweepEvery  = 60e3      // ms
)

// space caches a space in use: a few numbers and its recent events, which always include those not folded yet.
type space struct {
	sid   int64
	id    string
	epoch int64

	journal pending // only the writer uses it

	mu         sync.Mutex // guards the fields below; only the writer changes them, except shown
	seq        int64      // of the last committed event
	folded     int64      // the last event in rows
	recent     []transcript.Event
	bytes      int       // JSON of recent
	pending    int       // JSON of the events after folded
	used       int64     // unix ms of the last append
	committing int64     // the last event of the commit in progress, 0 if there is none
	changed    sync.Cond // shown or committing has changed
	shown      int64     // the last event that was handed to OnCommit
}

func newSpace(sid int64, id string, epoch, seq int64) *space {
	sp := &space{sid: sid, id: id, epoch: epoch, seq: seq, folded: seq, shown: seq}
	sp.changed.L = &sp.mu
	return sp
}

// unfolded returns the committed events that are not in rows yet.
func (sp *space) unfolded() []transcript.Event {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	return sp.after(sp.folded)
}

// after returns the events after seq, which must be in recent. The caller holds mu.
func (sp *space) after(seq int64) []transcript.Event {
	return sp.recent[len(sp.recent)-int(sp.seq-seq):]
}

func (sp *space) head() int64 {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	return sp.seq
}

func (sp *space) since(epoch, seq int64) (events []transcript.Event, reset bool) {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	// Readers can see committed rows a moment before seq is set here.
	for epoch == sp.epoch && seq > sp.seq && seq <= sp.committing {
		sp.changed.Wait()
	}
	if epoch != sp.epoch || seq > sp.seq || seq < sp.seq-int64(len(sp.recent)) {
		return nil, true
	}
	return append([]transcript.Event(nil), sp.after(seq)...), false
}

// beginCommit records that events are about to be committed. The caller must then call committed or abandonCommit.
func (sp *space) beginCommit(events int) {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	sp.committing = sp.seq + int64(events)
}

func (sp *space) abandonCommit() {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	sp.committing = 0
	sp.changed.Broadcast()
}

// committed adds committed events.
func (sp *space) committed(events []transcript.Event, size int, folded bool, now int64) {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	sp.committing = 0
	sp.recent = append(sp.recent, events...)
	sp.seq += int64(len(events))
	sp.bytes += size
	sp.pending += size
	sp.used = now
	if folded {
		sp.folded, sp.pending = sp.seq, 0
	}
	sp.changed.Broadcast()
	drop := 0
	for keep := int(sp.seq - sp.folded); sp.bytes > recentBytes && len(sp.recent)-drop > keep; drop++ {
		sp.bytes -= jsonSize(&sp.recent[drop])
	}
	if drop > 0 {
		// Copying only when half is free keeps the cost per event constant.
		clear(sp.recent[:drop])
		sp.recent = sp.recent[drop:]
		if cap(sp.recent) > 2*len(sp.recent)+64 {
			sp.recent = append(make([]transcript.Event, 0, len(sp.recent)+32), sp.recent...)
		}
	}
}

// flushed records that all events are in rows.
func (sp *space) flushed() {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	sp.folded, sp.pending = sp.seq, 0
}

// forget drops the events that are in rows. The caller holds mu.
func (sp *space) forget() {
	sp.recent, sp.bytes = append([]transcript.Event(nil), sp.after(sp.folded)...), sp.pending
}

func jsonSize(e *transcript.Event) int {
	b, err := e.JSON()
	if err != nil {
		return 0
	}
	return len(b)
}

// show calls f for the events first to last, after all earlier events were shown and before any later ones.
func (sp *space) show(first, last int64, f func()) {
	sp.mu.Lock()
	for sp.shown != first-1 {
		sp.changed.Wait()
	}
	sp.mu.Unlock()
	defer func() {
		sp.mu.Lock()
		sp.shown = last
		sp.mu.Unlock()
		sp.changed.Broadcast()
	}()
	f()
}

// load returns a space from memory, or reads it with c, which must not be in an earlier read transaction. It finds
// deleted spaces, but not purged ones.
func (l *Log) load(c *db.Conn, id string) (*space, error) {
	for {
		l.mu.Lock()
		sp, drops := l.spaces[id], l.drops
		l.mu.Unlock()
		if sp != nil {
			return sp, nil
		}
		var sid, epoch, seq int64
		found, err := c.One("SELECT sid, epoch, folded_seq FROM space WHERE id = ? AND purging = 0", []any{id}, &sid, &epoch, &seq)
		if err != nil {
			return nil, db.Wrap(err, "find the conversation")
		}
		if !found {
			return nil, spaces.NotFound(id)
		}
		if sp := l.remember(newSpace(sid, id, epoch, seq), drops); sp != nil {
			return sp, nil
		}
	}
}

// remember adds a space to memory and returns it, or the one added in the meantime. A space that isn't in memory has no
// events in the journal. remember returns nil if a space was dropped since drops was read, because sp may then be
// outdated.
func (l *Log) remember(sp *space, drops int) *space {
	l.mu.Lock()
	defer l.mu.Unlock()
	if known := l.spaces[sp.id]; known != nil {
		return known
	}
	if l.drops != drops {
		return nil
	}
	l.spaces[sp.id] = sp
	return sp
}

func (l *Log) lookup(id string) (*space, error) {
	l.mu.Lock()
	sp := l.spaces[id]
	l.mu.Unlock()
	if sp != nil {
		return sp, nil
	}
	err := l.db.Read(context.Background(), "find the conversation", func(c *db.Conn) (err error) {
		sp, err = l.load(c, id)
		return err
	})
	return sp, err
}

// sweep forgets idle spaces and, if there are too many, the events of the least recently used ones. It keeps events
// that aren't in rows.
func (l *Log) sweep(now int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := 0
	for id, sp := range l.spaces {
		sp.mu.Lock()
		idle, has := now-sp.used > idleAfter, sp.bytes > sp.pending
		switch {
		case idle && sp.folded == sp.seq && sp.shown == sp.seq:
			delete(l.spaces, id)
			l.drops++
		case has && (idle || kept >= maxRecent):
			sp.forget()
		case has:
			kept++
		}
		sp.mu.Unlock()
	}
}

// Drop forgets a space that is being purged, so that appends to it fail. It must be called on the writer's goroutine.
func (l *Log) Drop(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if sp := l.spaces[id]; sp != nil {
		delete(l.spaces, id)
		l.journal.release(&sp.journal)
	}
	l.drops++
}
