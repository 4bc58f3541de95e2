package pages

import (
	"slices"

	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
	"weft/backend/store/rows"
)

const segmentColumns = `SELECT idx, type, author, parent, text, display,
	EXISTS (SELECT 1 FROM text_part p WHERE p.Mid = segment.mid AND p.Seg = segment.idx) FROM segment `

// rawSegment is a row of the table, before the rest of the segment is read.
type rawSegment struct {
	idx     int
	view    SegmentView
	text    []byte
	display []byte
	parts   bool // text_part continues the text
}

// segmentsBelow adds the last segments of m before index hi.
func (b *pageBuilder) segmentsBelow(m *messageHead, hi int) error {
	list, err := b.segments(segmentColumns+"WHERE mid = ? AND idx < ? ORDER BY idx DESC LIMIT ?", m.mid, hi, b.left)
	if err != nil {
		return err
	}
	list, err = b.fill(m.mid, list)
	if err != nil {
		return err
	}
	m.FirstSegment = hi
	for i := len(list) - 1; i >= 0; i-- {
		m.Segments = append(m.Segments, list[i].view)
		m.FirstSegment = min(m.FirstSegment, list[i].idx)
	}
	return b.add(m)
}

// segmentsAbove adds the segments of m from index lo on.
func (b *pageBuilder) segmentsAbove(m *messageHead, lo int) error {
	list, err := b.segments(segmentColumns+"WHERE mid = ? AND idx >= ? ORDER BY idx LIMIT ?", m.mid, lo, b.left)
	if err != nil {
		return err
	}
	list, err = b.fill(m.mid, list)
	if err != nil {
		return err
	}
	m.FirstSegment = lo
	for i := range list {
		m.Segments = append(m.Segments, list[i].view)
	}
	return b.add(m)
}

func (b *pageBuilder) add(m *messageHead) (err error) {
	if m.opaque && m.FirstSegment+len(m.Segments) == m.SegmentCount {
		m.Opaque, err = readOpaque(b.c, m.mid, viewOpaque)
	}
	b.left -= max(len(m.Segments), 1)
	b.messages = append(b.messages, m.MessageView)
	return err
}

func (b *pageBuilder) segments(query string, args ...any) (list []rawSegment, err error) {
	bytes := b.bytes
	err = b.c.Each(query, args, func(scan db.Scan) (bool, error) {
		var s rawSegment
		v := &s.view
		if err := scan(&s.idx, &v.Type, &v.Author, &v.ParentToolCallID, &s.text, &s.display, &s.parts); err != nil {
			return false, err
		}
		v.Items, v.KindCounts, v.StatusCounts = []ItemView{}, map[string]int{}, map[string]int{}
		list = append(list, s)
		bytes += len(s.text)
		return bytes < viewBytes, nil
	})
	return list, err
}

// fill reads the rest of the segments, as many as fit on the page.
func (b *pageBuilder) fill(mid int64, list []rawSegment) ([]rawSegment, error) {
	groups := map[int]*SegmentView{}
	for i := range list {
		if i > 0 && b.bytes >= viewBytes {
			list = list[:i]
			break
		}
		s := &list[i]
		v := &s.view
		switch v.Type {
		case transcript.SegmentText:
			text, start := s.text, int64(0)
			if s.parts {
				var err error
				if text, start, _, err = textTail(b.c, rows.SegmentText(mid, s.idx), s.text, viewText); err != nil {
					return nil, err
				}
			}
			v.Text, v.TextStart = string(text), start
			b.bytes += len(text)
		case transcript.SegmentDisplay:
			if err := db.Decode(s.display, &v.Display); err != nil {
				return nil, err
			}
			b.bytes += len(s.display)
		case transcript.SegmentToolGroup:
			if err := b.group(mid, s.idx, v); err != nil {
				return nil, err
			}
			groups[s.idx] = v
		}
	}
	if len(groups) == 0 {
		return list, nil
	}
	lo, hi := list[0].idx, list[len(list)-1].idx
	return list, readCounts(b.c, mid, min(lo, hi), max(lo, hi), groups)
}

func (b *pageBuilder) group(mid int64, seg int, v *SegmentView) error {
	items, bytes, err := readItems(b.c, mid, seg, viewThought, "ORDER BY idx DESC LIMIT ?", viewItems)
	if err != nil {
		return err
	}
	b.bytes += bytes
	slices.Reverse(items)
	for i := range items {
		v.Items = append(v.Items, items[i].view)
	}
	if len(items) > 0 {
		v.FirstItem, v.ItemCount = items[0].idx, items[len(items)-1].idx+1
	}
	return nil
}

// readCounts reads the number of calls of each kind and status in the groups lo to hi.
func readCounts(c *db.Conn, mid int64, lo, hi int, groups map[int]*SegmentView) error {
	return c.Each("SELECT seg, what, name, n FROM group_count WHERE mid = ? AND seg BETWEEN ? AND ? AND n > 0", []any{mid, lo, hi},
		func(scan db.Scan) (bool, error) {
			var seg, what, n int
			var name string
			if err := scan(&seg, &what, &name, &n); err != nil {
				return false, err
			}
			if v := groups[seg]; v != nil && what == rows.CountKind {
				v.KindCounts[name] = n
			} else if v != nil {
				v.StatusCounts[name] = n
			}
			return true, nil
		})
}

// readOpaque returns the last limit opaque updates of a message, oldest first. With a negative limit it returns all.
func readOpaque(c *db.Conn, mid int64, limit int) ([]transcript.Opaque, error) {
	list := []transcript.Opaque{}
	err := c.Each("SELECT kind, at, raw, ref FROM opaque WHERE mid = ? ORDER BY n DESC LIMIT ?", []any{mid, limit},
		func(scan db.Scan) (bool, error) {
			var o transcript.Opaque
			var raw, ref []byte
			if err := scan(&o.Kind, &o.At, &raw, &ref); err != nil {
				return false, err
			}
			o.Raw = raw
			err := db.Decode(ref, &o.Ref)
			list = append(list, o)
			return true, err
		})
	slices.Reverse(list)
	return list, err
}
