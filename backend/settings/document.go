package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"weft/backend/base/fault"
)

// node is a JSON value with its position, the order of its members, and its exact text. Error positions and the
// preservation of unknown fields need these, and encoding/json doesn't keep them.
type node struct {
	offset  int // of the value's first byte
	kind    byte
	raw     json.RawMessage // scalars only
	members []member        // objects, in file order
	items   []*node         // arrays
}

// Kinds of node.
const (
	kindObject = '{'
	kindArray  = '['
	kindString = '"'
	kindNumber = '0'
	kindOther  = 'x' // true, false, null
)

type member struct {
	key    string
	offset int // of the key
	value  *node
}

// get returns the value of an object's member, or nil.
func (n *node) get(key string) *node {
	if n == nil {
		return nil
	}
	for _, m := range n.members {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// set replaces a member's value in place, or adds it at the end.
func (n *node) set(key string, value *node) {
	for i, m := range n.members {
		if m.key == key {
			n.members[i].value = value
			return
		}
	}
	n.members = append(n.members, member{key: key, value: value})
}

// remove removes a member, if it exists.
func (n *node) remove(key string) {
	for i, m := range n.members {
		if m.key == key {
			n.members = append(n.members[:i], n.members[i+1:]...)
			return
		}
	}
}

// list returns the items of an array, or nil.
func (n *node) list() []*node {
	if n == nil {
		return nil
	}
	return n.items
}

// str returns the text of a string node, or "".
func (n *node) str() string {
	var s string
	if n != nil && n.kind == kindString {
		_ = json.Unmarshal(n.raw, &s) // raw is valid JSON
	}
	return s
}

// parse parses a whole document. A duplicate key is a problem, because only one of the values could be in force.
func parse(data []byte) (*node, *Problem) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, problemAt(data, 0, fault.Say("The file is empty. Write {} for the default settings, or delete the file."))
	}
	var check json.RawMessage
	if err := json.Unmarshal(data, &check); err != nil {
		var syntax *json.SyntaxError
		if !errors.As(err, &syntax) {
			return nil, problemAt(data, 0, fault.Say("This isn't JSON: {{reason}}.", err))
		}
		if int(syntax.Offset) >= len(bytes.TrimRight(data, " \t\r\n")) && syntax.Error() == "unexpected end of JSON input" {
			return nil, problemAt(data, len(bytes.TrimRight(data, " \t\r\n")), fault.Say("The JSON ends too early: a closing brace, bracket or quote is missing."))
		}
		return nil, problemAt(data, int(syntax.Offset)-1, fault.Say("This isn't valid JSON: {{reason}}.", syntax))
	}
	p := &parser{data: data, dec: json.NewDecoder(bytes.NewReader(data))}
	p.dec.UseNumber()
	root, problem := p.value()
	if problem != nil {
		return nil, problem
	}
	return root, nil
}

type parser struct {
	data []byte
	dec  *json.Decoder
}

// next returns the next token and the offset of its first byte.
func (p *parser) next() (json.Token, int, *Problem) {
	start := int(p.dec.InputOffset())
	for start < len(p.data) && strings.IndexByte(" \t\r\n,:", p.data[start]) >= 0 {
		start++
	}
	tok, err := p.dec.Token()
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, problemAt(p.data, start, fault.Say("This isn't valid JSON: {{reason}}.", err))
	}
	return tok, start, nil
}

func (p *parser) value() (*node, *Problem) {
	tok, start, problem := p.next()
	if problem != nil {
		return nil, problem
	}
	n := &node{offset: start}
	switch tok {
	case json.Delim('{'):
		n.kind = kindObject
		return n, p.object(n)
	case json.Delim('['):
		n.kind = kindArray
		for p.dec.More() {
			item, problem := p.value()
			if problem != nil {
				return nil, problem
			}
			n.items = append(n.items, item)
		}
		_, _, problem = p.next()
		return n, problem
	}
	n.raw = json.RawMessage(p.data[start:p.dec.InputOffset()])
	switch tok.(type) {
	case string:
		n.kind = kindString
	case json.Number:
		n.kind = kindNumber
	default:
		n.kind = kindOther
	}
	return n, nil
}

func (p *parser) object(n *node) *Problem {
	for p.dec.More() {
		tok, offset, problem := p.next()
		if problem != nil {
			return problem
		}
		key, _ := tok.(string)
		if n.get(key) != nil {
			return problemAt(p.data, offset, fault.Say("“{{key}}” is given twice. Remove one of them.", key))
		}
		value, problem := p.value()
		if problem != nil {
			return problem
		}
		n.members = append(n.members, member{key: key, offset: offset, value: value})
	}
	_, _, problem := p.next()
	return problem
}

// encode writes the tree compactly.
func (n *node) encode(b *bytes.Buffer) {
	switch n.kind {
	case kindObject:
		b.WriteByte('{')
		for i, m := range n.members {
			if i > 0 {
				b.WriteByte(',')
			}
			b.Write(marshal(m.key))
			b.WriteByte(':')
			m.value.encode(b)
		}
		b.WriteByte('}')
	case kindArray:
		b.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.encode(b)
		}
		b.WriteByte(']')
	default:
		b.Write(n.raw)
	}
}

// marshal is like json.Marshal without escaping <, > and &, so that the file is easier to read. It panics if v can't
// be marshaled.
func marshal(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // only called with plain structs
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
