package events

import (
	"weft/backend/store/db"
	"weft/backend/store/schema"
	"weft/backend/store/spaces"
)

// foldLeftovers folds the events that the previous process left in the journal and returns their number.
func (l *Log) foldLeftovers(w *db.Writer) (n int, err error) {
	c := w.Conn()
	slots, err := l.journal.load()
	if err != nil {
		return 0, err
	}
	type state struct{ sid, epoch, folded int64 }
	var list []state
	err = c.Each("SELECT sid, epoch, folded_seq FROM space", nil, func(scan db.Scan) (bool, error) {
		var sp state
		err := scan(&sp.sid, &sp.epoch, &sp.folded)
		list = append(list, sp)
		return true, err
	})
	damaged := false
	for _, sp := range list {
		left := slots[[2]int64{sp.epoch, sp.folded}]
		if err != nil || len(left) == 0 {
			continue
		}
		events, unread := slotEvents(left)
		if unread > 0 {
			damaged = true
			l.opt.Log.Error().Int("lines", unread).Int64("sid", sp.sid).Msg("some events of the journal are damaged")
		}
		n += len(events)
		err = w.Transaction(true, func(c *db.Conn) error { return l.addRows(c, sp.sid, events) })
	}
	if damaged && err == nil {
		// Unread slots could later be mistaken for newly appended events.
		l.journal = journal{c: c}
		err = c.Exec("DELETE FROM journal")
	}
	if err != nil {
		return n, err
	}
	return n, renewEpochs(w)
}

// renewEpochs gives all spaces new epochs after a recovery. The journal must be folded first, because its slots refer
// to the old epochs.
func renewEpochs(w *db.Writer) error {
	found, err := w.Conn().One("SELECT 1 FROM meta WHERE key = ?", []any{schema.RenewEpochs}, new(int))
	if err != nil || !found {
		return err
	}
	return w.Transaction(true, func(c *db.Conn) error {
		sids, err := db.List[int64](c, "SELECT sid FROM space")
		for _, sid := range sids {
			if err == nil {
				err = c.Exec("UPDATE space SET epoch = ? WHERE sid = ?", spaces.NewEpoch(), sid)
			}
		}
		if err != nil {
			return err
		}
		return c.Exec("DELETE FROM meta WHERE key = ?", schema.RenewEpochs)
	})
}
