package store

import (
	"context"

	"weft/backend/transcript"
)

// foldLeftovers folds the journals that the last session left and answers how many events
// they had. It runs before the writer starts.
func (w *writer) foldLeftovers() (n int, err error) {
	slots, err := w.journal.load()
	if err != nil {
		return 0, err
	}
	type space struct{ sid, epoch, folded int64 }
	var spaces []space
	err = w.c.each("SELECT sid, epoch, folded_seq FROM space", nil, func(scan func(...any) error) (bool, error) {
		var sp space
		err := scan(&sp.sid, &sp.epoch, &sp.folded)
		spaces = append(spaces, sp)
		return true, err
	})
	damaged := false
	for _, sp := range spaces {
		left := slots[[2]int64{sp.epoch, sp.folded}]
		if err != nil || len(left) == 0 {
			continue
		}
		events, unread := slotEvents(left)
		if unread > 0 {
			damaged = true
			w.s.opt.Log.Error().Int("lines", unread).Int64("sid", sp.sid).Msg("events of the journal cannot be read")
		}
		n += len(events)
		err = w.transaction(true, func() error { return w.rows.fold(sp.sid, events) })
	}
	if damaged && err == nil {
		// Slots that were not read could be taken for what is appended next.
		w.journal = journal{c: w.c}
		err = w.c.exec("DELETE FROM journal")
	}
	if err != nil {
		return n, err
	}
	return n, w.renewEpochs()
}

// renewEpochsKey asks, in meta, for new epochs: whoever knows a recovered space by its
// sequence numbers must read it anew. Its journal is known by the old one, so that is folded first.
const renewEpochsKey = "renew_epochs"

func (w *writer) renewEpochs() error {
	found, err := w.c.one("SELECT 1 FROM meta WHERE key = ?", []any{renewEpochsKey}, new(int))
	if err != nil || !found {
		return err
	}
	return w.transaction(true, func() error {
		var sids []int64
		err := w.c.each("SELECT sid FROM space", nil, func(scan func(...any) error) (bool, error) {
			var sid int64
			err := scan(&sid)
			sids = append(sids, sid)
			return true, err
		})
		for _, sid := range sids {
			if err == nil {
				err = w.c.exec("UPDATE space SET epoch = ? WHERE sid = ?", newEpoch(), sid)
			}
		}
		if err != nil {
			return err
		}
		return w.c.exec("DELETE FROM meta WHERE key = ?", renewEpochsKey)
	})
}

// Flush folds the journal of a space, so that its rows stand at its last event.
func (s *Store) Flush(ctx context.Context, spaceID string) error {
	var a *activeSpace
	var left []transcript.Event
	req := &request{do: func(c *conn) (err error) {
		if a, err = s.space(c, spaceID); err != nil {
			return err
		}
		if left = a.unfolded(); len(left) == 0 {
			return nil
		}
		return s.w.rows.fold(a.sid, left)
	}, committed: func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.folded, a.pending = a.seq, 0
		s.w.journal.release(&a.journal)
	}}
	return wrap(s.submit(ctx, req), "store what was said")
}
