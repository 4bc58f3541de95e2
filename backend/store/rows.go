package store

import (
	"unicode/utf8"

	"weft/backend/transcript"
)

// rows folds events into rows. What it remembers of rows saves reading them back; it can be
// forgotten between folds at any time. The writer's goroutine owns it.
type rows struct {
	c *conn

	messages map[messageKey]*messageRow
	segments map[segmentKey]*segmentRow
	calls    map[place]*callRow
	lengths  map[textKey]int64 // bytes of a text that are in rows

	// The fold in progress.
	fresh   []*freshSegment
	items   []*freshItem
	texts   map[textKey]*text
	order   []textKey
	dirty   []*callRow
	counts  map[countKey]int
	counted []countKey
}

type (
	messageKey struct {
		sid int64
		id  string
	}
	segmentKey struct {
		mid int64
		seg int
	}
	// place is an item of a group, or with item -1 a text segment.
	place struct {
		mid       int64
		seg, item int
	}
	textKey struct {
		place
		what int // as in item_part
	}
	countKey struct {
		segmentKey
		what int // as in group_count
		name string
	}
)

const (
	whatText   = 0
	whatInput  = 1
	whatOutput = 2
	// whatTerminal is the output of a call's first terminal; those of the others follow.
	whatTerminal = 3

	countKind   = 0
	countStatus = 1
)

// messageRow is what is remembered of a message; mid is 0 if there is no such message.
type messageRow struct {
	mid      int64
	segments int // how many there are
	opaque   int // how many there are, -1 unknown
}

type segmentRow struct {
	typ   transcript.SegmentType // "" if there is no such segment
	items int                    // of a group, how many there are
}

// freshSegment is a segment that the fold in progress opens.
type freshSegment struct {
	segmentKey
	typ            transcript.SegmentType
	author, parent string
	display        *transcript.Content
}

// freshItem is an item that the fold in progress opens; call is nil for a thought.
type freshItem struct {
	place
	call    *callRow
	parent  string
	started int64
}

// text is what the fold in progress adds to a text.
type text struct {
	buf   []byte
	at    int64 // of the last piece
	fresh bool  // the segment or thought is opened by this fold: it holds the beginning
}

// The bounds of what is remembered between folds.
const (
	maxCalls    = 256 // at most 16 KB each
	maxSegments = 4096
	maxMessages = 256
)

func newRows(c *conn) *rows {
	r := &rows{c: c}
	r.forget()
	return r
}

// forget drops everything that is remembered, and the fold in progress.
func (r *rows) forget() {
	r.messages, r.segments = map[messageKey]*messageRow{}, map[segmentKey]*segmentRow{}
	r.calls, r.lengths = map[place]*callRow{}, map[textKey]int64{}
	r.begin()
}

func (r *rows) begin() {
	r.fresh, r.items, r.dirty = nil, nil, nil
	r.texts, r.order = map[textKey]*text{}, nil
	r.counts, r.counted = map[countKey]int{}, nil
}

// fold applies the events, in order, to the rows of a space. Events that do not fit are
// skipped, as [transcript.Conversation.Apply] does.
func (r *rows) fold(sid int64, lists ...[]transcript.Event) error {
	r.begin()
	var seq, at int64
	for _, events := range lists {
		for i := range events {
			e := &events[i]
			if err := r.apply(sid, e); err != nil {
				return err
			}
			seq, at = e.Seq, max(at, e.At)
		}
	}
	if err := r.flush(); err != nil {
		return err
	}
	if seq > 0 {
		if err := r.c.exec("UPDATE space SET folded_seq = ?, last_activity = max(last_activity, ?) WHERE sid = ?", seq, at, sid); err != nil {
			return err
		}
	}
	r.trim()
	return nil
}

func (r *rows) trim() {
	if len(r.calls) > maxCalls {
		clear(r.calls)
	}
	if len(r.segments) > maxSegments {
		clear(r.segments)
	}
	if len(r.lengths) > maxSegments {
		clear(r.lengths)
	}
	if len(r.messages) > maxMessages {
		clear(r.messages)
	}
}

func (r *rows) apply(sid int64, e *transcript.Event) error {
	switch b := e.Body.(type) {
	case *transcript.MessageStart:
		return r.startMessage(sid, e.At, b)
	case *transcript.MessageEnd:
		return r.endMessage(sid, e.At, b)
	case *transcript.TextDelta:
		return r.textDelta(sid, e.At, b)
	case *transcript.ReasoningDelta:
		return r.reasoningDelta(sid, e.At, b)
	case *transcript.Display:
		return r.display(sid, b)
	case *transcript.OpaqueUpdate:
		return r.opaqueUpdate(sid, e.At, b)
	case *transcript.State:
		return r.state(sid, b)
	case *transcript.Error:
		return r.messageError(sid, b)
	case *transcript.RunCreated:
		return r.runCreated(sid, e.At, b)
	case *transcript.RunCompleted:
		return r.runCompleted(sid, e.At, b)
	}
	return r.callEvent(sid, e)
}

// message answers what is known of a message, nil if there is none of that id.
func (r *rows) message(sid int64, id string) (*messageRow, error) {
	key := messageKey{sid, id}
	if m := r.messages[key]; m != nil {
		return m, nil
	}
	m := &messageRow{opaque: -1}
	found, err := r.c.one(`SELECT mid, coalesce((SELECT max(idx) + 1 FROM segment s WHERE s.mid = m.mid), 0)
		FROM message m WHERE sid = ? AND id = ?`, []any{sid, id}, &m.mid, &m.segments)
	if err != nil || !found {
		return nil, err
	}
	r.messages[key] = m
	return m, nil
}

// segment answers segment i of m if it is of type typ; fresh opens it if it is the next.
func (r *rows) segment(m *messageRow, i int, typ transcript.SegmentType) (row *segmentRow, fresh *freshSegment, err error) {
	key := segmentKey{m.mid, i}
	if i == m.segments {
		m.segments++
		row = &segmentRow{typ: typ}
		r.segments[key] = row
		fresh = &freshSegment{segmentKey: key, typ: typ}
		r.fresh = append(r.fresh, fresh)
		return row, fresh, nil
	}
	if i < 0 || i > m.segments {
		return nil, nil, nil
	}
	if row = r.segments[key]; row == nil {
		row = &segmentRow{}
		_, err := r.c.one(`SELECT type, coalesce((SELECT max(idx) + 1 FROM item i WHERE i.mid = s.mid AND i.seg = s.idx), 0)
			FROM segment s WHERE mid = ? AND idx = ?`, []any{m.mid, i}, &row.typ, &row.items)
		if err != nil {
			return nil, nil, err
		}
		r.segments[key] = row
	}
	if row.typ != typ {
		return nil, nil, nil
	}
	return row, nil, nil
}

// add appends s to a text.
func (r *rows) add(key textKey, s string, at int64, fresh bool) {
	t := r.texts[key]
	if t == nil {
		t = &text{fresh: fresh}
		r.texts[key] = t
		r.order = append(r.order, key)
	}
	t.buf = append(t.buf, validUTF8(s)...)
	t.at = at
}

// validUTF8 makes of s what it is after a journey through JSON: every byte that is not
// UTF-8 becomes U+FFFD. So rows agree with what frontends have seen.
func validUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}
