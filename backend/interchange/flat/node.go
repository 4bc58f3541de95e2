package flat

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// node is a JSON value and its first line.
type node struct {
	raw  jsontext.Value
	line int
}

func (n node) kind() jsontext.Kind { return n.raw.Kind() }

// there reports whether there is a value other than null.
func (n node) there() bool { return len(n.raw) > 0 && n.kind() != 'n' }

// text returns the value of a JSON string, or "".
func (n node) text() (s string) {
	if n.there() && n.kind() == '"' {
		_ = json.Unmarshal(n.raw, &s, lenient)
	}
	return s
}

// list returns the elements of an array.
func (n node) list() (list []node) {
	if !n.there() || n.kind() != '[' {
		return nil
	}
	n.each(func(_ string, value node) { list = append(list, value) })
	return list
}

// object holds the members of a JSON object. For duplicate names it has the last one.
type object map[string]node

func (n node) object() object {
	if !n.there() || n.kind() != '{' {
		return nil
	}
	o := object{}
	n.each(func(name string, value node) { o[name] = value })
	return o
}

// each calls f with the members of an object, or with the elements of an array and no names.
func (n node) each(f func(name string, value node)) {
	d := jsontext.NewDecoder(bytes.NewBuffer(n.raw), lenient)
	named := n.kind() == '{'
	if _, err := d.ReadToken(); err != nil {
		return
	}
	line, counted := n.line, int64(0)
	for k := d.PeekKind(); k != '}' && k != ']' && k != 0; k = d.PeekKind() {
		name := ""
		if named {
			token, err := d.ReadToken()
			if err != nil {
				return
			}
			name = token.String()
		}
		raw, err := d.ReadValue()
		if err != nil {
			return
		}
		end := d.InputOffset()
		start := end - int64(len(raw))
		line += bytes.Count(n.raw[counted:start], []byte{'\n'})
		counted = start
		f(name, node{n.raw[start:end], line})
	}
}

// first returns the first of the names that has a value.
func (o object) first(names ...string) node {
	for _, name := range names {
		if v := o[name]; v.there() {
			return v
		}
	}
	return node{}
}

func (o object) has(names ...string) bool { return o.first(names...).there() }

func (o object) text(names ...string) string {
	for _, name := range names {
		if s := o[name].text(); s != "" {
			return s
		}
	}
	return ""
}

func (o object) truth(names ...string) bool { return string(o.first(names...).raw) == "true" }

// value returns the compacted JSON value, or nil.
func (n node) value() jsontext.Value {
	if !n.there() {
		return nil
	}
	v := n.raw.Clone()
	if v.Compact(lenient) != nil {
		return nil
	}
	return v
}

// label returns at most most characters of a text on one line.
func label(s string, most int) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\u2028' || r == '\u2029' }), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
