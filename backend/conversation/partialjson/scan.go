package partialjson

import "strings"

// state is what may come next. The states are those of encoding/json's scanner.
type state uint8

const (
	beginValue      state = iota // a value
	beginValueOrEnd              // a value, or ']': after '['
	beginNameOrEnd               // a name, or '}': after '{'
	beginName                    // a name: after ',' in an object
	afterName                    // ':'
	afterValue                   // ',' or the container's end
	ended                        // white space only
	inText                       // the characters of a string
	inEscape                     // after '\'
	inHex                        // the digits of a \u escape
	inLiteral                    // true, false, null
	numberSign                   // after '-'
	numberZero                   // after a leading 0
	numberDigits                 // in the digits before a point
	numberPoint                  // after '.'
	numberFraction               // in the digits after it
	numberE                      // after 'e'
	numberESign                  // after its sign
	numberExponent               // in its digits
)

func (s state) inString() bool { return s == inText || s == inEscape || s == inHex }

// endsNumber reports whether a number may end here.
func (s state) endsNumber() bool {
	return s == numberZero || s == numberDigits || s == numberFraction || s == numberExponent
}

// inNumber returns the state after a byte of a number; ok is false if the byte is none of the number.
func (s state) inNumber(c byte) (next state, ok bool) {
	digit := c >= '0' && c <= '9'
	switch {
	case s == numberSign && c == '0':
		return numberZero, true
	case s == numberSign && digit:
		return numberDigits, true
	case (s == numberZero || s == numberDigits) && c == '.':
		return numberPoint, true
	case (s == numberZero || s == numberDigits || s == numberFraction) && (c == 'e' || c == 'E'):
		return numberE, true
	case s == numberPoint && digit:
		return numberFraction, true
	case s == numberE && (c == '+' || c == '-'):
		return numberESign, true
	case (s == numberE || s == numberESign) && digit:
		return numberExponent, true
	case (s == numberDigits || s == numberFraction || s == numberExponent) && digit:
		return s, true
	}
	return s, false
}

// step reads the beginning of s, which is not empty, and returns how many bytes that were. A byte that only ends
// a number is not read: the next step sees it again.
func (r *Reader) step(s string) int {
	c := s[0]
	switch {
	case r.state == inText:
		return r.characters(s)
	case r.state == inEscape:
		return r.escape(c)
	case r.state == inHex:
		return r.hexDigit(c)
	case r.state == inLiteral:
		if c != r.literal[0] {
			return r.fail(c, "within true, false or null")
		}
		if r.literal = r.literal[1:]; r.literal == "" {
			r.finished(r.at+1, "")
		}
		return 1
	case r.state >= numberSign:
		return r.number(c)
	case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		n := 1
		for n < len(s) && (s[n] == ' ' || s[n] == '\t' || s[n] == '\r' || s[n] == '\n') {
			n++
		}
		return n
	}
	return r.structure(c)
}

// structure reads a byte between values.
func (r *Reader) structure(c byte) int {
	switch r.state {
	case beginValueOrEnd:
		if c == ']' {
			return r.pop()
		}
		return r.value(c)
	case beginValue:
		return r.value(c)
	case beginNameOrEnd, beginName:
		switch {
		case c == '}' && r.state == beginNameOrEnd:
			return r.pop()
		case c != '"':
			return r.fail(c, "where a name has to begin")
		}
		r.openString(true)
		return 1
	case afterName:
		if c != ':' {
			return r.fail(c, "after a name")
		}
		r.state = beginValue
		return 1
	case afterValue:
		object := r.open[len(r.open)-1] == '{'
		switch {
		case c == ',' && object:
			r.state = beginName
			return 1
		case c == ',':
			r.state = beginValue
			return 1
		case c == '}' && object, c == ']' && !object:
			return r.pop()
		}
		return r.fail(c, "after a value")
	default:
		return r.fail(c, "after the end")
	}
}

// value reads the first byte of a value.
func (r *Reader) value(c byte) int {
	var next state
	switch {
	case c == '{':
		next = beginNameOrEnd
	case c == '[':
		next = beginValueOrEnd
	case c == '"':
		next = inText
	case c == '-':
		next = numberSign
	case c == '0':
		next = numberZero
	case c >= '1' && c <= '9':
		next = numberDigits
	case c == 't':
		next, r.literal = inLiteral, "true"[1:]
	case c == 'f':
		next, r.literal = inLiteral, "false"[1:]
	case c == 'n':
		next, r.literal = inLiteral, "null"[1:]
	default:
		return r.fail(c, "where a value has to begin")
	}
	if (c == '{' || c == '[') && len(r.open) == maxDepth {
		return r.fail(c, "nests too deep")
	}
	r.began()
	r.state = next
	switch c {
	case '{', '[':
		r.open = append(r.open, c)
	case '"':
		r.openString(false)
	}
	return 1
}

func (r *Reader) pop() int {
	r.open = r.open[:len(r.open)-1]
	r.finished(r.at+1, "")
	return 1
}

// number reads a byte within or behind a number.
func (r *Reader) number(c byte) int {
	next, ok := r.state.inNumber(c)
	switch {
	case ok:
		r.state = next
		return 1
	case r.state.endsNumber():
		r.finished(r.at, "")
		return 0
	}
	return r.fail(c, "within a number")
}

// openString begins a string at its first character. What nobody is told about is not decoded.
func (r *Reader) openString(name bool) {
	r.isName, r.isTop = name, r.inTop()
	r.str.begin()
	r.state = inText
}

// characters reads the run of plain characters that s begins with, or what ends it.
func (r *Reader) characters(s string) int {
	n := 0
	for n < len(s) && s[n] >= ' ' && s[n] != '"' && s[n] != '\\' {
		n++
	}
	if n > 0 {
		if r.isTop {
			r.str.plain(s[:n])
		}
		return n
	}
	switch s[0] {
	case '"':
		r.closeString()
	case '\\':
		r.escaped(s[0], inEscape)
	default:
		return r.fail(s[0], "within a string")
	}
	return 1
}

func (r *Reader) closeString() {
	r.str.end()
	r.tell()
	text := r.str.String()
	switch {
	case !r.isName:
		r.finished(r.at+1, text)
		return
	case r.isTop:
		r.doc.name = text
	}
	r.state = afterName
}

// escaped takes a byte of an escape, after which the state is next.
func (r *Reader) escaped(c byte, next state) int {
	if r.isTop {
		r.str.escape(c, next == inText)
	}
	r.state = next
	return 1
}

func (r *Reader) escape(c byte) int {
	switch {
	case c == 'u':
		r.digits = 0
		return r.escaped(c, inHex)
	case strings.IndexByte(`"\/bfnrt`, c) >= 0:
		return r.escaped(c, inText)
	}
	return r.fail(c, `after "\"`)
}

func (r *Reader) hexDigit(c byte) int {
	if (c < '0' || c > '9') && (c|' ' < 'a' || c|' ' > 'f') {
		return r.fail(c, `within "\u"`)
	}
	if r.digits++; r.digits < 4 {
		return r.escaped(c, inHex)
	}
	return r.escaped(c, inText)
}
