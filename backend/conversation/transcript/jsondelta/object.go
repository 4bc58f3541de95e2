// Package jsondelta turns a growing JSON object, sent whole again and again, into fragments that each add the new part.
// The concatenated fragments are the text of one JSON object (docs/decisions/0013).
//
// It imports no other package of Weft.
package jsondelta

import (
	"bytes"
	"strings"
)

// MaxSize is the maximum size of an object that is compared with the one before, in bytes.
const MaxSize = 4 << 20

// Object records how much of an object was sent. It holds back the end of the last value, so that the value can grow.
// The zero value is an object of which nothing was sent.
type Object struct {
	fields []field
	open   int // index of the field whose value can grow
	sent   int // bytes of that value
}

// field is a top-level field of an object; both slices are JSON. The value begins at start of the object.
type field struct {
	name, value []byte
	start       int
}

// Grow returns the fragment that turns the object before into next, and records it. It returns false if no fragment can
// do that and next must be sent whole. The first fragment begins the object. The caller must not change either slice
// afterwards.
func (g *Object) Grow(before, next []byte) (fragment []byte, ok bool) {
	if fragment, ok := g.growLast(before, next); ok {
		return fragment, true
	}
	fields, ok := topLevel(next)
	if !ok || len(fields) == 0 {
		return nil, false
	}
	fresh := g.fields == nil
	if fresh {
		// The first version of an object usually is most of it.
		if g.fields, ok = topLevel(before); !ok || len(g.fields) == 0 {
			*g = Object{}
			return nil, false
		}
	}
	old := make(map[string][]byte, len(g.fields))
	for _, f := range g.fields {
		old[string(f.name)] = f.value
	}
	if len(fields) < len(g.fields) || !holds(fields, old) {
		*g = Object{}
		return nil, false
	}
	if fresh {
		return g.begin(fields, old), true
	}
	return g.appendChanges(fields, old), true
}

// growLast handles the common case: the last field is a string that has grown, and nothing else has changed. Apart from
// comparing bytes, it reads only the new part.
func (g *Object) growLast(before, next []byte) (fragment []byte, ok bool) {
	if g.fields == nil || g.open != len(g.fields)-1 {
		return nil, false
	}
	f := g.fields[g.open]
	at := f.start + g.sent
	if f.value[0] != '"' || len(next) > MaxSize || len(next) <= at || !bytes.Equal(before[:at], next[:at]) {
		return nil, false
	}
	n := endOfString(next[at-1:]) // the first byte matters only if it escapes the next one
	if escaped(next[:at]) || n < 0 || string(bytes.TrimSpace(next[at-1+n:])) != "}" {
		return nil, false
	}
	f.value = next[f.start : at-1+n : at-1+n]
	from := g.sent
	g.fields[g.open], g.sent = f, max(from, openLen(f.value))
	return f.value[from:g.sent], true
}

// begin writes the whole object, with the field that changed last at the end.
func (g *Object) begin(fields []field, old map[string][]byte) []byte {
	last := len(fields) - 1
	for i, f := range fields {
		if was, known := old[string(f.name)]; !known || !bytes.Equal(was, f.value) {
			last = i
		}
	}
	out := []byte{'{'}
	for i, f := range fields {
		if i != last {
			out = append(append(appendName(out, f), f.value...), ',')
		}
	}
	return g.leaveOpen(appendName(out, fields[last]), fields, last)
}

// appendChanges writes the difference.
func (g *Object) appendChanges(fields []field, old map[string][]byte) []byte {
	held := g.fields[g.open]
	var changed []int
	at, grew := -1, false
	for i, f := range fields {
		was, known := old[string(f.name)]
		switch {
		case bytes.Equal(f.name, held.name):
			at, grew = i, bytes.HasPrefix(f.value, held.value[:g.sent])
			if !grew {
				changed = append(changed, i)
			}
		case !known || !bytes.Equal(was, f.value):
			changed = append(changed, i)
		}
	}
	if len(changed) == 0 {
		from := g.sent
		g.fields, g.open = fields, at
		g.sent = max(from, openLen(fields[at].value))
		return fields[at].value[from:g.sent]
	}
	var out []byte
	if grew {
		out = append(out, fields[at].value[g.sent:]...)
	} else {
		out = append(out, held.value[g.sent:]...)
	}
	for n, i := range changed {
		out = appendName(append(out, ','), fields[i])
		if n < len(changed)-1 {
			out = append(out, fields[i].value...)
		}
	}
	return g.leaveOpen(out, fields, changed[len(changed)-1])
}

func (g *Object) leaveOpen(out []byte, fields []field, i int) []byte {
	g.fields, g.open, g.sent = fields, i, openLen(fields[i].value)
	return append(out, fields[i].value[:g.sent]...)
}

func appendName(out []byte, f field) []byte { return append(append(out, f.name...), ':') }

// holds reports whether all names of old are among the fields.
func holds(fields []field, old map[string][]byte) bool {
	n := 0
	for _, f := range fields {
		if _, ok := old[string(f.name)]; ok {
			n++
		}
	}
	return n == len(old)
}

// openLen returns how many bytes of a value can be sent while it may grow: all except its closing characters and half a
// surrogate pair at the end of a string.
func openLen(v []byte) int {
	n := len(v)
	for n > 1 && (v[n-1] == '}' || v[n-1] == ']' || v[n-1] == ' ' || v[n-1] == '\n' || v[n-1] == '\t' || v[n-1] == '\r') {
		n--
	}
	if n > 1 && v[n-1] == '"' {
		n--
	} else {
		return n
	}
	if n >= 6 && v[n-6] == '\\' && v[n-5] == 'u' && (v[n-4] == 'd' || v[n-4] == 'D') && strings.IndexByte("89abAB", v[n-3]) >= 0 && !escaped(v[:n-6]) {
		n -= 6
	}
	return n
}

// escaped reports whether the byte after b is escaped: b ends with an odd number of backslashes.
func escaped(b []byte) bool {
	n := len(b)
	for n > 0 && b[n-1] == '\\' {
		n--
	}
	return (len(b)-n)%2 == 1
}

// topLevel splits a JSON object into its fields. It reads their values only to find the ends. It returns false for
// other values, and for an object with a duplicate name.
func topLevel(v []byte) (list []field, ok bool) {
	if len(v) > MaxSize {
		return nil, false
	}
	v = bytes.TrimRight(v, " \t\r\n")
	end := len(v)
	v = bytes.TrimSpace(v)
	if len(v) < 2 || v[0] != '{' || v[len(v)-1] != '}' {
		return nil, false
	}
	list = []field{}
	seen := map[string]bool{}
	for v = bytes.TrimSpace(v[1:]); len(v) > 0 && v[0] != '}'; {
		n := endOfValue(v)
		if v[0] != '"' || n < 0 || seen[string(v[:n])] {
			return nil, false
		}
		f := field{name: v[:n]}
		seen[string(f.name)] = true
		v = bytes.TrimLeft(v[n:], " \t\r\n")
		if len(v) == 0 || v[0] != ':' {
			return nil, false
		}
		v = bytes.TrimLeft(v[1:], " \t\r\n")
		if n = endOfValue(v); n <= 0 {
			return nil, false
		}
		f.value, f.start = v[:n:n], end-len(v)
		list = append(list, f)
		v = bytes.TrimLeft(v[n:], " \t\r\n")
		if len(v) > 0 && v[0] == ',' {
			v = bytes.TrimLeft(v[1:], " \t\r\n")
		}
	}
	return list, true
}

// endOfValue returns the index of the end of the JSON value at the start of v, or -1.
func endOfValue(v []byte) int {
	depth := 0
	for i := 0; i < len(v); i++ {
		switch v[i] {
		case '"':
			n := endOfString(v[i:])
			if n < 0 {
				return -1
			}
			i += n - 1
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
	}
	return -1
}

func endOfString(v []byte) int {
	for i := 1; ; i++ {
		n := bytes.IndexByte(v[i:], '"')
		if n < 0 {
			return -1
		}
		if i += n; !escaped(v[1:i]) {
			return i + 1
		}
	}
}
