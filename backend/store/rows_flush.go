package store

import "weft/backend/transcript"

// maxPart is the most bytes of text in one row.
const maxPart = 64 << 10

// flush writes what the fold has gathered so far: each row once.
func (r *rows) flush() error {
	for _, s := range r.fresh {
		if err := r.insertSegment(s); err != nil {
			return err
		}
	}
	for _, it := range r.items {
		if it.call != nil {
			continue // with the calls below, which know what they have become
		}
		first, at := r.beginning(textKey{it.place, whatText})
		if err := r.c.exec("INSERT INTO item (mid, seg, idx, parent, started_at, ended_at, text) VALUES (?, ?, ?, ?, ?, ?, ?)",
			it.mid, it.seg, it.item, it.parent, it.started, at, first); err != nil {
			return err
		}
	}
	for _, c := range r.dirty {
		if err := r.writeCall(c); err != nil {
			return err
		}
	}
	for _, key := range r.order {
		if err := r.writeText(key, r.texts[key]); err != nil {
			return err
		}
	}
	for _, key := range r.counted {
		if n := r.counts[key]; n != 0 {
			if err := r.c.exec(`INSERT INTO group_count (mid, seg, what, name, n) VALUES (?, ?, ?, ?, ?)
				ON CONFLICT DO UPDATE SET n = n + excluded.n`, key.mid, key.seg, key.what, key.name, n); err != nil {
				return err
			}
		}
	}
	r.begin()
	return nil
}

func (r *rows) insertSegment(s *freshSegment) error {
	var first, display []byte
	switch s.typ {
	case transcript.SegmentText:
		first, _ = r.beginning(textKey{place{s.mid, s.seg, -1}, whatText})
	case transcript.SegmentDisplay:
		var err error
		if display, err = encode(s.display); err != nil {
			return err
		}
	case transcript.SegmentToolGroup:
	}
	return r.c.exec("INSERT INTO segment (mid, idx, type, author, parent, text, display) VALUES (?, ?, ?, ?, ?, ?, ?)",
		s.mid, s.seg, string(s.typ), s.author, s.parent, first, display)
}

// beginning takes from a text what goes into the row of its segment or thought.
func (r *rows) beginning(key textKey) (first []byte, at int64) {
	t := r.texts[key]
	if t == nil || !t.fresh {
		return nil, 0
	}
	n := min(len(t.buf), maxPart)
	first, t.buf = t.buf[:n:n], t.buf[n:]
	r.lengths[key] = int64(n)
	return first, t.at
}

// writeText appends what has come to a text as parts.
func (r *rows) writeText(key textKey, t *text) error {
	if len(t.buf) == 0 {
		return nil
	}
	pos, err := r.length(key)
	if err != nil {
		return err
	}
	for buf := t.buf; len(buf) > 0; {
		n := min(len(buf), maxPart)
		if key.item < 0 {
			err = r.c.exec("INSERT INTO text_part (mid, seg, pos, text) VALUES (?, ?, ?, ?)", key.mid, key.seg, pos, buf[:n])
		} else {
			err = r.c.exec("INSERT INTO item_part (mid, seg, item, what, pos, at, text) VALUES (?, ?, ?, ?, ?, ?, ?)",
				key.mid, key.seg, key.item, key.what, pos, t.at, buf[:n])
		}
		if err != nil {
			return err
		}
		pos += int64(n)
		buf = buf[n:]
	}
	r.lengths[key] = pos
	return nil
}

// length is how many bytes of a text the rows have.
func (r *rows) length(key textKey) (n int64, err error) {
	if n, known := r.lengths[key]; known {
		return n, nil
	}
	switch {
	case key.item < 0:
		_, err = r.c.one(`SELECT coalesce(
			(SELECT pos + length(text) FROM text_part WHERE mid = ?1 AND seg = ?2 ORDER BY pos DESC LIMIT 1),
			(SELECT length(text) FROM segment WHERE mid = ?1 AND idx = ?2), 0)`, []any{key.mid, key.seg}, &n)
	default:
		_, err = r.c.one(`SELECT coalesce(
			(SELECT pos + length(text) FROM item_part WHERE mid = ?1 AND seg = ?2 AND item = ?3 AND what = ?4 ORDER BY pos DESC LIMIT 1),
			(SELECT length(text) FROM item WHERE ?4 = 0 AND mid = ?1 AND seg = ?2 AND idx = ?3), 0)`,
			[]any{key.mid, key.seg, key.item, key.what}, &n)
	}
	return n, err
}

// writeCall writes what has changed of a call.
func (r *rows) writeCall(c *callRow) error {
	head, body := split(&c.call)
	b, err := encode(&head)
	if err != nil {
		return err
	}
	if c.isNew {
		err = r.c.exec("INSERT INTO item (mid, seg, idx, kind, status, head) VALUES (?, ?, ?, ?, ?, ?)", c.mid, c.seg, c.item, c.kind, c.status, b)
	} else {
		err = r.c.exec("UPDATE item SET kind = ?, status = ?, head = ? WHERE mid = ? AND seg = ? AND idx = ?", c.kind, c.status, b, c.mid, c.seg, c.item)
	}
	if err != nil {
		return err
	}
	if c.body {
		if b, err = encode(&body); err != nil {
			return err
		}
		if len(b) > len("{}") || !c.isNew {
			err = r.c.exec(`INSERT INTO call_body (mid, seg, item, body) VALUES (?, ?, ?, ?)
				ON CONFLICT DO UPDATE SET body = excluded.body`, c.mid, c.seg, c.item, b)
		}
	}
	c.isNew, c.head, c.body = false, false, false
	return err
}
