package store

import (
	"sync"

	"weft/backend/transcript"
)

const (
	foldAt      = 64 << 10  // bytes of unfolded events at which they are folded
	foldEvents  = 64        // their number at which they are: a millisecond for which others wait
	recentBytes = 512 << 10 // of the events kept per space
	maxRecent   = 32        // spaces whose events are kept
	idleAfter   = 5 * 60e3  // ms after which they are dropped
)

// activeSpace is what is remembered of a space that was written or watched: numbers, and its
// recent events. The unfolded ones are always among them.
type activeSpace struct {
	sid   int64
	id    string
	epoch int64

	journal pending // the writer's

	mu      sync.Mutex // guards what follows; the writer is the only one to change it
	seq     int64      // of the last committed event
	folded  int64      // the rows stand at this event
	recent  []transcript.Event
	bytes   int       // JSON of recent
	pending int       // JSON of those after folded
	used    int64     // unix ms of the last append
	turn    sync.Cond // told when shown has moved
	shown   int64     // of the last event that was handed to OnCommit
}

func newActiveSpace(sid int64, id string, epoch, seq int64) *activeSpace {
	a := &activeSpace{sid: sid, id: id, epoch: epoch, seq: seq, folded: seq, shown: seq}
	a.turn.L = &a.mu
	return a
}

// unfolded answers the committed events that are not in the rows yet.
func (a *activeSpace) unfolded() []transcript.Event {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.after(a.folded)
}

// after answers the events after seq; a.mu is held and they are all in recent.
func (a *activeSpace) after(seq int64) []transcript.Event {
	return a.recent[len(a.recent)-int(a.seq-seq):]
}

// committed adds events that are in the file now; a.mu is held.
func (a *activeSpace) committed(events []transcript.Event, size int, folded bool, now int64) {
	a.recent = append(a.recent, events...)
	a.seq += int64(len(events))
	a.bytes += size
	a.pending += size
	a.used = now
	if folded {
		a.folded, a.pending = a.seq, 0
	}
	drop := 0
	for keep := int(a.seq - a.folded); a.bytes > recentBytes && len(a.recent)-drop > keep; drop++ {
		a.bytes -= jsonSize(&a.recent[drop])
	}
	if drop > 0 {
		// Copying only when half is free keeps the cost per event constant.
		clear(a.recent[:drop])
		a.recent = a.recent[drop:]
		if cap(a.recent) > 2*len(a.recent)+64 {
			a.recent = append(make([]transcript.Event, 0, len(a.recent)+32), a.recent...)
		}
	}
}

// forget drops the events that the rows have.
func (a *activeSpace) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	keep := append([]transcript.Event(nil), a.after(a.folded)...)
	a.recent, a.bytes = keep, a.pending
}

func jsonSize(e *transcript.Event) int {
	b, err := e.JSON()
	if err != nil {
		return 0
	}
	return len(b)
}

// show calls f for the events first to last, after everything before them was shown and
// before anything after.
func (a *activeSpace) show(first, last int64, f func()) {
	a.mu.Lock()
	for a.shown != first-1 {
		a.turn.Wait()
	}
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		a.shown = last
		a.mu.Unlock()
		a.turn.Broadcast()
	}()
	f()
}

// space answers what is remembered of a space, loading it from c if it is not yet. Deleted
// spaces are found too; purged ones are not.
func (s *Store) space(c *conn, id string) (*activeSpace, error) {
	s.mu.Lock()
	a := s.active[id]
	s.mu.Unlock()
	if a != nil {
		return a, nil
	}
	var sid, epoch, seq int64
	found, err := c.one("SELECT sid, epoch, folded_seq FROM space WHERE id = ? AND purging = 0", []any{id}, &sid, &epoch, &seq)
	if err != nil {
		return nil, wrap(err, "find the conversation")
	}
	if !found {
		return nil, noSpace(id)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.active[id]; a != nil {
		return a, nil
	}
	// Nothing of it was written since the start (else it were active), so its journal is empty.
	a = newActiveSpace(sid, id, epoch, seq)
	s.active[id] = a
	return a, nil
}

func noSpace(id string) error {
	return fail(CodeNotFound, "There is no conversation %q (any more).", id)
}

// sweep drops the recent events of spaces that nobody has written to for a while, or of
// the ones used longest ago if there are too many.
func (s *Store) sweep(now int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var kept int
	for _, a := range s.active {
		a.mu.Lock()
		has, idle := a.bytes > a.pending, now-a.used > idleAfter
		a.mu.Unlock()
		if has && (idle || kept >= maxRecent) {
			a.forget()
		} else if has {
			kept++
		}
	}
}

// Since answers the events after seq, in order. reset is true if they are not kept one by one any
// more, or epoch is another: then a snapshot has to be taken anew. It does not touch the disk for
// spaces in use. The error is not_found.
func (s *Store) Since(spaceID string, epoch, seq int64) (events []transcript.Event, reset bool, err error) {
	a, err := s.lookup(spaceID)
	if err != nil {
		return nil, false, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if epoch != a.epoch || seq > a.seq || seq < a.seq-int64(len(a.recent)) {
		return nil, true, nil
	}
	return append([]transcript.Event(nil), a.after(seq)...), false, nil
}

// Head answers the epoch of a space and the number of its last event.
func (s *Store) Head(spaceID string) (epoch, seq int64, err error) {
	a, err := s.lookup(spaceID)
	if err != nil {
		return 0, 0, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.epoch, a.seq, nil
}

func (s *Store) lookup(spaceID string) (*activeSpace, error) {
	s.mu.Lock()
	a := s.active[spaceID]
	s.mu.Unlock()
	if a != nil {
		return a, nil
	}
	err := s.read(func(c *conn) (err error) {
		a, err = s.space(c, spaceID)
		return err
	})
	return a, err
}
