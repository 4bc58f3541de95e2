package pages

import (
	"context"
	"iter"

	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
	"weft/backend/store/rows"
	"weft/backend/store/spaces"
)

// PieceKind is the kind of a [Piece].
type PieceKind int

// The pieces of a message, in order: its beginning, its segments (each group followed by its items), its opaque
// updates, its end.
const (
	PieceMessage PieceKind = iota + 1
	PieceSegment
	PieceItem
	PieceOpaque
	PieceEnd
)

// Piece is a part of a conversation that is read in order. No piece is larger than the largest text in it.
type Piece struct {
	Kind    PieceKind
	Message *transcript.Message // without segments and opaque updates
	Ord     int64               // of the message
	Seg     int
	Segment *transcript.Segment // PieceSegment: complete, but a group is without its items
	Idx     int
	Counts  *GroupCounts       // PieceSegment of a group
	Item    *transcript.Item   // PieceItem
	Opaque  *transcript.Opaque // PieceOpaque

	mid   int64
	first []byte // the beginning of a text that parts continue
	parts bool   // parts continue it
}

// GroupCounts counts the calls of a group that count as steps.
type GroupCounts struct{ Kinds, Statuses map[string]int }

// The limits of one read transaction.
const (
	stretchRows  = 400
	stretchBytes = 1 << 20
)

// position is the position at which the next transaction continues.
type position struct {
	ord, end          int64 // end is the last message to read
	seg, item, opaque int
	begun             bool // the message's beginning was read
}

// Pieces returns the messages of a space at the positions from..to (from 1; to 0: the last one), piece by piece. It
// reads in many short transactions. It skips messages added in the meantime, and reads a message in progress up to its
// current end.
func (p *Pages) Pieces(ctx context.Context, spaceID string, from, to int64) iter.Seq2[Piece, error] {
	return func(yield func(Piece, error) bool) {
		at := position{ord: max(from, 1)}
		for first := true; ; first = false {
			var list []Piece
			err := spaces.View(ctx, p.db, spaceID, "read the conversation", func(c *db.Conn, sid int64) (err error) {
				if first {
					if _, err := c.One("SELECT coalesce(max(ord), 0) FROM message WHERE sid = ?", []any{sid}, &at.end); err != nil {
						return err
					}
					if to > 0 {
						at.end = min(at.end, to)
					}
				}
				list, err = readStretch(c, sid, &at)
				return err
			})
			if err != nil {
				yield(Piece{}, err)
				return
			}
			if len(list) == 0 {
				return
			}
			for i := range list {
				if list[i].parts {
					if err := p.db.View(ctx, "read the conversation", func(c *db.Conn) error { return list[i].complete(c) }); err != nil {
						yield(Piece{}, err)
						return
					}
				}
				if !yield(list[i], nil) {
					return
				}
				list[i] = Piece{}
			}
		}
	}
}

// readStretch returns the next pieces, or none at the end.
func readStretch(c *db.Conn, sid int64, at *position) ([]Piece, error) {
	s := stretch{c: c, at: at}
	for s.open() && at.ord <= at.end {
		head, err := readHead(c, messageAbove, sid, at.ord)
		if err != nil {
			return nil, err
		}
		if head == nil || head.Ord > at.end {
			at.ord = at.end + 1
			break
		}
		if err := s.message(head); err != nil {
			return nil, err
		}
	}
	return s.list, nil
}

// stretch collects pieces until it has enough of them.
type stretch struct {
	c     *db.Conn
	at    *position
	list  []Piece
	bytes int
}

func (s *stretch) open() bool { return len(s.list) < stretchRows && s.bytes < stretchBytes }

func (s *stretch) message(h *messageHead) error {
	at := s.at
	m := &transcript.Message{
		ID: h.ID, RunID: h.RunID, Role: h.Role, Author: h.Author, Model: h.Model, CreatedAt: h.CreatedAt, EndedAt: h.EndedAt,
		StopReason: h.StopReason, Usage: h.Usage, Error: h.Error,
	}
	base := Piece{Message: m, Ord: h.Ord, mid: h.mid}
	if !at.begun {
		at.ord, at.begun = h.Ord, true
		begin := base
		begin.Kind = PieceMessage
		s.list = append(s.list, begin)
	}
	for at.seg < h.SegmentCount {
		if !s.open() {
			return nil
		}
		if err := s.segments(base); err != nil {
			return err
		}
	}
	if h.opaque {
		if done, err := s.opaque(base); err != nil || !done {
			return err
		}
	}
	base.Kind = PieceEnd
	s.list = append(s.list, base)
	*at = position{ord: h.Ord + 1, end: at.end}
	return nil
}

// segments reads some segments with their items, at least one item or segment.
func (s *stretch) segments(base Piece) error {
	segs, err := s.readSegments(base)
	if err != nil {
		return err
	}
	last := s.at.seg
	if len(segs) > 0 {
		last = segs[len(segs)-1].Seg
	}
	items, cut, err := s.readItems(base, last)
	if err != nil {
		return err
	}
	for i := range segs {
		p := &segs[i]
		if cut && (len(items) == 0 || p.Seg > items[len(items)-1].Seg) && p.Seg > s.at.seg {
			break // its items were not read
		}
		if p.Seg != s.at.seg || s.at.item == 0 {
			s.list = append(s.list, *p)
		}
		s.at.seg, s.at.item = p.Seg, 0
		n := 0
		for n < len(items) && items[n].Seg == p.Seg {
			s.at.item = items[n].Idx + 1
			n++
		}
		s.list, items = append(s.list, items[:n]...), items[n:]
		if cut && len(items) == 0 {
			return nil // the group may have more items
		}
		s.at.seg, s.at.item = p.Seg+1, 0
	}
	if len(segs) == 0 { // a gap, which no writer leaves
		s.at.seg++
	}
	return nil
}

func (s *stretch) readSegments(base Piece) (list []Piece, err error) {
	bytes := 0
	err = s.c.Each(segmentColumns+"WHERE mid = ? AND idx >= ? ORDER BY idx LIMIT ?", []any{base.mid, s.at.seg, stretchRows}, func(scan db.Scan) (bool, error) {
		p, sg := base, &transcript.Segment{}
		var text, display []byte
		p.Kind, p.Segment = PieceSegment, sg
		if err := scan(&p.Seg, &sg.Type, &sg.Author, &sg.ParentToolCallID, &text, &display, &p.parts); err != nil {
			return false, err
		}
		if p.parts {
			p.first = text
		} else {
			sg.Text = string(text)
		}
		if err := db.Decode(display, &sg.Display); err != nil {
			return false, err
		}
		list = append(list, p)
		bytes += len(text) + len(display)
		return bytes < stretchBytes, nil
	})
	s.bytes += bytes
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return list, s.readCounts(list)
}

// readCounts adds the call counts of groups.
func (s *stretch) readCounts(list []Piece) error {
	groups := map[int]*SegmentView{}
	for i := range list {
		if list[i].Segment.Type == transcript.SegmentToolGroup {
			v := &SegmentView{KindCounts: map[string]int{}, StatusCounts: map[string]int{}}
			groups[list[i].Seg], list[i].Counts = v, &GroupCounts{v.KindCounts, v.StatusCounts}
		}
	}
	if len(groups) == 0 {
		return nil
	}
	return readCounts(s.c, list[0].mid, list[0].Seg, list[len(list)-1].Seg, groups)
}

// readItems reads items from the position on, up to the segment last. cut reports whether there may be more.
func (s *stretch) readItems(base Piece, last int) (list []Piece, cut bool, err error) {
	bytes := 0
	err = s.c.Each(`SELECT i.seg, i.idx, i.kind IS NOT NULL, i.head, b.body, i.parent, i.started_at, i.ended_at, i.text,
		EXISTS (SELECT 1 FROM item_part p WHERE p.mid = i.mid AND p.seg = i.seg AND p.item = i.idx)
		FROM item i LEFT JOIN call_body b ON b.mid = i.mid AND b.seg = i.seg AND b.item = i.idx
		WHERE i.mid = ? AND (i.seg, i.idx) >= (?, ?) AND i.seg <= ? ORDER BY i.seg, i.idx LIMIT ?`,
		[]any{base.mid, s.at.seg, s.at.item, last, stretchRows}, func(scan db.Scan) (bool, error) {
			p, it := base, &transcript.Item{Type: transcript.ItemThought}
			var call bool
			var head, body, text []byte
			p.Kind, p.Item = PieceItem, it
			if err := scan(&p.Seg, &p.Idx, &call, &head, &body, &it.ParentToolCallID, &it.StartedAt, &it.EndedAt, &text, &p.parts); err != nil {
				return false, err
			}
			switch {
			case call:
				it.Type, it.Call = transcript.ItemToolCall, &transcript.ToolCall{}
				if err := rows.DecodeCall(it.Call, head, body); err != nil {
					return false, err
				}
			case p.parts:
				p.first = text
			default:
				it.Text = string(text)
			}
			list = append(list, p)
			bytes += len(head) + len(body) + len(text)
			cut = len(list) >= stretchRows || bytes >= stretchBytes
			return !cut, nil
		})
	s.bytes += bytes
	return list, cut, err
}

// opaque reads opaque updates. done is false if there may be more.
func (s *stretch) opaque(base Piece) (done bool, err error) {
	n := 0
	err = s.c.Each("SELECT n, kind, at, raw, ref FROM opaque WHERE mid = ? AND n >= ? ORDER BY n LIMIT ?", []any{base.mid, s.at.opaque, stretchRows},
		func(scan db.Scan) (bool, error) {
			p, o := base, &transcript.Opaque{}
			var raw, ref []byte
			var at int
			if err := scan(&at, &o.Kind, &o.At, &raw, &ref); err != nil {
				return false, err
			}
			o.Raw = raw
			p.Kind, p.Opaque = PieceOpaque, o
			s.list, s.at.opaque = append(s.list, p), at+1
			n++
			return true, db.Decode(ref, &o.Ref)
		})
	return n < stretchRows, err
}

// complete reads the rest of the piece's texts from their parts.
func (p *Piece) complete(c *db.Conn) error {
	if p.Kind == PieceSegment {
		text, _, _, err := textTail(c, rows.SegmentText(p.mid, p.Seg), p.first, whole)
		p.Segment.Text, p.first = string(text), nil
		return err
	}
	at, it := rows.At(p.mid, p.Seg, p.Idx), p.Item
	if it.Call == nil {
		text, _, ended, err := textTail(c, at.Text(rows.Text), p.first, whole)
		it.Text, it.EndedAt, p.first = string(text), max(it.EndedAt, ended), nil
		return err
	}
	text, _, _, err := textTail(c, at.Text(rows.Input), nil, whole)
	if err != nil {
		return err
	}
	it.Call.InputText = string(text)
	text, _, _, err = textTail(c, at.Text(rows.Output), nil, whole)
	if err != nil {
		return err
	}
	it.Call.OutputText = string(text)
	return readTerminals(c, at, it.Call, whole)
}

// Span describes a range of messages.
type Span struct {
	First, Last int64 // positions of messages; Last < First if there are none
	Messages    int64
	Segments    int64
}

// SpanOf measures the messages of a space between two ids; "" means the first or the last message. The error has the
// code not_found if there is no such message.
func (p *Pages) SpanOf(ctx context.Context, spaceID, from, to string) (s Span, err error) {
	err = spaces.View(ctx, p.db, spaceID, "read the conversation", func(c *db.Conn, sid int64) error {
		s = Span{First: 1}
		if _, err := c.One("SELECT coalesce(max(ord), 0) FROM message WHERE sid = ?", []any{sid}, &s.Last); err != nil {
			return err
		}
		for _, end := range []struct {
			id  string
			ord *int64
		}{{from, &s.First}, {to, &s.Last}} {
			if end.id == "" {
				continue
			}
			found, err := c.One("SELECT ord FROM message WHERE sid = ? AND id = ?", []any{sid, end.id}, end.ord)
			if err == nil && !found {
				err = noMessage(end.id)
			}
			if err != nil {
				return err
			}
		}
		_, err := c.One(`SELECT count(*), coalesce(sum((SELECT coalesce(max(idx) + 1, 0) FROM segment g WHERE g.mid = m.mid)), 0)
			FROM message m WHERE sid = ? AND ord BETWEEN ? AND ?`, []any{sid, s.First, s.Last}, &s.Messages, &s.Segments)
		return err
	})
	return s, err
}

// States returns the state of a space from rows, by key.
func (p *Pages) States(ctx context.Context, spaceID string) (map[transcript.StateKey]transcript.State, error) {
	all := map[transcript.StateKey]transcript.State{}
	err := spaces.View(ctx, p.db, spaceID, "read the conversation", func(c *db.Conn, sid int64) error {
		return c.Each("SELECT key, message_id, value, ref FROM state WHERE sid = ?", []any{sid}, func(scan db.Scan) (bool, error) {
			var s transcript.State
			var value, ref []byte
			if err := scan(&s.Key, &s.MessageID, &value, &ref); err != nil {
				return false, err
			}
			s.Value = value
			err := db.Decode(ref, &s.Ref)
			all[s.Key] = s
			return true, err
		})
	})
	return all, err
}
