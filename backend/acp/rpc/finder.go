package rpc

import (
	"bytes"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp/lines"
	"weft/backend/acp/scan"
)

// Piece is a part of what a program has written.
type Piece struct {
	Text  []byte // valid JSON on one line, in which there are messages, unless Noise is set
	Noise string // why the text is no message
	// About is what can be read of a message that is damaged, if Text is one and it has an id; else nil.
	About *Message
	// Oversize is what is kept of a message that is too long; Text is then nil.
	Oversize *lines.Oversize
}

// Finder finds the messages in the lines of a program. Each complete object is taken as a whole, so that nothing within one counts as a message.
type Finder struct {
	max    int
	held   *held // nil if no object is
	pieces []Piece
}

// NewFinder returns a finder of messages that have at most so many bytes.
func NewFinder(max int) *Finder { return &Finder{max: max} }

// held is an object that has begun on a line and doesn't end there, such as a message that is printed over several lines. It is given up by a
// line that doesn't continue it, or that is a message by itself.
type held struct {
	object scan.Object
	text   []byte          // until it is too long
	over   *lines.Oversize // what is kept of one that is too long, else nil
	inText bool            // there was text before it on its line
	member bool            // it is the value of a member of something that could not be read, and so no message
	more   bool            // it has lines behind its first
	// next is an object that begins the line behind the first one of this. The value that this one waits for may be a message of its own, where the rest
	// of this one was never written; nil if there is none. With list, that line begins a list, and next is its first object.
	next *held
	list bool
}

// Holds reports whether an object has begun that no line has ended yet.
func (f *Finder) Holds() bool { return f.held != nil }

// Line takes a line without its end, and returns what has become complete with it, in order. That is valid until the next call, and so is the line's text
// in it. Nothing comes of a blank line, nor of one that begins or continues an object and doesn't end it.
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

// Oversize takes a line that is too long to be kept.
func (f *Finder) Oversize(over *lines.Oversize) []Piece {
	f.pieces = f.pieces[:0]
	f.giveUp(nil)
	f.pieces = append(f.pieces, Piece{Oversize: over})
	return f.pieces
}

// End takes what is behind the last line end and says that nothing follows. Of a message that is broken off there it is not said whom it answers: there is
// no answer because the output has ended.
func (f *Finder) End(rest []byte) []Piece {
	f.Line(rest)
	f.giveUp(nil)
	for i := range f.pieces {
		f.pieces[i].About = nil
	}
	return f.pieces
}

// add appends what belongs to the object. Of an object that becomes longer than a message may be, only the ends are kept.
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

// continues takes a line that belongs to the object that is held. It is false where nothing is held afterwards, and the line stands for itself.
func (f *Finder) continues(line []byte) bool {
	h := f.held
	text := readable(line)
	if len(text) > 0 && (text[0] == '{' || text[0] == '[') && scan.Valid(text) { // what is printed over several lines is indented
		if m := Read(firstOf(text)); m.Valid() {
			f.giveUp(nil)
			return false
		}
	}
	if f.instead(text) {
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

// instead takes a line that may belong to an object that begins the line behind the first one of what is held. It is true where that is a message, and
// complete with the line: what is held was broken off.
func (f *Finder) instead(text []byte) bool {
	h := f.held
	switch broken := !h.more && len(bytes.TrimSpace(h.text)) > 1; { // a message that is printed over several lines begins with its brace only
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
		h.text, _, _ = bytes.Cut(h.text, []byte{'\n'}) // the rest is the message's
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

// giveUp ends the object that is held as damaged, if there is one. More is what of the next line still fits it.
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

// maxDamaged is how many objects that are broken off on a line are looked at for whom they answer.
const maxDamaged = 16

// split takes apart a line that is not one JSON value: messages with text before, between or behind them.
func (f *Finder) split(line []byte) {
	from := 0          // of the text that is no message
	var about *Message // that is in it
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

// begunIn returns where in a text that ends where it stops being JSON another object begins, 0 if none does: something that was broken off within a
// string continues to the first quote of what follows it, or to the end of the line.
func begunIn(text []byte) int {
	text = bytes.TrimRight(bytes.TrimSuffix(text, []byte{'"'}), " \t")
	if !bytes.HasSuffix(text, []byte{'{'}) {
		return 0
	}
	return len(text) - 1
}

// isMember reports whether what follows the text is the value of a member of an object that could not be read. Behind an escaped quote it isn't: that
// is in a string that was broken off.
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

// readable is a line as valid UTF-8.
func readable(line []byte) []byte {
	if utf8.Valid(line) {
		return line
	}
	return bytes.ToValidUTF8(line, []byte("\uFFFD"))
}
