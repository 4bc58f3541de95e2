package rpc

import (
	"bytes"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp/lines"
	"weft/backend/base/scan"
)

// Piece is a part of a program's output.
type Piece struct {
	Text  []byte // a message or a batch as one line of valid JSON, unless Noise is set
	Noise string // why the text is not a message
	// About has the readable members of a damaged message that has an id; otherwise nil.
	About *Message
	// Oversize is the excerpt of a message that is too long; Text is then nil.
	Oversize *lines.Oversize
}

// Finder finds messages in the lines of a program's output. An object inside a complete object never counts as a
// message.
type Finder struct {
	max    int
	held   *held // the unfinished object; nil if there is none
	pieces []Piece
}

// NewFinder returns a finder of messages of at most max bytes.
func NewFinder(max int) *Finder { return &Finder{max: max} }

// held is an object that began on an earlier line and hasn't ended, such as a message printed over several lines. The
// finder gives it up when a line doesn't continue it or is itself a message.
type held struct {
	object scan.Object
	text   []byte          // nil if it is too long
	over   *lines.Oversize // excerpt of an object that is too long; otherwise nil
	inText bool            // there was text before it on its line
	member bool            // it is a member's value in an unreadable object, so it isn't a message
	more   bool            // it has more than one line
	// next is an object at the beginning of the second line, or nil. If the program stopped in the middle of the first
	// line, next is not a value inside this object but the next message. If list is set, the second line begins a list and
	// next is its first object.
	next *held
	list bool
}

// Holds reports whether there is an unfinished object.
func (f *Finder) Holds() bool { return f.held != nil }

// Line reads a line, without its line end, and returns the pieces that it completes, in order. They are valid until the
// next call and refer to line. A blank line yields none, and neither does a line that begins or continues an object
// without ending it.
func (f *Finder) Line(line []byte) []Piece {
	clear(f.pieces)
	f.pieces = f.pieces[:0]
	if f.held != nil && f.continues(line) {
		return f.pieces
	}
	line = readable(bytes.TrimSpace(line))
	switch {
	case len(line) == 0:
	case scan.Valid(line):
		f.pieces = append(f.pieces, Piece{Text: line})
	default:
		f.split(line)
	}
	return f.pieces
}

// Oversize reads the excerpt of a line that is too long.
func (f *Finder) Oversize(over *lines.Oversize) []Piece {
	f.pieces = f.pieces[:0]
	f.giveUp(nil)
	f.pieces = append(f.pieces, Piece{Oversize: over})
	return f.pieces
}

// End reads the text after the last line end; no line follows. About is nil in its pieces, because a response that is
// cut off by the end of the output fails with the connection.
func (f *Finder) End(rest []byte) []Piece {
	f.Line(rest)
	f.giveUp(nil)
	for i := range f.pieces {
		f.pieces[i].About = nil
	}
	return f.pieces
}

// add appends text to the object. If it becomes longer than max, only its beginning and end are kept.
func (h *held) add(b []byte, max int) {
	if h.over == nil && len(h.text)+len(b) > max {
		h.over = &lines.Oversize{}
		h.over.Add(h.text)
		h.text = nil
	}
	if h.over != nil {
		h.over.Add(b)
		return
	}
	h.text = append(h.text, b...)
}

// continues reads a line as a continuation of the held object. It returns false if the line doesn't continue it; the
// object is then given up.
func (f *Finder) continues(line []byte) bool {
	h := f.held
	text := readable(line)
	if len(text) > 0 && (text[0] == '{' || text[0] == '[') && scan.Valid(text) { // lines inside a pretty-printed message are indented
		if m := Read(firstOf(text)); m.Valid() {
			f.giveUp(nil)
			return false
		}
	}
	if f.restarts(text) {
		return true
	}
	n, progress := h.object.Next(text)
	if progress == scan.Malformed {
		f.giveUp(text[:n])
		return false
	}
	h.more = true
	h.add([]byte{'\n'}, f.max)
	h.add(text[:n], f.max)
	if progress == scan.Unfinished {
		return true
	}
	f.held = nil
	switch message := jsontext.Value(h.text); {
	case h.over != nil:
		f.pieces = append(f.pieces, Piece{Oversize: h.over})
	case !h.member && message.Compact(scan.Lenient) == nil && isMessage(message, h.inText):
		f.pieces = append(f.pieces, Piece{Text: message})
	default:
		f.noise(h.text, "not a message", nil)
	}
	f.split(text[n:])
	return true
}

// restarts reads a line as part of a message that began on the held object's second line (see held.next). It returns
// true if the line completes that message; the held object was then cut off after its first line.
func (f *Finder) restarts(text []byte) bool {
	h := f.held
	switch broken := !h.more && len(bytes.TrimSpace(h.text)) > 1; { // the first line of a pretty-printed message is just its brace
	case broken && bytes.HasPrefix(text, []byte{'{'}):
		h.next = &held{}
	case broken:
		h.list = string(bytes.TrimSpace(text)) == "["
	case h.list:
		if text = bytes.TrimLeft(text, " \t"); bytes.HasPrefix(text, []byte{'{'}) {
			h.next = &held{}
		}
		h.list = false
	}
	next := h.next
	if next == nil {
		return false
	}
	n, progress := next.object.Next(text)
	switch next.add(text[:n], f.max); {
	case progress == scan.Malformed || next.over != nil:
		h.next = nil
	case progress == scan.Unfinished:
		next.add([]byte{'\n'}, f.max)
	default:
		h.next = nil
		message := jsontext.Value(next.text)
		if message.Compact(scan.Lenient) != nil || !isMessage(message, false) {
			return false
		}
		h.text, _, _ = bytes.Cut(h.text, []byte{'\n'}) // the later lines belong to the message
		f.giveUp(nil)
		f.pieces = append(f.pieces, Piece{Text: message})
		f.split(text[n:])
		return true
	}
	return false
}

// firstOf returns the first object of a list, or the value itself. It must be valid JSON.
func firstOf(v []byte) []byte {
	if v[0] != '[' {
		return v
	}
	v = bytes.TrimLeft(v[1:], " \t\r\n")
	if len(v) == 0 || v[0] != '{' {
		return nil
	}
	var object scan.Object
	n, _ := object.Next(v)
	return v[:n]
}

func isMessage(v []byte, inText bool) bool {
	m := Read(v)
	return m.within(inText)
}

// giveUp reports the held object, if any, as damaged. more is the beginning of the next line that still fits it.
func (f *Finder) giveUp(more []byte) {
	h := f.held
	if f.held = nil; h == nil {
		return
	}
	if h.over != nil {
		f.pieces = append(f.pieces, Piece{Oversize: h.over})
		return
	}
	var about *Message
	if !h.member {
		about = damaged(append(h.text, more[:min(len(more), maxEnds)]...))
	}
	f.noise(h.text, malformed, about)
}

const malformed = "incomplete or malformed JSON"

// maxDamaged is how many damaged objects on a line are searched for an id.
const maxDamaged = 16

// split finds the messages in a line that isn't one JSON value, with text before, between or after them.
func (f *Finder) split(line []byte) {
	from := 0          // start of the text since the last message
	var about *Message // the damaged message in this text
	broken := 0
	for at := 0; ; {
		i := bytes.IndexByte(line[at:], '{')
		if i < 0 {
			break
		}
		i += at
		var object scan.Object
		n, progress := object.Next(line[i:])
		inText, member := len(bytes.TrimSpace(line[from:i])) > 0, isMember(line[:i])
		at = i + max(n, 1)
		switch {
		case progress == scan.Malformed:
			if broken++; about == nil && !member && broken <= maxDamaged {
				about = damaged(line[i:])
			}
			if j := begunIn(line[i:at]); j > 0 {
				at = i + j
			}
		case progress == scan.Unfinished:
			f.noise(line[from:i], "text before a message", about)
			f.held = &held{object: object, inText: inText, member: member}
			f.held.add(line[i:], f.max)
			return
		case !member && scan.Valid(line[i:at]) && isMessage(line[i:at], inText):
			f.noise(line[from:i], "text before a message", about)
			f.pieces = append(f.pieces, Piece{Text: line[i:at]})
			from, about = at, nil
		}
	}
	rest, why := bytes.TrimSpace(line[from:]), "not a JSON message"
	switch {
	case from > 0:
		why = "text behind a message"
	case len(rest) > 0 && (rest[0] == '{' || rest[0] == '['):
		why = malformed
	}
	if broken == 0 && from == 0 {
		about = damaged(line)
	}
	f.noise(line[from:], why, about)
}

// begunIn returns where another object begins inside malformed JSON, or 0. An object that was cut off inside a string
// swallows the text up to the first quote of the next object, or up to the end of the line.
func begunIn(text []byte) int {
	text = bytes.TrimRight(bytes.TrimSuffix(text, []byte{'"'}), " \t")
	if !bytes.HasSuffix(text, []byte{'{'}) {
		return 0
	}
	return len(text) - 1
}

// isMember reports whether the text ends with a member's name and colon, so that the value after it belongs to an
// unreadable object. It returns false after an escaped quote, which is inside a string that was cut off.
func isMember(before []byte) bool {
	name, ok := bytes.CutSuffix(bytes.TrimRight(before, " \t"), []byte{':'})
	name = bytes.TrimRight(name, " \t")
	return ok && bytes.HasSuffix(name, []byte{'"'}) && !bytes.HasSuffix(name, []byte(`\"`))
}

func (f *Finder) noise(text []byte, why string, about *Message) {
	if len(bytes.TrimSpace(text)) > 0 {
		f.pieces = append(f.pieces, Piece{Text: text, Noise: why, About: about})
	}
}

// readable returns the line as valid UTF-8.
func readable(line []byte) []byte {
	if utf8.Valid(line) {
		return line
	}
	return bytes.ToValidUTF8(line, []byte("\uFFFD"))
}
