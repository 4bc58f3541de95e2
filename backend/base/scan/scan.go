package scan

import (
	"bytes"
	"math"
	"strconv"
	"unsafe"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Lenient accepts duplicate names and invalid UTF-8, which some agents send.
var Lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// Valid reports whether b is exactly one JSON value.
func Valid(b []byte) bool { return jsontext.Value(b).IsValid(Lenient) }

func space(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func skipSpace(b []byte, i int) int {
	for i < len(b) && space(b[i]) {
		i++
	}
	return i
}

// SkipString returns the index after the string that begins at b[i], or len(b)+1 if it
// doesn't end.
func SkipString(b []byte, i int) int {
	from := i + 1
	for i = from; i < len(b); {
		q := bytes.IndexByte(b[i:], '"')
		if q < 0 {
			break
		}
		q += i
		n := q
		for n > from && b[n-1] == '\\' {
			n--
		}
		if (q-n)%2 == 0 {
			return q + 1
		}
		i = q + 1
		from = i
	}
	return len(b) + 1
}

// skipValue returns the index after the value that begins at b[i], or more than len(b)
// if it doesn't end.
func skipValue(b []byte, i int) int {
	if i >= len(b) {
		return len(b) + 1
	}
	switch b[i] {
	case '"':
		return SkipString(b, i)
	case '{', '[':
		for depth := 0; i < len(b); i++ {
			switch b[i] {
			case '"':
				i = SkipString(b, i) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
		return len(b) + 1
	}
	for i < len(b) && !space(b[i]) && b[i] != ',' && b[i] != '}' && b[i] != ']' {
		i++
	}
	return i
}

// Fields iterates over the members of an object; for anything else it yields nothing.
// Names are unquoted; values are slices of obj.
func Fields(obj []byte) func(yield func(name, value []byte) bool) {
	return func(yield func(name, value []byte) bool) { scanFields(obj, false, yield) }
}

// Members returns the names of an object's members in order, without duplicates, and the last value of each. Values are
// slices of obj.
func Members(obj []byte) (names []string, values map[string]jsontext.Value) {
	values = map[string]jsontext.Value{}
	for name, value := range Fields(obj) {
		if _, twice := values[string(name)]; !twice {
			names = append(names, string(name))
		}
		values[string(name)] = value
	}
	return names, values
}

// OpenFields is like [Fields] for a truncated object: the last value may be incomplete.
func OpenFields(obj []byte) func(yield func(name, value []byte) bool) {
	return func(yield func(name, value []byte) bool) { scanFields(obj, true, yield) }
}

func scanFields(obj []byte, open bool, yield func(name, value []byte) bool) {
	i := skipSpace(obj, 0)
	if i >= len(obj) || obj[i] != '{' {
		return
	}
	for i = skipSpace(obj, i+1); i < len(obj) && obj[i] == '"'; {
		end := SkipString(obj, i)
		if end > len(obj) {
			return
		}
		name := obj[i+1 : end-1]
		if bytes.IndexByte(name, '\\') >= 0 {
			name, _ = jsontext.AppendUnquote(nil, obj[i:end])
		}
		i = skipSpace(obj, end)
		if i >= len(obj) || obj[i] != ':' {
			return
		}
		i = skipSpace(obj, i+1)
		end = skipValue(obj, i)
		if end > len(obj) {
			if open && i < len(obj) {
				yield(name, obj[i:])
			}
			return
		}
		if !yield(name, obj[i:end]) {
			return
		}
		i = skipSpace(obj, end)
		if i < len(obj) && obj[i] == ',' {
			i = skipSpace(obj, i+1)
		}
	}
}

// Elements iterates over the elements of an array, with the index after each in arr.
func Elements(arr []byte) func(yield func(end int, value []byte) bool) {
	return func(yield func(end int, value []byte) bool) {
		i := skipSpace(arr, 0)
		if i >= len(arr) || arr[i] != '[' {
			return
		}
		for i = skipSpace(arr, i+1); i < len(arr) && arr[i] != ']'; {
			end := skipValue(arr, i)
			if end > len(arr) || end == i || !yield(end, arr[i:end]) {
				return
			}
			i = skipSpace(arr, end)
			if i < len(arr) && arr[i] == ',' {
				i = skipSpace(arr, i+1)
			}
		}
	}
}

// Member returns the value of the last member with the name, or nil.
func Member(obj []byte, name string) (found []byte) {
	for n, v := range Fields(obj) {
		if string(n) == name {
			found = v
		}
	}
	return found
}

// Null reports whether a value is absent or null, which ACP treats alike.
func Null(v []byte) bool { return len(v) == 0 || v[0] == 'n' }

// longText is the size in bytes above which a text with escapes is not copied again.
const longText = 1 << 20

// Text reads a JSON string. Lone surrogates become U+FFFD.
func Text(v []byte) (string, bool) {
	if len(v) < 2 || v[0] != '"' {
		return "", false
	}
	if bytes.IndexByte(v, '\\') < 0 {
		return string(v[1 : len(v)-1]), true
	}
	s, _ := jsontext.AppendUnquote(make([]byte, 0, len(v)), v)
	if len(s) < longText {
		return string(s), true
	}
	return unsafe.String(&s[0], len(s)), true //nolint:gosec // s isn't shared; copying would double the memory for a long text
}

// Label reads a string, or returns a number or boolean as written.
func Label(v []byte) (string, bool) {
	if s, ok := Text(v); ok {
		return s, true
	}
	if len(v) > 0 && (v[0] == 't' || v[0] == 'f' || v[0] == '-' || v[0] >= '0' && v[0] <= '9') {
		return string(v), true
	}
	return "", false
}

// Integer reads an integer, also written as 3.0 or "3".
func Integer(v []byte) (int, bool) {
	if s, ok := Text(v); ok {
		v = []byte(s)
	}
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int(f), true
}

// Clone returns a copy of v, so that its line can be released or reused.
func Clone(v []byte) jsontext.Value {
	if v == nil {
		return nil
	}
	return jsontext.Value(bytes.Clone(v))
}
