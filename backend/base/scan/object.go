package scan

// Object scans a JSON object that arrives in pieces. Each piece must end where a token ends, as lines of JSON do. It
// checks the syntax as it goes, so it can report where the text stops being JSON. The parser's limits still need a pass
// of [Valid] over the whole object. The zero value is ready for an object.
type Object struct {
	open  []byte // open brackets, outermost first
	wants wants
}

// Progress is the state of an [Object] after a piece.
type Progress uint8

// The values of [Progress].
const (
	Unfinished Progress = iota // the whole piece belongs to the object, which continues
	Finished
	Malformed // not JSON
)

// wants is the kind of token that may come next.
type wants uint8

const (
	wantsValue   wants = iota
	wantsElement       // a value, or the end of the array
	wantsName          // of a member
	wantsMember        // a name, or the end of the object
	wantsColon
	wantsComma // or the end of the object or array
)

// maxDepth is the maximum nesting depth, the same as the parser's.
const maxDepth = 10_000

// Next reads the next piece. For a finished object, n is the index after its end. For malformed text, n is the index of
// the token that doesn't fit, or the index after it if it is a string.
func (o *Object) Next(b []byte) (n int, p Progress) {
	for n = skipSpace(b, 0); n < len(b); n = skipSpace(b, n) {
		end, ok := o.token(b, n)
		if !ok {
			return end, Malformed
		}
		if n = end; len(o.open) == 0 {
			return n, Finished
		}
	}
	return n, Unfinished
}

// token reads the token at b[i] and returns the index after it. If the token doesn't fit, it returns the same index as
// [Object.Next].
func (o *Object) token(b []byte, i int) (end int, ok bool) {
	switch c := b[i]; {
	case c == '{' || c == '[':
		if !o.opens(c) {
			return i, false
		}
		return i + 1, true
	case c == '}' || c == ']':
		if !o.closes(c) {
			return i, false
		}
		return i + 1, true
	case c == ':' && o.wants == wantsColon:
		o.wants = wantsValue
		return i + 1, true
	case c == ',' && o.wants == wantsComma:
		o.wants = wantsValue
		if o.open[len(o.open)-1] == '{' {
			o.wants = wantsName
		}
		return i + 1, true
	case len(o.open) == 0 || o.wants == wantsColon || o.wants == wantsComma:
		return i, false
	}
	named := o.wants == wantsName || o.wants == wantsMember
	if named && b[i] != '"' {
		return i, false
	}
	if end = min(skipValue(b, i), len(b)); end == i || !Valid(b[i:end]) {
		if b[i] != '"' {
			end = i
		}
		return end, false
	}
	o.wants = wantsComma
	if named {
		o.wants = wantsColon
	}
	return end, true
}

func (o *Object) opens(c byte) bool {
	if len(o.open) == 0 {
		if c != '{' {
			return false
		}
	} else if o.wants != wantsValue && o.wants != wantsElement || len(o.open) == maxDepth {
		return false
	}
	o.open = append(o.open, c)
	o.wants = wantsElement
	if c == '{' {
		o.wants = wantsMember
	}
	return true
}

func (o *Object) closes(c byte) bool {
	if len(o.open) == 0 || o.open[len(o.open)-1] != c-2 { // in ASCII, '[' and ']' are two apart, and so are '{' and '}'
		return false
	}
	if o.wants != wantsComma && (c != '}' || o.wants != wantsMember) && (c != ']' || o.wants != wantsElement) {
		return false
	}
	o.open = o.open[:len(o.open)-1]
	o.wants = wantsComma
	return true
}
