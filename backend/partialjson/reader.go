// Package partialjson reads one JSON value that comes in fragments, such as the input of a tool call while a
// model writes it, and tells after every fragment what is known more: the text of strings as it grows, and fields
// that are complete.
//
// It accepts exactly what encoding/json accepts, and notices a broken document at the same byte; what was read
// before that byte stays. Fragments may end anywhere, also inside of an escape or of a character. Every byte is
// looked at once, whatever the fragments; nothing recurses. A Reader holds about three times what was written
// to it: whoever takes documents from strangers bounds their length.
package partialjson

import (
	"encoding/json"
	"fmt"
	"io"
)

// Kind is what a [Change] tells.
type Kind uint8

// The kinds of change.
const (
	// Started: the value of a top-level field begins. A name that comes again replaces what it was before.
	Started Kind = iota + 1
	// Text: a string has grown by Text.
	Text
	// Complete: a top-level field has its whole value, Raw.
	Complete
	// Ended: the document is complete.
	Ended
)

// Change is one thing that a fragment brought.
type Change struct {
	Kind  Kind
	Field string // name of the top-level field; "" of Ended
	// Path leads from the field's value to a string inside of it, as a JSON pointer (RFC 6901): "/0/newText".
	// It is "" of the value itself. Strings more than [MaxPath] levels down are not told.
	Path string
	Text string          // Text: what was appended, decoded
	Raw  json.RawMessage // Complete: the value as written; not to be changed
}

// Field is a complete top-level field.
type Field struct {
	Name string
	Raw  json.RawMessage // the value as written; not to be changed
	text string
}

// MaxPath is how many levels below the document strings are told about: 1 is a top-level field.
const MaxPath = 4

// maxDepth is how deep encoding/json lets values nest.
const maxDepth = 10000

// SyntaxError is where a document is broken.
type SyntaxError struct {
	Offset int // of the byte that does not fit, counted from 0
	Reason string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("broken JSON at byte %d: %s", e.Offset, e.Reason)
}

// Reader reads one JSON value. Its zero value is ready. It is not safe for use by several goroutines.
type Reader struct {
	doc document
	in  nesting

	at      int // the byte that is looked at
	state   state
	literal string  // what is left of true, false or null
	hex     hexUnit // the \u escape that is read
	str     quoted  // the string that is read

	changes []Change
	err     *SyntaxError
}

// Write reads the next fragment and returns what it changed, in order; the text of a string is joined per
// fragment. The list is valid until the next Write. The error is a [*SyntaxError], and stays: what is written
// after it is ignored.
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
		r.doc.raw = r.doc.raw[:r.err.Offset]
		return r.changes, r.err
	}
	return r.changes, nil
}

// Close says that nothing more comes. It is nil after a whole document, else a [*SyntaxError], or
// [io.ErrUnexpectedEOF] where the document was right as far as it went.
func (r *Reader) Close() error {
	switch {
	case r.err != nil:
		return r.err
	case r.state == ended || r.in.depth() == 0 && r.state.endsNumber():
		return nil
	}
	return io.ErrUnexpectedEOF
}

// Done reports whether the document is complete. One that is only a number is never known to be.
func (r *Reader) Done() bool { return r.state == ended && r.err == nil }

// Err returns where the document is broken, nil if it is not.
func (r *Reader) Err() error {
	if r.err == nil {
		return nil
	}
	return r.err
}

// Len is how many bytes were read, up to the one that does not fit.
func (r *Reader) Len() int { return len(r.doc.raw) }

// Text returns the text of a top-level field as far as it is known; "" if that is no string. It costs nothing.
func (r *Reader) Text(name string) string {
	if !r.doc.reads(name) {
		return r.doc.text(name)
	}
	if r.state.inString() && !r.str.isName && r.in.depth() == 1 {
		return r.str.text.String()
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
	r.err = &SyntaxError{Offset: r.at, Reason: fmt.Sprintf("%q %s", rune(c), where)}
	return 0
}

// tell reports what the string that is read has grown by.
func (r *Reader) tell() {
	if !r.str.tells || r.str.isName || !r.state.inString() {
		return
	}
	if more := r.str.text.more(); more != "" {
		r.changes = append(r.changes, Change{Kind: Text, Field: r.doc.name, Path: r.str.path, Text: more})
	}
}

// began notes that a value begins at r.at.
func (r *Reader) began() {
	if r.in.depth() == 0 {
		r.doc.open = r.at
	} else if r.in.isTop() {
		r.doc.begin(r.in.levels[0].name, r.at)
		r.changes = append(r.changes, Change{Kind: Started, Field: r.doc.name})
	}
}

// finished notes that a value ends before end.
func (r *Reader) finished(end int, text string) {
	switch {
	case r.in.depth() == 0:
		r.state, r.doc.end = ended, end
		r.changes = append(r.changes, Change{Kind: Ended})
		return
	case r.in.isTop():
		f := r.doc.finish(end, text)
		r.changes = append(r.changes, Change{Kind: Complete, Field: f.Name, Raw: f.Raw})
	}
	r.state = afterValue
}
