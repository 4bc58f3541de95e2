package pages

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
	"weft/backend/store/find"
	"weft/backend/store/spaces"
)

// Pages reads transcripts.
type Pages struct{ db *db.DB }

// New returns a Pages that reads d.
func New(d *db.DB) *Pages { return &Pages{d} }

// Snapshot returns the last page of a space and its state, both at the same event. limit is in segments. It takes a few
// milliseconds, however long the space is.
func (p *Pages) Snapshot(ctx context.Context, spaceID string, limit int) (*Snapshot, error) {
	snap := &Snapshot{State: map[string]jsontext.Value{}, StateRefs: map[string]*transcript.Ref{}}
	err := spaces.View(ctx, p.db, spaceID, "open the conversation", func(c *db.Conn, sid int64) (err error) {
		err = c.Each("SELECT "+spaces.Columns+", epoch, folded_seq FROM space WHERE sid = ?", []any{sid}, func(scan db.Scan) (bool, error) {
			snap.Space, err = spaces.ScanColumns(scan, &snap.Epoch, &snap.Seq)
			return false, err
		})
		if err != nil {
			return err
		}
		if snap.Space.Members, err = spaces.ReadMembers(c, "space.sid = ?", sid); err != nil {
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

// readState reads the state of a space. It loads values from their blobs unless they are very large.
func readState(c *db.Conn, sid int64, snap *Snapshot) error {
	err := c.Each("SELECT key, value, ref FROM state WHERE sid = ?", []any{sid}, func(scan db.Scan) (bool, error) {
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
		return true, db.Decode(ref, r)
	})
	if err != nil {
		return err
	}
	for key, ref := range snap.StateRefs {
		if ref.Size > viewState {
			continue
		}
		var value []byte
		err := c.Each("SELECT c.data FROM blob b JOIN blob_chunk c ON c.bid = b.bid WHERE b.hash = ? ORDER BY c.n", []any{ref.Hash},
			func(scan db.Scan) (bool, error) {
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

// Before returns up to limit (1 to 500) segments before a position (nil: the end). A page with very long texts is
// shorter.
func (p *Pages) Before(ctx context.Context, spaceID string, at *Cursor, limit int) (page Page, err error) {
	err = spaces.View(ctx, p.db, spaceID, "read the conversation", func(c *db.Conn, sid int64) error {
		if page, err = before(c, sid, at, limit); err != nil {
			return err
		}
		return readSeq(c, sid, &page)
	})
	return page, err
}

// After returns up to limit (1 to 500) segments after a position.
func (p *Pages) After(ctx context.Context, spaceID string, at Cursor, limit int) (page Page, err error) {
	err = spaces.View(ctx, p.db, spaceID, "read the conversation", func(c *db.Conn, sid int64) error {
		if page, err = after(c, sid, at, limit); err != nil {
			return err
		}
		return readSeq(c, sid, &page)
	})
	return page, err
}

// Around returns up to limit (2 to 500) segments around a segment of a message: half of them before it, the others from
// it on. A negative segment means the first one, and one that doesn't exist (yet) the last one.
func (p *Pages) Around(ctx context.Context, spaceID, messageID string, segment, limit int) (page Page, err error) {
	err = spaces.View(ctx, p.db, spaceID, "read the conversation", func(c *db.Conn, sid int64) error {
		m, err := readHead(c, "sid = ? AND id = ?", sid, messageID)
		if err != nil {
			return err
		}
		if m == nil {
			return noMessage(messageID)
		}
		at := Cursor{Ord: m.Ord, Segment: max(min(segment, m.SegmentCount-1), 0)}
		limit = min(max(limit, 2), maxLimit)
		if page, err = after(c, sid, at, limit-limit/2); err != nil {
			return err
		}
		older, err := before(c, sid, &at, limit/2)
		if err != nil {
			return err
		}
		page.precede(older)
		return readSeq(c, sid, &page)
	})
	return page, err
}

// Find searches a space for a text, one page of hits at a time.
func (p *Pages) Find(ctx context.Context, spaceID string, req find.Request) (find.Page, error) {
	return find.New(p.db).Page(ctx, spaceID, req)
}

// precede prepends the messages of a page that ends where p begins. The two may meet in the middle of a message.
func (p *Page) precede(older Page) {
	if len(older.Messages) == 0 {
		return
	}
	list := older.Messages
	if last := &list[len(list)-1]; len(p.Messages) > 0 && last.ID == p.Messages[0].ID {
		first := &p.Messages[0]
		first.Segments = append(last.Segments, first.Segments...)
		first.FirstSegment = last.FirstSegment
		list = list[:len(list)-1]
	}
	p.Messages = append(list, p.Messages...)
	p.HasBefore = older.HasBefore
}

// readSeq sets Epoch and Seq of a page to the last event in rows.
func readSeq(c *db.Conn, sid int64, p *Page) error {
	_, err := c.One("SELECT epoch, folded_seq FROM space WHERE sid = ?", []any{sid}, &p.Epoch, &p.Seq)
	return err
}

const (
	messageAbove = "sid = ? AND ord >= ? ORDER BY ord LIMIT 1"
	messageBelow = "sid = ? AND ord <= ? ORDER BY ord DESC LIMIT 1"
)

// before reads backward from a position. A message without segments counts as one segment.
func before(c *db.Conn, sid int64, at *Cursor, limit int) (Page, error) {
	b := pageBuilder{c: c, left: min(max(limit, 1), maxLimit)}
	ord, end := int64(1<<62), -1
	if at != nil {
		if ord, end = at.Ord, at.Segment; end <= 0 {
			ord, end = at.Ord-1, -1
		}
	}
	for b.open() {
		m, err := readHead(c, messageBelow, sid, ord)
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
	slices.Reverse(b.messages)
	return b.page(sid), b.err
}

// after reads forward from a position.
func after(c *db.Conn, sid int64, at Cursor, limit int) (Page, error) {
	b := pageBuilder{c: c, left: min(max(limit, 1), maxLimit)}
	ord, from := at.Ord, max(at.Segment, 0)
	for b.open() {
		m, err := readHead(c, messageAbove, sid, ord)
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

// pageBuilder collects messages until the page is full.
type pageBuilder struct {
	c        *db.Conn
	left     int // segments
	bytes    int // of text so far
	messages []MessageView
	err      error
}

func (b *pageBuilder) open() bool { return b.err == nil && b.left > 0 && b.bytes < viewBytes }

// messageHead is a message without its segments.
type messageHead struct {
	MessageView
	mid    int64
	opaque bool // it has opaque updates
}

// readHead reads the head of a message, nil if there is none.
func readHead(c *db.Conn, where string, args ...any) (*messageHead, error) {
	m := &messageHead{}
	var author, usage, failure []byte
	found, err := c.One(`SELECT mid, ord, id, run_id, role, author, model, created_at, ended_at, stop_reason, usage, error,
		coalesce((SELECT max(idx) + 1 FROM segment s WHERE s.mid = message.mid), 0),
		EXISTS (SELECT 1 FROM opaque o WHERE o.mid = message.mid) FROM message WHERE `+where, args,
		&m.mid, &m.Ord, &m.ID, &m.RunID, &m.Role, &author, &m.Model, &m.CreatedAt, &m.EndedAt, &m.StopReason, &usage, &failure, &m.SegmentCount, &m.opaque)
	if err != nil || !found {
		return nil, err
	}
	m.Usage, m.Segments, m.Opaque = usage, []SegmentView{}, []transcript.Opaque{}
	if err := db.Decode(author, &m.Author); err != nil {
		return nil, err
	}
	return m, db.Decode(failure, &m.Error)
}

// page returns the collected page, and checks whether there is more on either side.
func (b *pageBuilder) page(sid int64) Page {
	p := Page{Messages: b.messages}
	if len(b.messages) == 0 {
		p.Messages = []MessageView{}
		return p
	}
	if b.messages[0].Ord > b.messages[len(b.messages)-1].Ord {
		slices.Reverse(b.messages)
	}
	first, last := &b.messages[0], &b.messages[len(b.messages)-1]
	p.HasBefore = first.FirstSegment > 0 || first.Ord > 1
	p.HasAfter = last.FirstSegment+len(last.Segments) < last.SegmentCount
	if !p.HasAfter {
		p.HasAfter, b.err = b.c.One("SELECT 1 FROM message WHERE sid = ? AND ord > ? LIMIT 1", []any{sid, last.Ord}, new(int))
	}
	return p
}
