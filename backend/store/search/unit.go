package search

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"weft/backend/conversation/search"
	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
	"weft/backend/store/pages"
	"weft/backend/store/rows"
)

// Field is a text of a unit, such as the title of a call.
type Field struct {
	Name string // FieldText and so on
	Text string
}

// The fields of units.
const (
	FieldText   = "text"
	FieldTitle  = "title"
	FieldPath   = "path"
	FieldInput  = "input"
	FieldOutput = "output"
	FieldError  = "error"
)

// unit is a text as it is indexed: a message, a thought or a call. A long text is several units.
type unit struct {
	rows.Location
	pos, size int64 // of a piece
	kind      search.Kind
	failed    bool
	title     string // of a call
	fields    []Field
}

// texts returns the texts of the fields.
func (u *unit) texts() []string {
	list := make([]string, len(u.fields))
	for i, f := range u.fields {
		list[i] = f.Text
	}
	return list
}

// bytes returns the size of the texts.
func (u *unit) bytes() (n int) {
	for _, f := range u.fields {
		n += len(f.Text)
	}
	return n
}

// How much of a text is indexed.
const (
	pieceSlack = 512      // how much smaller a piece may be, to end at a word
	pieceSize  = 16 << 10 // of a text segment or a thought, per document
	inputSize  = 32 << 10 // of a call's input, content and error, from the beginning
	outputSize = 16 << 10 // of a call's output, from the beginning and from the end
	callSize   = 160 << 10
)

// message has the fields that the units of a message share.
type message struct {
	mid, sid, at int64
	role         string
	author       transcript.Author
	ended        bool
	last         int // index of the last segment, -1 for none
	failed       bool
}

// readMessage reads a message. ok is false if there is none.
func readMessage(c *db.Conn, mid int64) (m message, ok bool, err error) {
	m.mid = mid
	var author []byte
	ok, err = c.One(`SELECT sid, created_at, role, author, ended_at > 0, error IS NOT NULL,
		coalesce((SELECT max(idx) FROM segment s WHERE s.mid = message.mid), -1) FROM message WHERE mid = ?`, []any{mid},
		&m.sid, &m.at, &m.role, &author, &m.ended, &m.failed, &m.last)
	if err != nil || !ok {
		return m, false, err
	}
	return m, true, db.Decode(author, &m.author)
}

// isOpen reports whether a unit may still change a lot and so isn't worth indexing yet: a text or thought at the end of
// its message, or a running call. It reads no texts.
func isOpen(c *db.Conn, m *message, p rows.Location) (open bool, err error) {
	if p.Seg < 0 || m.ended && p.Item < 0 {
		return false, nil
	}
	if p.Item < 0 {
		return p.Seg == m.last, nil
	}
	var status *string
	var head []byte
	var last int
	_, err = c.One(`SELECT status, iif(kind IS NULL, NULL, head), (SELECT max(idx) FROM item l WHERE l.mid = i.mid AND l.seg = i.seg) FROM item i WHERE mid = ? AND seg = ? AND idx = ?`,
		[]any{p.Mid, p.Seg, p.Item}, &status, &head, &last)
	if err != nil || head == nil {
		return !m.ended && p.Seg == m.last && p.Item == last, err
	}
	if status != nil && *status != "" {
		return !transcript.Status(*status).Ended(), nil
	}
	var call transcript.ToolCall // one that isn't counted
	err = db.Decode(head, &call)
	return !call.Status.Ended(), err
}

// readUnit reads a unit: a long text from a byte on, as pieces of at most [pieceSize] that fit in limit bytes, or
// anything else whole. more is true if the text continues. If only isn't nil, it reads that piece alone.
func readUnit(c *db.Conn, m *message, p rows.Location, from int64, limit int, only *piece) (units []unit, more bool, err error) {
	switch {
	case p.Seg < 0:
		units, err = readError(c, m)
		return units, false, err
	case p.Item < 0:
		return readSegment(c, m, p, from, limit, only)
	}
	return readItem(c, p, from, limit, only)
}

// piece is a part of a long text.
type piece struct{ pos, size int64 }

// readError reads the error of a message.
func readError(c *db.Conn, m *message) ([]unit, error) {
	var raw []byte
	if _, err := c.One("SELECT error FROM message WHERE mid = ?", []any{m.mid}, &raw); err != nil || raw == nil {
		return nil, err
	}
	var f transcript.Failure
	if err := db.Decode(raw, &f); err != nil {
		return nil, err
	}
	u := unit{Location: rows.At(m.mid, -1, -1), kind: search.KindNote, failed: true, fields: []Field{{FieldError, f.Message}}}
	if f.Detail != "" {
		u.fields = append(u.fields, Field{FieldText, head(f.Detail, inputSize)})
	}
	return []unit{u}, nil
}

// readSegment reads a text segment or a display.
func readSegment(c *db.Conn, m *message, p rows.Location, from int64, limit int, only *piece) ([]unit, bool, error) {
	var typ, author string
	var first, display []byte
	found, err := c.One("SELECT type, author, text, display FROM segment WHERE mid = ? AND idx = ?", []any{p.Mid, p.Seg}, &typ, &author, &first, &display)
	if err != nil || !found {
		return nil, false, err
	}
	u := unit{Location: p, kind: search.KindAnswer}
	switch {
	case author == transcript.AuthorNotice:
		u.kind = search.KindNote
	case m.role == string(transcript.RoleUser) || author == "user":
		u.kind = search.KindPrompt
	}
	if display != nil {
		var content transcript.Content
		if err := db.Decode(display, &content); err != nil {
			return nil, false, err
		}
		r := reader{c: c, left: callSize}
		r.content(&content)
		if u.kind == search.KindAnswer {
			u.kind = search.KindDisplay
		}
		u.fields = r.fields
		return []unit{u}, false, r.err
	}
	if typ != string(transcript.SegmentText) {
		return nil, false, nil
	}
	return pieces(c, u, rows.SegmentText(p.Mid, p.Seg), first, from, limit, only)
}

// readItem reads a thought or a call.
func readItem(c *db.Conn, p rows.Location, from int64, limit int, only *piece) ([]unit, bool, error) {
	var isCall bool
	var first, headJSON, body []byte
	found, err := c.One(`SELECT i.kind IS NOT NULL, i.text, i.head, b.body FROM item i
		LEFT JOIN call_body b ON b.mid = i.mid AND b.seg = i.seg AND b.item = i.idx WHERE i.mid = ? AND i.seg = ? AND i.idx = ?`,
		[]any{p.Mid, p.Seg, p.Item}, &isCall, &first, &headJSON, &body)
	if err != nil || !found {
		return nil, false, err
	}
	if !isCall {
		return pieces(c, unit{Location: p, kind: search.KindThought}, p.Text(rows.Text), first, from, limit, only)
	}
	var call transcript.ToolCall
	if err := rows.DecodeCall(&call, headJSON, body); err != nil {
		return nil, false, err
	}
	r := reader{c: c, left: callSize}
	r.call(p, &call)
	u := unit{Location: p, kind: search.KindCall, title: call.Title, fields: r.fields, failed: call.Status == transcript.StatusFailed || call.Error != ""}
	if u.title == "" {
		u.title = call.Name
	}
	if call.Kind == transcript.KindDisplay {
		u.kind = search.KindDisplay
	}
	return []unit{u}, false, r.err
}

// pieces reads a text from a byte on, in pieces.
func pieces(c *db.Conn, u unit, key rows.TextKey, first []byte, from int64, limit int, only *piece) (units []unit, more bool, err error) {
	if only != nil {
		text, start, err := pages.TextRange(c, key, first, only.pos, only.pos+only.size)
		if err != nil || len(text) == 0 {
			return nil, false, err
		}
		u.pos, u.size, u.fields = start, int64(len(text)), []Field{{FieldText, string(text)}}
		return []unit{u}, false, nil
	}
	for pos := from; limit > 0; {
		text, more, err := nextPiece(c, key, first, pos)
		if err != nil || len(text) == 0 {
			return units, false, err
		}
		one := u
		one.pos, one.size, one.fields = pos, int64(len(text)), []Field{{FieldText, string(text)}}
		units = append(units, one)
		pos, limit = pos+one.size, limit-len(text)
		if !more {
			return units, false, nil
		}
	}
	return units, true, nil
}

// nextPiece reads the piece of a text that begins at a byte, which must be a character boundary. more is true if the
// text continues.
func nextPiece(c *db.Conn, key rows.TextKey, first []byte, pos int64) (text []byte, more bool, err error) {
	// Read a little more to see whether the text continues.
	text, _, err = pages.TextRange(c, key, first, pos, pos+pieceSize+utf8.UTFMax)
	if err != nil {
		return nil, false, err
	}
	if more = len(text) > pieceSize; more {
		text = text[:cutAt(text[:pieceSize])]
	}
	return text, more, nil
}

// cutAt returns where a piece ends: after its last space if that is near its end, otherwise after its last whole
// character.
func cutAt(text []byte) int {
	low := max(1, len(text)-pieceSlack)
	if i := bytes.LastIndexFunc(text[low:], unicode.IsSpace); i >= 0 {
		return low + i + 1
	}
	return len(db.TrimEnd(text))
}

// head returns the first n bytes of a text, cut at a character boundary.
func head(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return string(db.TrimEnd([]byte(text[:n])))
}
