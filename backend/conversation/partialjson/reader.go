// Package partialjson reads one JSON value that arrives in fragments, such as the input of a tool call while a model
// writes it. After every fragment it reports what has become known of the top-level fields of an object: the text of
// strings as it grows, and fields that are complete.
//
// It accepts exactly what encoding/json accepts, and notices a broken document at the same byte; what was read
// before that byte stays. Fragments may end anywhere, also inside of an escape or of a character. Every byte is
// looked at once, whatever the fragments; nothing recurses. A Reader holds about three times what was written
// to it: whoever takes documents from strangers bounds their length.
package partialjson

import (
	"encoding/json"
	"fmt"
)

// Change is one thing that a fragment brought of a top-level field: its string has grown by Text, or it has its whole
// value, Raw.
type Change struct {
	Field string          // its name
	Text  string          // decoded
	Raw   json.RawMessage // as written; not to be changed
}

// Field is a complete top-level field. One that comes again replaces what it was before.
type Field struct {
	Name string
	Raw  json.RawMessage // the value as written; not to be changed
	text string
}

// maxDepth is how deep encoding/json lets values nest.
const maxDepth = 10000

// Reader reads one JSON value. Its zero value is ready. It is not safe for use by several goroutines.
type Reader struct {
	doc  document
	open []byte // the open containers, '{' or '['

	at      int // the byte that is looked at
	state   state
	literal string // what is left of true, false or null
	digits  int    // that were read of a \u escape

	isName bool    // the string that is read is a name
	isTop  bool    // it is the name or the value of a top-level field, which is decoded
	str    decoder // its text

	changes []Change
	err     error
}

// Write reads the next fragment and returns what it changed, in order; the text of a string is joined per
// fragment. The list is valid until the next Write. The error says where the document is broken, and
// stays: what is written after it is ignored.
func (r *Reader) Write(fragment string) ([]Change, error) {
	r.changes = r.changes[:0]
	if r.err != nil {
		return nil, r.err
	}
	base := len(r.doc.raw)
	r.doc.write(fragment)
	for i := 0; i < len(fragment) && r.err == nil; {
		r.at = base + i
		i += r.step(fragment[i:])
	}
	r.tell()
	if r.err != nil {
		r.doc.raw = r.doc.raw[:r.at]
	}
	return r.changes, r.err
}

// Done reports whether the document is complete. One that is only a number is never known to be.
func (r *Reader) Done() bool { return r.state == ended && r.err == nil }

// Err returns where the document is broken, nil if it is not.
func (r *Reader) Err() error { return r.err }

// Len is how many bytes were read, up to the one that does not fit.
func (r *Reader) Len() int { return len(r.doc.raw) }

// Text returns the text of a top-level field as far as it is known; "" if that is no string. It costs nothing.
func (r *Reader) Text(name string) string {
	if !r.doc.reads(name) {
		return r.doc.text(name)
	}
	if r.state.inString() && !r.isName && r.isTop {
		return r.str.String()
	}
	return ""
}

// Field returns the raw value of a top-level field that is complete.
func (r *Reader) Field(name string) (raw json.RawMessage, ok bool) { return r.doc.field(name) }

// Fields returns the complete top-level fields in the order in which they are; a name that came twice is in it
// twice. The list is not to be changed.
func (r *Reader) Fields() []Field { return r.doc.fields[:len(r.doc.fields):len(r.doc.fields)] }

// Object returns a valid JSON object of the complete top-level fields, "{}" if there is none. A call copies what
// was completed since the one before, and the result is valid until the next call.
func (r *Reader) Object() json.RawMessage {
	switch {
	case len(r.doc.fields) == 0:
		return json.RawMessage("{}")
	case r.Done():
		return r.doc.whole()
	}
	return r.doc.complete()
}

// fail notes that the byte at r.at does not fit.
func (r *Reader) fail(c byte, where string) int {
	r.err = fmt.Errorf("broken JSON at byte %d: %q %s", r.at, rune(c), where)
	return 0
}

// inTop reports whether a value that begins or ends is that of a top-level field.
func (r *Reader) inTop() bool { return len(r.open) == 1 && r.open[0] == '{' }

// tell reports what the string that is read has grown by.
func (r *Reader) tell() {
	if !r.isTop || r.isName || !r.state.inString() {
		return
	}
	if more := r.str.more(); more != "" {
		r.changes = append(r.changes, Change{Field: r.doc.name, Text: more})
	}
}

// began notes that a value begins at r.at.
func (r *Reader) began() {
	if len(r.open) == 0 {
		r.doc.open = r.at
	} else if r.inTop() {
		r.doc.start, r.doc.inField = r.at, true
	}
}

// finished notes that a value ends before end.
func (r *Reader) finished(end int, text string) {
	switch {
	case len(r.open) == 0:
		r.state, r.doc.end = ended, end
		return
	case r.inTop():
		f := r.doc.finish(end, text)
		r.changes = append(r.changes, Change{Field: f.Name, Raw: f.Raw})
	}
	r.state = afterValue
}
