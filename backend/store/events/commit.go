package events

import (
	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
	"weft/backend/store/blobs"
	"weft/backend/store/db"
	"weft/backend/store/permissions"
)

const (
	foldAt     = 64 << 10 // bytes in a space's journal at which it is folded
	foldEvents = 64       // events in it at which it is folded; this blocks other spaces for about a millisecond
)

// item is an [Append] in the writer's queue.
type item struct {
	Append
	size   int // approximate, in bytes
	space  *space
	events []transcript.Event
}

func newItem(a Append) *item {
	it := &item{Append: a, size: 256 * len(a.Bodies)}
	for _, b := range a.Bodies {
		it.size += bodySize(b)
	}
	for _, b := range a.Blobs {
		it.size += len(b.Data)
	}
	return it
}

// Size implements [db.Item].
func (it *item) Size() int { return it.size }

// bodySize returns the size of a body's text in bytes, or 0 for bodies without long texts.
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

// addition is what a transaction adds to one space.
type addition struct {
	space   *space
	events  []transcript.Event
	lines   []byte // their JSON, one per line
	folds   bool   // fold them into rows, together with the journal
	journal pending
}

// Commit implements [db.Batcher]. It stores the items in one transaction.
func (l *Log) Commit(w *db.Writer, items []db.Item) []error {
	errs, live := make([]error, len(items)), make([]*item, 0, len(items))
	additions, order := map[*space]*addition{}, []*addition(nil)
	durable, size := false, 0
	for i := range items {
		it := items[i].(*item) //nolint:forcetypeassert // Append submits nothing else
		add, err := l.stage(w.Conn(), it, additions, &order)
		if err != nil {
			errs[i] = err
			continue
		}
		live = append(live, it)
		size += it.size
		if ends(it.Bodies) {
			durable, add.folds = true, true
		}
	}
	if len(live) == 0 {
		return errs
	}
	taken, begun := 0, false
	err := w.Transaction(durable, func(c *db.Conn) error {
		if err := l.write(c, live, order, &taken); err != nil {
			return err
		}
		// From here on, readers may see the commit before this goroutine does.
		for _, add := range order {
			add.space.beginCommit(len(add.events))
		}
		begun = true
		return nil
	})
	if err == nil {
		l.journal.took(taken)
	}
	now, folds := l.db.Now(), 0
	for _, add := range order {
		switch {
		case err == nil && len(add.events) > 0:
			add.space.committed(add.events, len(add.lines), add.folds, now)
			if add.folds {
				folds++
				l.journal.release(&add.space.journal)
			} else {
				add.space.journal = add.journal
			}
			l.events.Add(int64(len(add.events)))
			l.bytes.Add(int64(len(add.lines)))
		case begun:
			add.space.abandonCommit()
		}
	}
	if err != nil {
		err = db.Wrap(err, "save the message")
		for i := range errs {
			if errs[i] == nil {
				errs[i] = err
			}
		}
	}
	w.Wrote(size, 2*len(order)+10*folds)
	if l.sweepAt < now {
		l.sweepAt = now + sweepEvery
		l.sweep(now)
	}
	return errs
}

// stage numbers and encodes the events of an item.
func (l *Log) stage(c *db.Conn, it *item, additions map[*space]*addition, order *[]*addition) (*addition, error) {
	sp, err := l.load(c, it.SpaceID)
	if err != nil {
		return nil, err
	}
	add := additions[sp]
	if add == nil {
		add = &addition{space: sp}
		additions[sp], *order = add, append(*order, add)
	}
	events, lines := make([]transcript.Event, 0, len(it.Bodies)), add.lines
	seq := sp.seq + int64(len(add.events))
	for _, body := range it.Bodies {
		seq++
		e := transcript.Event{Epoch: sp.epoch, Seq: seq, At: it.At, Body: body}
		line, err := e.JSON()
		if err != nil {
			return nil, fault.New(db.CodeInvalid, "Couldn't save the message: it can't be encoded.").Because(err)
		}
		lines = append(append(lines, line...), '\n')
		events = append(events, e)
	}
	add.lines, add.events = lines, append(add.events, events...)
	it.space, it.events = sp, events
	add.folds = add.folds || sp.pending+len(add.lines) > foldAt || seq-sp.folded > foldEvents
	return add, nil
}

// ends reports whether these events end a message or run, so that the commit must survive a power cut.
func ends(bodies []transcript.Body) bool {
	for _, b := range bodies {
		switch b.(type) {
		case *transcript.MessageEnd, *transcript.RunCompleted:
			return true
		}
	}
	return false
}

// write does the writes of the transaction. It adds the number of journal slots that it uses to taken.
func (l *Log) write(c *db.Conn, items []*item, order []*addition, taken *int) error {
	for _, it := range items {
		if len(it.Blobs)+len(it.Superseded) == 0 {
			continue
		}
		err := blobs.Apply(c, blobs.Change{Space: it.space.sid, MessageID: it.MessageID, Added: it.Blobs, Dropped: it.Superseded})
		if err != nil {
			return err
		}
	}
	for _, it := range items {
		if err := permissions.Record(c, it.Decisions, l.opt.MaxDecisions); err != nil {
			return err
		}
	}
	for _, add := range order {
		sp := add.space
		switch {
		case len(add.events) == 0:
		case add.folds:
			// The new events skip the journal.
			l.folds.Add(1)
			if err := l.addRows(c, sp.sid, sp.unfolded(), add.events); err != nil {
				return err
			}
		default:
			var err error
			if add.journal, err = l.journal.append(sp.journal, sp.epoch, sp.folded, add.lines, taken); err != nil {
				return err
			}
		}
	}
	return nil
}
