package rows

import (
	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
)

// flush writes what the fold has collected, each row once.
func (f *changes) flush() error {
	for _, s := range f.fresh {
		if err := f.insertSegment(s); err != nil {
			return err
		}
	}
	for _, it := range f.items {
		if it.call != nil {
			continue // written with the calls below
		}
		first, at := f.beginning(TextKey{it.Location, Text})
		if err := f.conn.Exec("INSERT INTO item (mid, seg, idx, parent, started_at, ended_at, text) VALUES (?, ?, ?, ?, ?, ?, ?)",
			it.Mid, it.Seg, it.Item, it.parent, it.started, at, first); err != nil {
			return err
		}
	}
	for _, c := range f.dirty {
		if err := f.writeCall(c); err != nil {
			return err
		}
	}
	for _, key := range f.order {
		if err := f.writeText(key, f.texts[key]); err != nil {
			return err
		}
	}
	for _, key := range f.countKeys {
		if n := f.counts[key]; n != 0 {
			if err := f.conn.Exec(`INSERT INTO group_count (mid, seg, what, name, n) VALUES (?, ?, ?, ?, ?)
				ON CONFLICT DO UPDATE SET n = n + excluded.n`, key.Mid, key.Seg, key.kind, key.name, n); err != nil {
				return err
			}
		}
	}
	f.begin()
	return nil
}

func (f *changes) insertSegment(s *freshSegment) error {
	var first, display []byte
	switch s.typ {
	case transcript.SegmentText:
		first, _ = f.beginning(TextKey{Location{s.Mid, s.Seg, -1}, Text})
	case transcript.SegmentDisplay:
		var err error
		if display, err = db.Encode(s.display); err != nil {
			return err
		}
	case transcript.SegmentToolGroup:
	}
	return f.conn.Exec("INSERT INTO segment (mid, idx, type, author, parent, text, display) VALUES (?, ?, ?, ?, ?, ?, ?)",
		s.Mid, s.Seg, string(s.typ), s.author, s.parent, first, display)
}

// beginning cuts off the part of a text that is stored in the row of its segment or thought.
func (f *changes) beginning(key TextKey) (first []byte, at int64) {
	t := f.texts[key]
	if t == nil || !t.fresh {
		return nil, 0
	}
	n := min(len(t.buf), MaxPart)
	first, t.buf = t.buf[:n:n], t.buf[n:]
	f.lengths[key] = int64(n)
	return first, t.at
}

// writeText stores what the fold adds to a text, as parts.
func (f *changes) writeText(key TextKey, t *text) error {
	if len(t.buf) == 0 {
		return nil
	}
	pos, err := f.length(key)
	if err != nil {
		return err
	}
	for buf := t.buf; len(buf) > 0; {
		n := min(len(buf), MaxPart)
		if key.Item < 0 {
			err = f.conn.Exec("INSERT INTO text_part (mid, seg, pos, text) VALUES (?, ?, ?, ?)", key.Mid, key.Seg, pos, buf[:n])
		} else {
			err = f.conn.Exec("INSERT INTO item_part (mid, seg, item, what, pos, at, text) VALUES (?, ?, ?, ?, ?, ?, ?)",
				key.Mid, key.Seg, key.Item, key.What, pos, t.at, buf[:n])
		}
		if err != nil {
			return err
		}
		pos += int64(n)
		buf = buf[n:]
	}
	f.lengths[key] = pos
	return nil
}

// length returns the number of bytes of a text that are in rows.
func (f *changes) length(key TextKey) (n int64, err error) {
	if n, known := f.lengths[key]; known {
		return n, nil
	}
	switch {
	case key.Item < 0:
		_, err = f.conn.One(`SELECT coalesce(
			(SELECT pos + length(text) FROM text_part WHERE mid = ?1 AND seg = ?2 ORDER BY pos DESC LIMIT 1),
			(SELECT length(text) FROM segment WHERE mid = ?1 AND idx = ?2), 0)`, []any{key.Mid, key.Seg}, &n)
	default:
		_, err = f.conn.One(`SELECT coalesce(
			(SELECT pos + length(text) FROM item_part WHERE mid = ?1 AND seg = ?2 AND item = ?3 AND what = ?4 ORDER BY pos DESC LIMIT 1),
			(SELECT length(text) FROM item WHERE ?4 = 0 AND mid = ?1 AND seg = ?2 AND idx = ?3), 0)`,
			[]any{key.Mid, key.Seg, key.Item, key.What}, &n)
	}
	return n, err
}

// writeCall writes the changed parts of a call.
func (f *changes) writeCall(c *callRow) error {
	head, body := split(&c.call)
	b, err := db.Encode(&head)
	if err != nil {
		return err
	}
	if c.isNew {
		err = f.conn.Exec("INSERT INTO item (mid, seg, idx, kind, status, head) VALUES (?, ?, ?, ?, ?, ?)", c.Mid, c.Seg, c.Item, c.kind, c.status, b)
	} else {
		err = f.conn.Exec("UPDATE item SET kind = ?, status = ?, head = ? WHERE mid = ? AND seg = ? AND idx = ?", c.kind, c.status, b, c.Mid, c.Seg, c.Item)
	}
	if err != nil {
		return err
	}
	if c.body {
		if b, err = db.Encode(&body); err != nil {
			return err
		}
		if len(b) > len("{}") || !c.isNew {
			err = f.conn.Exec(`INSERT INTO call_body (mid, seg, item, body) VALUES (?, ?, ?, ?)
				ON CONFLICT DO UPDATE SET body = excluded.body`, c.Mid, c.Seg, c.Item, b)
		}
	}
	c.isNew, c.head, c.body = false, false, false
	return err
}
