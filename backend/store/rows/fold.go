package rows

import (
	"unicode/utf8"

	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
)

// Fold folds events into rows. It caches rows to avoid reading them again; the cache can be dropped between folds. Only
// one goroutine may use it at a time.
type Fold struct {
	messages map[messageKey]*messageRow
	segments map[segmentKey]*segmentRow
	calls    map[Location]*callRow
	touched  Touched

	changes
}

// changes are what the fold in progress has to write.
type changes struct {
	conn    *db.Conn
	lengths map[TextKey]int64 // bytes of a text that are in rows, cached like the rows

	fresh     []*freshSegment
	items     []*freshItem
	texts     map[TextKey]*text
	order     []TextKey
	dirty     []*callRow
	counts    map[countKey]int
	countKeys []countKey // in the order in which they came
}

type (
	messageKey struct {
		sid int64
		id  string
	}
	segmentKey struct {
		Mid int64
		Seg int
	}
	countKey struct {
		segmentKey
		kind int // CountKind or CountStatus
		name string
	}
)

// messageRow is a cached message.
type messageRow struct {
	Mid      int64
	segments int // how many there are
	opaque   int // how many there are, -1 if unknown
}

type segmentRow struct {
	typ   transcript.SegmentType // "" if there is no such segment
	items int                    // how many a group has
}

// freshSegment is a segment that begins in the fold in progress.
type freshSegment struct {
	segmentKey
	typ            transcript.SegmentType
	author, parent string
	display        *transcript.Content
}

// freshItem is an item that begins in the fold in progress. call is nil for a thought.
type freshItem struct {
	Location
	call    *callRow
	parent  string
	started int64
}

// text is what the fold in progress adds to a text.
type text struct {
	buf   []byte
	at    int64 // time of the last piece
	fresh bool  // its segment or thought begins in this fold, and stores the beginning of the text
}

// The sizes of the cache.
const (
	maxCalls    = 256 // at most 16 KB each
	maxSegments = 4096
	maxMessages = 256
)

// New returns a Fold that writes to c.
func New(c *db.Conn) *Fold {
	f := &Fold{changes: changes{conn: c}}
	f.Forget()
	return f
}

// Forget drops the cache and the fold in progress. It must be called after a failed transaction, and after other code
// has written to the tables.
func (f *Fold) Forget() {
	f.messages, f.segments = map[messageKey]*messageRow{}, map[segmentKey]*segmentRow{}
	f.calls, f.lengths = map[Location]*callRow{}, map[TextKey]int64{}
	f.begin()
}

// begin drops the changes of the last fold.
func (f *changes) begin() {
	*f = changes{conn: f.conn, lengths: f.lengths, texts: map[TextKey]*text{}, counts: map[countKey]int{}}
}

// Add folds events, in order, into the rows of the space sid, within the transaction of the connection. It skips events
// that don't fit the state, as [transcript.Conversation.Apply] does.
func (f *Fold) Add(sid int64, lists ...[]transcript.Event) error {
	f.begin()
	f.touched = Touched{}
	var seq, at int64
	for _, events := range lists {
		for i := range events {
			e := &events[i]
			if err := f.apply(sid, e); err != nil {
				return err
			}
			seq, at = e.Seq, max(at, e.At)
		}
	}
	if err := f.write(); err != nil {
		return err
	}
	if seq > 0 {
		if err := f.conn.Exec("UPDATE space SET folded_seq = ?, last_activity = max(last_activity, ?) WHERE sid = ?", seq, at, sid); err != nil {
			return err
		}
	}
	f.trim()
	return nil
}

func (f *Fold) trim() {
	if len(f.calls) > maxCalls {
		clear(f.calls)
	}
	if len(f.segments) > maxSegments {
		clear(f.segments)
	}
	if len(f.lengths) > maxSegments {
		clear(f.lengths)
	}
	if len(f.messages) > maxMessages {
		clear(f.messages)
	}
}

func (f *Fold) apply(sid int64, e *transcript.Event) error {
	switch b := e.Body.(type) {
	case *transcript.MessageStart:
		return f.startMessage(sid, e.At, b)
	case *transcript.MessageEnd:
		return f.endMessage(sid, e.At, b)
	case *transcript.TextDelta:
		return f.textDelta(sid, e.At, b)
	case *transcript.ReasoningDelta:
		return f.reasoningDelta(sid, e.At, b)
	case *transcript.Display:
		return f.display(sid, b)
	case *transcript.OpaqueUpdate:
		return f.opaqueUpdate(sid, e.At, b)
	case *transcript.State:
		return f.state(sid, b)
	case *transcript.Error:
		return f.messageError(sid, b)
	case *transcript.RunCreated:
		return f.runCreated(sid, e.At, b)
	case *transcript.RunCompleted:
		return f.runCompleted(sid, e.At, b)
	}
	return f.callEvent(sid, e)
}

// message returns a message from the cache or the table, nil if there is none with that id.
func (f *Fold) message(sid int64, id string) (*messageRow, error) {
	key := messageKey{sid, id}
	if m := f.messages[key]; m != nil {
		return m, nil
	}
	m := &messageRow{opaque: -1}
	found, err := f.conn.One(`SELECT mid, coalesce((SELECT max(idx) + 1 FROM segment s WHERE s.Mid = m.Mid), 0)
		FROM message m WHERE sid = ? AND id = ?`, []any{sid, id}, &m.Mid, &m.segments)
	if err != nil || !found {
		return nil, err
	}
	f.messages[key] = m
	return m, nil
}

// segment returns segment i of m if it is of type typ, nil otherwise. If i is the next segment it begins one, which is
// fresh.
func (f *Fold) segment(m *messageRow, i int, typ transcript.SegmentType) (row *segmentRow, fresh *freshSegment, err error) {
	key := segmentKey{m.Mid, i}
	if i == m.segments {
		m.segments++
		row = &segmentRow{typ: typ}
		f.segments[key] = row
		fresh = &freshSegment{segmentKey: key, typ: typ}
		f.fresh = append(f.fresh, fresh)
		return row, fresh, nil
	}
	if i < 0 || i > m.segments {
		return nil, nil, nil
	}
	if row = f.segments[key]; row == nil {
		row = &segmentRow{}
		_, err := f.conn.One(`SELECT type, coalesce((SELECT max(idx) + 1 FROM item i WHERE i.Mid = s.Mid AND i.Seg = s.idx), 0)
			FROM segment s WHERE mid = ? AND idx = ?`, []any{m.Mid, i}, &row.typ, &row.items)
		if err != nil {
			return nil, nil, err
		}
		f.segments[key] = row
	}
	if row.typ != typ {
		return nil, nil, nil
	}
	return row, nil, nil
}

// add appends s to a text.
func (f *changes) add(key TextKey, s string, at int64, fresh bool) {
	t := f.texts[key]
	if t == nil {
		t = &text{fresh: fresh}
		f.texts[key] = t
		f.order = append(f.order, key)
	}
	t.buf = append(t.buf, validUTF8(s)...)
	t.at = at
}

// validUTF8 replaces every byte that is not UTF-8 with U+FFFD, as JSON does, so that rows agree with what frontends
// have seen.
func validUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}
