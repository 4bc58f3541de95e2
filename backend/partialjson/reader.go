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
	"slices"
	"strings"
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

// maxName is the longest name, in bytes, that takes part in a path. Below a longer one nothing is told.
const maxName = 256

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
	raw     []byte // all that was written, up to the byte that does not fit
	at      int    // the byte that is looked at
	state   state
	stack   []byte // the open containers, '{' or '['
	literal string // what is left of true, false or null
	hex     int    // digits of a \u escape that were read
	unit    rune   // their value

	isName bool // the string that is read is a name
	tells  bool // it is decoded
	text   decoder

	fields  []Field
	latest  map[string]int // place in fields, of the last of each name
	name    string         // of the top-level field that is read
	start   int            // where its value begins
	inField bool
	last    int // where the last complete field ends
	levels  [MaxPath]level
	path    string // of the string that is read

	open, end int // where the document begins and ends

	object  []byte // as [Reader.Object] last made it
	taken   int    // how much of raw is in it
	changes []Change
	err     *SyntaxError
}

// level is the place within one open container.
type level struct {
	name  string
	index int
}

// Write reads the next fragment and returns what it changed, in order; the text of a string is joined per
// fragment. The list is valid until the next Write. The error is a [*SyntaxError], and stays: what is written
// after it is ignored.
func (r *Reader) Write(fragment string) ([]Change, error) {
	r.changes = r.changes[:0]
	if r.err != nil {
		return nil, r.err
	}
	base := len(r.raw)
	if cap(r.raw)-len(r.raw) < len(fragment) {
		// Doubled, where append would take a quarter more: that copies five times as much.
		r.raw = slices.Grow(r.raw, max(cap(r.raw), len(fragment)))
	}
	r.raw = append(r.raw, fragment...)
	for i := 0; i < len(fragment) && r.err == nil; {
		r.at = base + i
		i += r.step(fragment[i:])
	}
	r.tell()
	if r.err != nil {
		r.raw = r.raw[:r.err.Offset]
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
	case r.state == ended || len(r.stack) == 0 && r.state.endsNumber():
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
func (r *Reader) Len() int { return len(r.raw) }

// Text returns the text of a top-level field as far as it is known; "" if that is no string. It costs nothing.
func (r *Reader) Text(name string) string {
	if r.inField && r.name == name {
		if r.state.inString() && !r.isName && len(r.stack) == 1 {
			return r.text.String()
		}
		return ""
	}
	if i, ok := r.latest[name]; ok {
		return r.fields[i].text
	}
	return ""
}

// Field returns the raw value of a top-level field that is complete.
func (r *Reader) Field(name string) (raw json.RawMessage, ok bool) {
	if i, ok := r.latest[name]; ok {
		return r.fields[i].Raw, true
	}
	return nil, false
}

// Fields returns the complete top-level fields in the order in which they are; a name that came twice is in it
// twice. The list is not to be changed.
func (r *Reader) Fields() []Field { return r.fields[:len(r.fields):len(r.fields)] }

// Object returns a valid JSON object of the complete top-level fields, "{}" if there is none. A call copies what
// was completed since the one before, and the result is valid until the next call.
func (r *Reader) Object() json.RawMessage {
	if len(r.fields) == 0 {
		return json.RawMessage("{}")
	}
	if r.Done() {
		return r.raw[r.open:r.end:r.end] // the document itself
	}
	if n := len(r.object); n > 0 {
		r.object = r.object[:n-1]
	}
	r.object = append(append(r.object, r.raw[max(r.taken, r.open):r.last]...), '}')
	r.taken = r.last
	return r.object
}

// fail notes that the byte at r.at does not fit.
func (r *Reader) fail(c byte, where string) int {
	r.err = &SyntaxError{Offset: r.at, Reason: fmt.Sprintf("%q %s", rune(c), where)}
	return 0
}

// tell reports what the string that is read has grown by.
func (r *Reader) tell() {
	if !r.tells || r.isName || !r.state.inString() {
		return
	}
	if more := r.text.more(); more != "" {
		r.changes = append(r.changes, Change{Kind: Text, Field: r.name, Path: r.path, Text: more})
	}
}

// began notes that a value begins at r.at.
func (r *Reader) began() {
	if len(r.stack) == 0 {
		r.open = r.at
	} else if len(r.stack) == 1 && r.stack[0] == '{' {
		r.name, r.start, r.inField = r.levels[0].name, r.at, true
		r.changes = append(r.changes, Change{Kind: Started, Field: r.name})
	}
}

// finished notes that a value ends before end.
func (r *Reader) finished(end int, text string) {
	switch {
	case len(r.stack) == 0:
		r.state, r.end = ended, end
		r.changes = append(r.changes, Change{Kind: Ended})
		return
	case len(r.stack) == 1 && r.stack[0] == '{':
		f := Field{Name: r.name, Raw: r.raw[r.start:end:end], text: text}
		if r.latest == nil {
			r.latest = map[string]int{}
		}
		r.latest[f.Name] = len(r.fields)
		r.fields = append(r.fields, f)
		r.inField, r.last = false, end
		r.changes = append(r.changes, Change{Kind: Complete, Field: f.Name, Raw: f.Raw})
	}
	r.state = afterValue
}

// place is the path of a string that begins now; ok is false where it is not told about.
func (r *Reader) place() (path string, ok bool) {
	if len(r.stack) == 0 || len(r.stack) > MaxPath || r.stack[0] != '{' {
		return "", false
	}
	if len(r.stack) == 1 {
		return "", true
	}
	var b strings.Builder
	for i := 1; i < len(r.stack); i++ {
		l := r.levels[i]
		switch {
		case r.stack[i] == '[':
			fmt.Fprintf(&b, "/%d", l.index)
		case len(l.name) > maxName:
			return "", false
		default:
			b.WriteByte('/')
			b.WriteString(pointer.Replace(l.name))
		}
	}
	return b.String(), true
}

var pointer = strings.NewReplacer("~", "~0", "/", "~1")
