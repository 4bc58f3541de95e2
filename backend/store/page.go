package store

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/transcript"
)

// Snapshot answers the last page of a space and its state, as of one event. limit is in
// segments. It takes a few milliseconds at any length of the space.
func (s *Store) Snapshot(_ context.Context, spaceID string, limit int) (*Snapshot, error) {
	snap := &Snapshot{State: map[string]jsontext.Value{}, StateRefs: map[string]*transcript.Ref{}}
	err := s.viewSpace(spaceID, "open the conversation", func(c *conn, sid int64) (err error) {
		err = c.each("SELECT "+spaceColumns+", epoch, folded_seq FROM space WHERE sid = ?", []any{sid}, func(scan func(...any) error) (bool, error) {
			snap.Space, err = scanSpace(func(dest ...any) error { return scan(append(dest, &snap.Epoch, &snap.Seq)...) })
			return false, err
		})
		if err != nil {
			return err
		}
		if err = memberRows(c, &snap.Space.Members, "space.sid = ?", sid); err != nil {
			return err
		}
		if err = readState(c, sid, snap); err != nil {
			return err
		}
		snap.Page, err = before(c, sid, nil, limit)
		snap.Page.Epoch, snap.Page.Seq = snap.Epoch, snap.Seq
		return err
	})
	if err != nil {
		return nil, err
	}
	return snap, nil
}

func readState(c *conn, sid int64, snap *Snapshot) error {
	err := c.each("SELECT key, value, ref FROM state WHERE sid = ?", []any{sid}, func(scan func(...any) error) (bool, error) {
		var key string
		var value, ref []byte
		if err := scan(&key, &value, &ref); err != nil {
			return false, err
		}
		if ref == nil {
			if value == nil {
				value = []byte("null")
			}
			snap.State[key] = value
			return true, nil
		}
		r := &transcript.Ref{}
		snap.StateRefs[key] = r
		return true, decodeInto(ref, r)
	})
	if err != nil {
		return err
	}
	for key, ref := range snap.StateRefs {
		if ref.Size > viewState {
			continue
		}
		var value []byte
		err := c.each("SELECT c.data FROM blob b JOIN blob_chunk c ON c.bid = b.bid WHERE b.hash = ? ORDER BY c.n", []any{ref.Hash},
			func(scan func(...any) error) (bool, error) {
				var b []byte
				err := scan(&b)
				value = append(value, b...)
				return true, err
			})
		if err != nil {
			return err
		}
		if value != nil {
			snap.State[key] = value
			delete(snap.StateRefs, key)
		}
	}
	return nil
}

// PageBefore answers up to limit (1 to 500) segments that stand before a place; nil is
// the end. A page with very long texts is shorter.
func (s *Store) PageBefore(_ context.Context, spaceID string, at *Cursor, limit int) (p Page, err error) {
	err = s.viewSpace(spaceID, "read the conversation", func(c *conn, sid int64) error {
		if p, err = before(c, sid, at, limit); err != nil {
			return err
		}
		return readPlace(c, sid, &p)
	})
	return p, err
}

// PageAfter answers up to limit (1 to 500) segments that stand after a place.
func (s *Store) PageAfter(_ context.Context, spaceID string, at Cursor, limit int) (p Page, err error) {
	err = s.viewSpace(spaceID, "read the conversation", func(c *conn, sid int64) error {
		if p, err = after(c, sid, at, limit); err != nil {
			return err
		}
		return readPlace(c, sid, &p)
	})
	return p, err
}

// readPlace tells a page which event the rows stand at.
func readPlace(c *conn, sid int64, p *Page) error {
	_, err := c.one("SELECT epoch, folded_seq FROM space WHERE sid = ?", []any{sid}, &p.Epoch, &p.Seq)
	return err
}

const (
	messageAbove = "sid = ? AND ord >= ? ORDER BY ord LIMIT 1"
	messageBelow = "sid = ? AND ord <= ? ORDER BY ord DESC LIMIT 1"
)

// before walks from the place towards the beginning. A message without segments counts as one.
func before(c *conn, sid int64, at *Cursor, limit int) (Page, error) {
	b := pageBuilder{c: c, left: min(max(limit, 1), maxLimit)}
	ord, end := int64(1<<62), -1
	if at != nil {
		if ord, end = at.Ord, at.Segment; end <= 0 {
			ord, end = at.Ord-1, -1
		}
	}
	for b.open() {
		m, err := b.message(messageBelow, sid, ord)
		if err != nil || m == nil {
			return b.page(sid), err
		}
		hi := m.SegmentCount
		if end >= 0 && m.Ord == ord {
			hi = min(hi, end)
		}
		if err := b.segmentsBelow(m, hi); err != nil {
			return Page{}, err
		}
		ord, end = m.Ord-1, -1
	}
	reverse(b.messages)
	return b.page(sid), b.err
}

// after walks from the place towards the end.
func after(c *conn, sid int64, at Cursor, limit int) (Page, error) {
	b := pageBuilder{c: c, left: min(max(limit, 1), maxLimit)}
	ord, from := at.Ord, max(at.Segment, 0)
	for b.open() {
		m, err := b.message(messageAbove, sid, ord)
		if err != nil || m == nil {
			return b.page(sid), err
		}
		lo := 0
		if m.Ord == ord {
			lo = from
		}
		if lo == 0 || lo < m.SegmentCount {
			if err := b.segmentsAbove(m, lo); err != nil {
				return Page{}, err
			}
		}
		ord, from = m.Ord+1, 0
	}
	return b.page(sid), b.err
}

func reverse[T any](list []T) {
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
}

// pageBuilder gathers messages until the page is full.
type pageBuilder struct {
	c        *conn
	left     int // segments
	bytes    int // of text so far
	messages []MessageView
	err      error
}

func (b *pageBuilder) open() bool { return b.err == nil && b.left > 0 && b.bytes < viewBytes }

// message reads the head of a message, nil if there is none.
func (b *pageBuilder) message(where string, args ...any) (*messageHead, error) {
	m, err := readHead(b.c, where, args...)
	return m, err
}

// messageHead is a message without its segments.
type messageHead struct {
	MessageView
	mid    int64
	opaque bool // it has opaque updates
}

func readHead(c *conn, where string, args ...any) (*messageHead, error) {
	m := &messageHead{}
	var author, usage, failure []byte
	found, err := c.one(`SELECT mid, ord, id, run_id, role, author, model, created_at, ended_at, stop_reason, usage, error,
		coalesce((SELECT max(idx) + 1 FROM segment s WHERE s.mid = message.mid), 0),
		EXISTS (SELECT 1 FROM opaque o WHERE o.mid = message.mid) FROM message WHERE `+where, args,
		&m.mid, &m.Ord, &m.ID, &m.RunID, &m.Role, &author, &m.Model, &m.CreatedAt, &m.EndedAt, &m.StopReason, &usage, &failure, &m.SegmentCount, &m.opaque)
	if err != nil || !found {
		return nil, err
	}
	m.Usage, m.Segments, m.Opaque = usage, []SegmentView{}, []transcript.Opaque{}
	if err := decodeInto(author, &m.Author); err != nil {
		return nil, err
	}
	return m, decodeInto(failure, &m.Error)
}

// page closes the page: it looks whether there is more on either side.
func (b *pageBuilder) page(sid int64) Page {
	p := Page{Messages: b.messages}
	if len(b.messages) == 0 {
		p.Messages = []MessageView{}
		return p
	}
	if b.messages[0].Ord > b.messages[len(b.messages)-1].Ord {
		reverse(b.messages)
	}
	first, last := &b.messages[0], &b.messages[len(b.messages)-1]
	p.HasBefore = first.FirstSegment > 0 || first.Ord > 1
	p.HasAfter = last.FirstSegment+len(last.Segments) < last.SegmentCount
	if !p.HasAfter {
		p.HasAfter, b.err = b.c.one("SELECT 1 FROM message WHERE sid = ? AND ord > ? LIMIT 1", []any{sid, last.Ord}, new(int))
	}
	return p
}
