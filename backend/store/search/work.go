package search

import (
	"context"
	"errors"
	"strconv"
	"time"

	"weft/backend/store/db"
	"weft/backend/store/rows"
)

// The background indexes in slices, between other writes.
const (
	quietSlice = 128 << 10 // bytes of text, while nothing else is written
	busySlice  = 8 << 10   // while something is; this blocks others for two milliseconds
	busyShare  = 12        // uses one of this many milliseconds while others write
	idlePoll   = 5 * time.Millisecond
)

// work indexes in the background until ctx ends.
func (x *Index) work(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-x.wake:
		}
		asked := x.asked.Load()
		for more := true; more; {
			var err error
			more, err = x.step(ctx)
			switch code := db.CodeOf(err); {
			case err == nil:
			case ctx.Err() != nil, code == db.CodeClosed, code == db.CodeCancelled:
				return
			default:
				// For example, a full disk. The next change wakes it again.
				x.log.Warn().Err(err).Msg("conversations could not be indexed for searching")
				more = false
			}
		}
		x.seen.Store(asked)
	}
}

// step indexes one slice, then pauses so that others can write.
func (x *Index) step(ctx context.Context) (more bool, err error) {
	commits := x.db.Stats().Commits
	if err := pause(ctx, idlePoll); err != nil {
		return false, err
	}
	busy := x.db.Stats().Commits > commits
	size := quietSlice
	if busy {
		size = busySlice
	}
	begun := time.Now()
	err = x.db.Background(ctx, "index the conversations", func(c *db.Conn) (err error) {
		if x.damaged.Load() {
			more = true
			return x.writer.restart(c)
		}
		if more, err = x.writer.slice(c, size); err != nil {
			return err
		}
		return x.writer.flush(c)
	})
	if errors.Is(err, errDamaged) {
		x.writer.forget()
		return true, nil
	}
	if err == nil && busy {
		err = pause(ctx, busyShare*time.Since(begun))
	}
	return more, err
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// slice indexes about size bytes of text: first noted units, then noted ranges. more is true if there is more to do.
func (w *indexer) slice(c *db.Conn, size int) (more bool, err error) {
	left := size
	if err := w.noted(c, &left); err != nil || left <= 0 {
		return err == nil, err
	}
	if err := w.ranges(c, &left); err != nil {
		return false, err
	}
	if left <= 0 {
		return true, nil
	}
	if err := w.joinWords(c); err != nil {
		return false, err
	}
	return w.x.cleaner.step(c)
}

// noted indexes the noted units that have ended.
func (w *indexer) noted(c *db.Conn, left *int) error {
	list, err := todo(c, "ORDER BY mid, seg, item LIMIT 2000")
	if err != nil {
		return err
	}
	var m message
	var ok bool
	for _, p := range list {
		if *left <= 0 {
			return nil
		}
		if m.mid != p.Mid {
			if m, ok, err = readMessage(c, p.Mid); err != nil {
				return err
			}
			m.mid = p.Mid
		}
		if !ok {
			if err := c.Exec("DELETE FROM search_todo WHERE mid = ?", p.Mid); err != nil {
				return err
			}
			continue
		}
		open, err := isOpen(c, &m, p)
		if err != nil {
			return err
		}
		if open {
			continue
		}
		*left -= 64
		if err := w.todo(c, &m, p, left); err != nil {
			return err
		}
	}
	return nil
}

// ranges indexes the messages of [Index.AddRange].
func (w *indexer) ranges(c *db.Conn, left *int) error {
	for *left > 0 {
		var lo, hi int64
		var seg int
		found, err := c.One("SELECT lo, hi, seg FROM search_range ORDER BY lo LIMIT 1", nil, &lo, &hi, &seg)
		if err != nil || !found {
			return err
		}
		if err := w.span(c, lo, hi, seg, left); err != nil {
			return err
		}
	}
	return nil
}

// span indexes the messages lo to hi, the first one from a segment on, and stores its progress.
func (w *indexer) span(c *db.Conn, lo, hi int64, seg int, left *int) error {
	mid, next := lo, seg
	for *left > 0 && mid <= hi {
		var found int64
		if _, err := c.One("SELECT coalesce(min(mid), 0) FROM message WHERE mid >= ? AND mid <= ?", []any{mid, hi}, &found); err != nil {
			return err
		}
		if found == 0 {
			mid, next = hi+1, -1
			break
		}
		if found != mid {
			mid, next = found, -1
		}
		*left -= 64
		m, ok, err := readMessage(c, mid)
		if err != nil {
			return err
		}
		if ok {
			if next, err = w.message(c, &m, next, left); err != nil {
				return err
			}
		}
		if !ok || next > m.last {
			mid, next = mid+1, -1
		}
	}
	if err := c.Exec("DELETE FROM search_range WHERE lo = ?", lo); err != nil || mid > hi {
		return err
	}
	return putRange(c, mid, hi, next)
}

// message indexes a message from a segment on, and returns the segment to continue with.
func (w *indexer) message(c *db.Conn, m *message, seg int, left *int) (next int, err error) {
	for ; seg <= m.last && *left > 0; seg++ {
		done := true
		switch {
		case seg < 0:
			if m.failed {
				done, err = w.missing(c, m, rows.At(m.mid, -1, -1), left)
			}
		default:
			done, err = w.segment(c, m, seg, left)
		}
		if err != nil || !done {
			return seg, err
		}
	}
	return seg, nil
}

// segment indexes the rest of a segment.
func (w *indexer) segment(c *db.Conn, m *message, seg int, left *int) (done bool, err error) {
	*left -= 16
	var isGroup bool
	if _, err := c.One("SELECT type = 'tool-group' FROM segment WHERE mid = ? AND idx = ?", []any{m.mid, seg}, &isGroup); err != nil {
		return false, err
	}
	if !isGroup {
		return w.missing(c, m, rows.At(m.mid, seg, -1), left)
	}
	// The last indexed item may be only partly indexed.
	var from int
	if _, err := c.One("SELECT coalesce(max(item), 0) FROM search_doc WHERE mid = ? AND seg = ?", []any{m.mid, seg}, &from); err != nil {
		return false, err
	}
	// Items without a text cost nothing, so that the next slice gets past them.
	for item := from; *left > 0; item++ {
		exists, err := c.One("SELECT 1 FROM item WHERE mid = ? AND seg = ? AND idx = ?", []any{m.mid, seg, item}, new(int))
		if err != nil || !exists {
			return err == nil, err
		}
		if done, err = w.missing(c, m, rows.At(m.mid, seg, item), left); err != nil || !done {
			return false, err
		}
	}
	return false, nil
}

// missing indexes the part of a unit that isn't indexed, or notes a unit that may still change.
func (w *indexer) missing(c *db.Conn, m *message, p rows.Location, left *int) (done bool, err error) {
	open, err := isOpen(c, m, p)
	if err != nil {
		return false, err
	}
	if open {
		return true, c.Exec("INSERT OR IGNORE INTO search_todo (mid, seg, item) VALUES (?, ?, ?)", p.Mid, p.Seg, p.Item)
	}
	indexed, err := c.One("SELECT 1 FROM search_doc WHERE mid = ? AND seg = ? AND item = ? LIMIT 1", []any{p.Mid, p.Seg, p.Item}, new(int))
	if err != nil {
		return false, err
	}
	if indexed {
		if text, err := isText(c, p); err != nil || !text {
			return true, err
		}
	}
	return w.index(c, m, p, false, left)
}

// restart drops the index, so that it is rebuilt.
func (w *indexer) restart(c *db.Conn) error {
	gen, err := generation(c)
	if err != nil {
		return err
	}
	// The old tables get no new rows, even if one of them can't be dropped.
	if err := db.PutMeta(c, generationKey, strconv.FormatInt(gen+1, 10)); err != nil {
		return err
	}
	names, err := db.List[string](c, "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%' AND name LIKE 'search\\_tokens\\_%' ESCAPE '\\'")
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := c.Script("DROP TABLE " + name); err != nil {
			w.x.log.Warn().Err(err).Str("table", name).Msg("a damaged part of the search index could not be dropped")
		}
	}
	for _, query := range []string{
		"DELETE FROM search_doc", "DELETE FROM search_todo", "DELETE FROM search_range", "DELETE FROM search_word",
		"INSERT INTO search_range (lo, hi) SELECT 1, max(mid) FROM message HAVING max(mid) IS NOT NULL",
	} {
		if err := c.Exec(query); err != nil {
			return err
		}
	}
	w.forget()
	w.known = known{}
	w.x.words.again()
	w.x.restarts.Add(1)
	w.x.damaged.Store(false)
	return nil
}
