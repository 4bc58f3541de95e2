package store

import (
	"bytes"
	"context"

	"weft/backend/transcript"
)

// foldLeftovers folds the journals that the last session left. It runs before the writer starts.
func (w *writer) foldLeftovers() error {
	var sids []int64
	err := w.c.each("SELECT DISTINCT sid FROM journal", nil, func(scan func(...any) error) (bool, error) {
		var sid int64
		err := scan(&sid)
		sids = append(sids, sid)
		return true, err
	})
	if err != nil {
		return err
	}
	for _, sid := range sids {
		events, err := w.leftover(sid)
		if err != nil {
			return err
		}
		err = w.transaction(true, func() error {
			if err := w.rows.fold(sid, events); err != nil {
				return err
			}
			return w.c.exec("DELETE FROM journal WHERE sid = ?", sid)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) leftover(sid int64) (events []transcript.Event, err error) {
	err = w.c.each("SELECT data FROM journal WHERE sid = ? ORDER BY n", []any{sid}, func(scan func(...any) error) (bool, error) {
		var data []byte
		if err := scan(&data); err != nil {
			return false, err
		}
		for line := range bytes.Lines(data) {
			e, err := transcript.ParseEvent(bytes.TrimSuffix(line, []byte{'\n'}))
			if err != nil {
				// It was written by this program: a line that cannot be read is damage that the check did not see.
				w.s.opt.Log.Error().Err(err).Int64("sid", sid).Msg("an event of the journal cannot be read")
				continue
			}
			events = append(events, e)
		}
		return true, nil
	})
	return events, err
}

// Flush folds the journal of a space, so that its rows stand at its last event.
func (s *Store) Flush(ctx context.Context, spaceID string) error {
	var a *activeSpace
	var seq int64
	req := &request{do: func(c *conn) (err error) {
		if a, err = s.space(c, spaceID); err != nil {
			return err
		}
		seq = a.seq
		pending := a.unfolded()
		if len(pending) == 0 {
			return nil
		}
		if err := c.exec("DELETE FROM journal WHERE sid = ?", a.sid); err != nil {
			return err
		}
		return s.w.rows.fold(a.sid, pending)
	}, committed: func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.folded, a.pending = seq, 0
	}}
	return wrap(s.submit(ctx, req), "store what was said")
}
