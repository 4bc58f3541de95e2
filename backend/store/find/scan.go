package find

import (
	"cmp"
	"context"
	"slices"
	"time"

	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
)

// scan collects one page of a search.
type scan struct {
	ctx     context.Context
	c       *db.Conn
	sid     int64
	pattern *pattern
	page    *Page
	limit   int
	context int
	until   time.Time
	read    int // bytes so far

	lastOrd, lastSegment int64 // the last segment to search
	item                 int   // the only item to search, -1 for all
}

// batchRows and batchBytes limit how much of the rows is in memory at a time.
const (
	batchRows  = 1000
	batchBytes = 2 << 20
)

// segment is a row of the table.
type segment struct {
	mid     int64
	ord     int64
	message string
	idx     int
	typ     transcript.SegmentType
	user    bool // of a message of the user
	text    []byte
	display []byte
	parts   bool // text_part continues the text
	items   []item
}

// item is a row of the table, with the body of a call.
type item struct {
	idx   int
	call  bool
	text  []byte
	head  []byte
	body  []byte
	parts bool // item_part has more of it
}

// run searches from a position on, until the page is full or the conversation ends.
func (s *scan) run(at Cursor) error {
	for {
		list, next, err := s.batch(at)
		if err != nil {
			return err
		}
		for i := range list {
			done, err := s.segment(&list[i], &at)
			if err != nil || done {
				return err
			}
		}
		if next == nil {
			return nil
		}
		at = *next
		if s.spent() {
			s.page.Next = next
			return nil
		}
	}
}

// spent reports whether the page has reached its limit of bytes or time, or ctx has ended.
func (s *scan) spent() bool {
	return s.read >= maxRead || time.Now().After(s.until) || s.ctx.Err() != nil
}

// segmentError is the type and atError the position of a message's error, which comes after its segments.
const (
	segmentError transcript.SegmentType = "error"
	atError                             = 1 << 30
)

// batch reads segments with their items, and the errors of messages, as many as fit. next is where the next batch
// begins, nil at the end.
func (s *scan) batch(at Cursor) (list []segment, next *Cursor, err error) {
	if list, next, err = s.segments(at); err != nil || s.lastSegment < atError {
		return list, next, err
	}
	last := s.lastOrd
	if next != nil {
		last = next.Ord - 1
	}
	read := 0
	err = s.c.Each("SELECT mid, ord, id, role = 'user', error FROM message WHERE sid = ? AND ord BETWEEN ? AND ? AND error IS NOT NULL ORDER BY ord", []any{s.sid, at.Ord, last},
		func(scan db.Scan) (bool, error) {
			g := segment{idx: atError, typ: segmentError}
			err := scan(&g.mid, &g.ord, &g.message, &g.user, &g.text)
			list = append(list, g)
			read += len(g.text)
			if read < batchBytes {
				return true, err
			}
			// The rest is for the next batch.
			next = &Cursor{Ord: g.ord + 1, Item: -1}
			return false, err
		})
	if next != nil {
		list = slices.DeleteFunc(list, func(g segment) bool { return g.ord > next.Ord })
	}
	slices.SortStableFunc(list, func(a, b segment) int { return cmp.Or(cmp.Compare(a.ord, b.ord), cmp.Compare(a.idx, b.idx)) })
	return list, next, err
}

// segments reads segments with their items, as many as fit. next is where the next batch begins, nil at the end.
func (s *scan) segments(at Cursor) (list []segment, next *Cursor, err error) {
	bytes := 0
	full := false
	err = s.c.Each(`SELECT m.mid, m.ord, m.id, m.role = 'user', s.idx, s.type, s.text, s.display, EXISTS (SELECT 1 FROM text_part p WHERE p.mid = s.mid AND p.seg = s.idx)
		FROM message m CROSS JOIN segment s ON s.mid = m.mid AND s.idx >= CASE WHEN m.ord = ?2 THEN ?3 ELSE 0 END
		WHERE m.sid = ?1 AND m.ord >= ?2 AND m.ord <= ?5 AND s.idx <= ?6 ORDER BY m.ord, s.idx LIMIT ?4`, []any{s.sid, at.Ord, at.Segment, batchRows, s.lastOrd, s.lastSegment},
		func(scan db.Scan) (bool, error) {
			var g segment
			if err := scan(&g.mid, &g.ord, &g.message, &g.user, &g.idx, &g.typ, &g.text, &g.display, &g.parts); err != nil {
				return false, err
			}
			bytes += len(g.text) + len(g.display)
			list = append(list, g)
			full = len(list) == batchRows || bytes >= batchBytes
			return !full, nil
		})
	if err != nil || len(list) == 0 {
		return nil, nil, err
	}
	last := &list[len(list)-1]
	if full {
		next = &Cursor{Ord: last.ord, Segment: last.idx + 1, Item: -1}
	}
	stop, err := s.items(list, at, bytes)
	if err != nil || stop == nil {
		return list, next, err
	}
	// The rest of the items and the later segments are for the next batch.
	for i := range list {
		if g := &list[i]; g.ord == stop.Ord && g.idx == stop.Segment {
			return list[:i+1], stop, nil
		}
	}
	return list, next, nil
}

// items reads the items of the tool groups in list. stop is the first one that didn't fit, nil if all are read.
func (s *scan) items(list []segment, at Cursor, bytes int) (stop *Cursor, err error) {
	first, last := &list[0], &list[len(list)-1]
	from := 0
	if first.ord == at.Ord && first.idx == at.Segment {
		from = max(at.Item, 0)
	}
	g, n := 0, 0
	read := func(scan db.Scan) (bool, error) {
		var it item
		var ord int64
		var seg int
		if err := scan(&ord, &seg, &it.idx, &it.call, &it.text, &it.head, &it.body, &it.parts); err != nil {
			return false, err
		}
		if n >= batchRows || n > 0 && bytes >= batchBytes {
			stop = &Cursor{Ord: ord, Segment: seg, Item: it.idx}
			return false, nil
		}
		for g < len(list) && (list[g].ord < ord || list[g].ord == ord && list[g].idx < seg) {
			g++
		}
		if g == len(list) {
			return false, nil
		}
		if list[g].ord == ord && list[g].idx == seg {
			list[g].items = append(list[g].items, it)
			bytes += len(it.text) + len(it.head) + len(it.body)
			n++
		}
		return true, nil
	}
	err = s.c.Each(`SELECT m.ord, i.seg, i.idx, i.kind IS NOT NULL, i.text, i.head, b.body, EXISTS (SELECT 1 FROM item_part p WHERE p.mid = i.mid AND p.seg = i.seg AND p.item = i.idx)
		FROM message m CROSS JOIN item i ON i.mid = m.mid AND (i.seg, i.idx) >= (CASE WHEN m.ord = ?2 THEN ?3 ELSE 0 END, CASE WHEN m.ord = ?2 THEN ?4 ELSE 0 END)
		LEFT JOIN call_body b ON b.mid = i.mid AND b.seg = i.seg AND b.item = i.idx
		WHERE m.sid = ?1 AND m.ord BETWEEN ?2 AND ?5 AND (m.ord < ?5 OR i.seg <= ?6) ORDER BY m.ord, i.seg, i.idx`,
		[]any{s.sid, first.ord, first.idx, from, last.ord, last.idx}, read)
	s.read += bytes
	return stop, err
}

// segment searches a segment. done reports whether the page is full.
func (s *scan) segment(g *segment, at *Cursor) (done bool, err error) {
	here := Cursor{Ord: g.ord, Segment: g.idx, Item: -1}
	if at.Ord == g.ord && at.Segment == g.idx && at.Item < 0 {
		here.Skip = at.Skip
	}
	switch g.typ {
	case transcript.SegmentText:
		return s.place(g, here, func(t *texts) error {
			return t.said(g)
		})
	case segmentError:
		return s.place(g, here, func(t *texts) error {
			var failure transcript.Failure
			if err := db.Decode(g.text, &failure); err != nil {
				return err
			}
			t.one(SourceError, failure.Message)
			t.one(SourceError, failure.Detail)
			return nil
		})
	case transcript.SegmentDisplay:
		return s.place(g, here, func(t *texts) error {
			var content transcript.Content
			if err := db.Decode(g.display, &content); err != nil {
				return err
			}
			return t.display(&content)
		})
	case transcript.SegmentToolGroup:
		for i := range g.items {
			it := &g.items[i]
			here := Cursor{Ord: g.ord, Segment: g.idx, Item: it.idx}
			if s.item >= 0 && it.idx != s.item {
				return true, nil
			}
			if at.Ord == g.ord && at.Segment == g.idx && at.Item == it.idx {
				here.Skip = at.Skip
			}
			done, err := s.place(g, here, func(t *texts) error { return t.item(g, it) })
			if err != nil || done {
				return done, err
			}
		}
	}
	return false, nil
}

// place searches the texts of one place, which search passes to t, and adds the hits to the page.
func (s *scan) place(g *segment, here Cursor, search func(t *texts) error) (full bool, err error) {
	t := texts{scan: s, segment: g, at: here, skip: here.Skip}
	if err := search(&t); err != nil {
		return false, err
	}
	if !t.more {
		return false, nil
	}
	s.page.Next = &Cursor{Ord: here.Ord, Segment: here.Segment, Item: here.Item, Skip: here.Skip + t.found}
	return true, nil
}
