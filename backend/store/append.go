package store

import (
	"context"

	"weft/backend/transcript"
)

// Append is what one call of [Store.Append] adds to a space.
type Append struct {
	SpaceID string
	At      int64 // unix ms, the time of all the events
	Bodies  []transcript.Body
	// Blobs are the payloads that the bodies refer to, one entry per reference;
	// Superseded the hashes that MessageID (or, if that is empty, the space) refers to
	// once less. A blob that nobody refers to is deleted.
	Blobs      []transcript.Blob
	Superseded []string
	MessageID  string
	// Decisions about permissions that the bodies tell of.
	Decisions []Decision
}

// staged is an Append on its way through the writer.
type staged struct {
	Append
	size   int // about, in bytes
	space  *activeSpace
	events []transcript.Event
}

// Append stores bodies as the next events of a space and answers them numbered. It
// blocks until they are committed and handed to OnCommit. Once accepted it runs to its end,
// whatever happens to ctx.
//
// The codes of its errors: not_found (no such space, or purged), disk_full, locked,
// read_only, damaged, invalid, closed, cancelled (ctx ended before it was accepted). After an error nothing was stored and no number
// used; the same append can be tried again.
func (s *Store) Append(ctx context.Context, a Append) ([]transcript.Event, error) {
	if len(a.Bodies) == 0 && len(a.Blobs) == 0 && len(a.Superseded) == 0 && len(a.Decisions) == 0 {
		return nil, nil
	}
	st := &staged{Append: a, size: 256 * len(a.Bodies)}
	for _, b := range a.Bodies {
		st.size += bodySize(b)
	}
	for _, b := range a.Blobs {
		st.size += len(b.Data)
	}
	if err := s.submit(ctx, &request{append: st}); err != nil {
		return nil, err
	}
	if n := len(st.events); n > 0 {
		st.space.show(st.events[0].Seq, st.events[n-1].Seq, func() {
			if s.opt.OnCommit != nil {
				s.opt.OnCommit(a.SpaceID, st.events)
			}
		})
	}
	return st.events, nil
}

// bodySize is about how much a body holds, where that can be much.
func bodySize(b transcript.Body) int {
	switch b := b.(type) {
	case *transcript.TextDelta:
		return len(b.Content)
	case *transcript.ReasoningDelta:
		return len(b.Content)
	case *transcript.ToolInputDelta:
		return len(b.Delta)
	case *transcript.ToolOutputDelta:
		return len(b.Delta)
	}
	return 0
}

// fresh is what a transaction adds to one space.
type fresh struct {
	space  *activeSpace
	events []transcript.Event
	lines  []byte // their JSON, one a line
	folds  bool

	journal pending // what the space's journal becomes
}

// serveAppends commits a group of appends in one transaction and answers each.
func (w *writer) serveAppends(group []*request) {
	spaces, order, live := map[*activeSpace]*fresh{}, []*fresh(nil), group[:0:0]
	full, size := false, 0
	for _, req := range group {
		f, err := w.stage(req.append, spaces, &order)
		if err != nil {
			req.err = err
			close(req.done)
			continue
		}
		live = append(live, req)
		size += req.append.size
		if ends(req.append.Bodies) {
			full, f.folds = true, true
		}
	}
	if len(live) == 0 {
		return
	}
	now := w.s.opt.Now().UnixMilli()
	locked, folds := false, 0
	w.taken = 0
	err := w.transaction(full, func() error {
		if err := w.write(live, order); err != nil {
			return err
		}
		// From here on readers may see the commit: whoever asks for what came since waits for it.
		for _, f := range order {
			f.space.mu.Lock()
		}
		locked = true
		return nil
	})
	if err == nil {
		w.journal.took(w.taken)
	}
	for _, f := range order {
		if err == nil && len(f.events) > 0 {
			f.space.committed(f.events, len(f.lines), f.folds, now)
			if f.folds {
				folds++
				w.journal.release(&f.space.journal)
			} else {
				f.space.journal = f.journal
			}
			w.s.stats.events.Add(int64(len(f.events)))
			w.s.stats.eventBytes.Add(int64(len(f.lines)))
		}
		if locked {
			f.space.mu.Unlock()
		}
	}
	for _, req := range live {
		req.err = wrap(err, "store what was said")
		close(req.done)
	}
	w.wrote(size + frame*(2*len(order)+10*folds))
	if w.sweepAt < now {
		w.sweepAt = now + 60e3
		w.s.sweep(now)
	}
}

// stage numbers and encodes the events of one append.
func (w *writer) stage(st *staged, spaces map[*activeSpace]*fresh, order *[]*fresh) (*fresh, error) {
	a, err := w.s.space(w.c, st.SpaceID)
	if err != nil {
		return nil, err
	}
	f := spaces[a]
	if f == nil {
		f = &fresh{space: a}
		spaces[a], *order = f, append(*order, f)
	}
	events, lines := make([]transcript.Event, 0, len(st.Bodies)), f.lines
	seq := a.seq + int64(len(f.events))
	for _, body := range st.Bodies {
		seq++
		e := transcript.Event{Epoch: a.epoch, Seq: seq, At: st.At, Body: body}
		line, err := e.JSON()
		if err != nil {
			return nil, &Error{Code: CodeInvalid, Message: "Could not store what was said: it cannot be encoded.", Err: err}
		}
		lines = append(append(lines, line...), '\n')
		events = append(events, e)
	}
	f.lines, f.events = lines, append(f.events, events...)
	st.space, st.events = a, events
	f.folds = f.folds || a.pending+len(f.lines) > foldAt || seq-a.folded > foldEvents
	return f, nil
}

// ends reports whether something ends with these events that a power cut must not undo.
func ends(bodies []transcript.Body) bool {
	for _, b := range bodies {
		switch b.(type) {
		case *transcript.MessageEnd, *transcript.RunCompleted:
			return true
		}
	}
	return false
}

// write is the content of the transaction of a group.
func (w *writer) write(group []*request, order []*fresh) error {
	if err := w.writeBlobs(group); err != nil {
		return err
	}
	for _, req := range group {
		if err := w.writeDecisions(req.append.Decisions); err != nil {
			return err
		}
	}
	for _, f := range order {
		switch {
		case len(f.events) == 0:
		case f.folds:
			if err := w.fold(f); err != nil {
				return err
			}
		default:
			a := f.space
			var err error
			if f.journal, err = w.journal.append(a.journal, a.epoch, a.folded, f.lines, &w.taken); err != nil {
				return err
			}
		}
	}
	return nil
}

// fold puts the journal of a space and what is added to it into rows. What is added never sees
// the journal.
func (w *writer) fold(f *fresh) error {
	w.s.stats.folds.Add(1)
	return w.rows.fold(f.space.sid, f.space.unfolded(), f.events)
}
