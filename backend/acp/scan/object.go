package scan

// Object follows an object whose text comes in pieces. Each piece must end where a token ends, as lines of JSON do. It checks as it goes, so
// that it can say where a text stops being JSON; a pass of [Valid] over the whole is still needed for what a parser limits. The zero value waits for
// the object to begin.
type Object struct {
	open  []byte // the brackets that are open, outermost first
	wants wants
}

// Progress says how far an [Object] has got.
type Progress uint8

// The kinds of progress.
const (
	Unfinished Progress = iota // all of the piece belongs to the object, which continues
	Finished
	Malformed // it is no JSON
)

// wants is what may come next.
type wants uint8

const (
	wantsValue   wants = iota
	wantsElement       // a value, or the end of the array
	wantsName          // of a member
	wantsMember        // a name, or the end of the object
	wantsColon
	wantsComma // or the end of the object or array
)

// maxDepth is how deep values may be nested: as deep as the parser allows.
const maxDepth = 10_000

// Next reads the next piece. N is the index behind the end of a finished object. Of a text that is no JSON it is where the token begins that
// doesn't fit, or behind that token if it is a string.
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

// token reads the token at b[i]. It returns the index behind it, or, if it is wrong, what [Object.Next] does.
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
	if len(o.open) == 0 || o.open[len(o.open)-1] != c-2 { // in ASCII, the brackets of a pair are two apart
		return false
	}
	if o.wants != wantsComma && (c != '}' || o.wants != wantsMember) && (c != ']' || o.wants != wantsElement) {
		return false
	}
	o.open = o.open[:len(o.open)-1]
	o.wants = wantsComma
	return true
}
