package repo

import (
	"bytes"
	"errors"
	"strings"
)

// ErrUnclear reports that it isn't certain what git would do with a repository.
var ErrUnclear = errors.New("the repository's configuration can't be read for certain")

// Entry is one setting of a configuration file.
type Entry struct {
	Key   string // "section.name" or "section.subsection.name"; section and name in lower case
	Value string
	Set   bool   // it has a value; a name without one means true
	File  string // the configuration file
}

// Split returns the parts of the key.
func (e Entry) Split() (section, subsection, name string) {
	first, last := strings.IndexByte(e.Key, '.'), strings.LastIndexByte(e.Key, '.')
	if first < 0 {
		return "", "", e.Key
	}
	if first < last {
		subsection = e.Key[first+1 : last]
	}
	return e.Key[:first], subsection, e.Key[last+1:]
}

// parser reads a configuration file character by character, like git.
type parser struct {
	text []byte
	at   int
	eof  bool
}

// parse returns the settings of a configuration file in order. If git would reject the file, it returns [ErrUnclear].
func parse(text []byte) ([]Entry, error) {
	if bytes.IndexByte(text, 0) >= 0 {
		return nil, ErrUnclear
	}
	p := &parser{text: bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))}
	var list []Entry
	section, comment := "", false
	for {
		c := p.next()
		switch {
		case c == '\n':
			if p.eof {
				return list, nil
			}
			comment = false
		case comment || space(c):
		case c == '#' || c == ';':
			comment = true
		case c == '[':
			name, ok := p.section()
			if !ok {
				return nil, ErrUnclear
			}
			section = name + "."
		case !letter(c):
			return nil, ErrUnclear
		default:
			e, ok := p.entry(section, c)
			if !ok {
				return nil, ErrUnclear
			}
			list = append(list, e)
		}
	}
}

// next returns the next character, or a line feed at the end of the text. A carriage return before a line feed is
// skipped.
func (p *parser) next() byte {
	if p.at >= len(p.text) {
		p.eof = true
		return '\n'
	}
	c := p.text[p.at]
	p.at++
	if c == '\r' && p.at < len(p.text) && p.text[p.at] == '\n' {
		p.at++
		return '\n'
	}
	return c
}

// section reads the name of a section after its bracket.
func (p *parser) section() (string, bool) {
	var name []byte
	for {
		c := p.next()
		switch {
		case p.eof:
			return "", false
		case c == ']':
			return string(name), len(name) > 0
		case space(c):
			return p.subsection(name, c)
		case !keyChar(c) && c != '.':
			return "", false
		}
		name = append(name, lower(c))
	}
}

// subsection reads a quoted subsection and the closing bracket.
func (p *parser) subsection(name []byte, c byte) (string, bool) {
	for ; space(c); c = p.next() {
		if c == '\n' {
			return "", false
		}
	}
	if c != '"' {
		return "", false
	}
	name = append(name, '.')
	for {
		c = p.next()
		if c == '"' {
			break
		}
		if c == '\\' {
			c = p.next()
		}
		if c == '\n' {
			return "", false
		}
		name = append(name, c)
	}
	return string(name), p.next() == ']'
}

// entry reads a name that begins with first, and its value.
func (p *parser) entry(section string, first byte) (Entry, bool) {
	name := []byte{lower(first)}
	c := p.next()
	for ; keyChar(c); c = p.next() {
		name = append(name, lower(c))
	}
	e := Entry{Key: section + string(name)}
	for c == ' ' || c == '\t' {
		c = p.next()
	}
	if c == '\n' {
		return e, true
	}
	if c != '=' {
		return e, false
	}
	var ok bool
	e.Value, ok = p.value()
	e.Set = true
	return e, ok
}

func (p *parser) value() (string, bool) {
	var b []byte
	quoted, comment, spaces := false, false, 0
	for {
		c := p.next()
		switch {
		case c == '\n':
			return string(b), !quoted
		case comment:
			continue
		case space(c) && !quoted:
			if len(b) > 0 {
				spaces++
			}
			continue
		case !quoted && (c == ';' || c == '#'):
			comment = true
			continue
		}
		for ; spaces > 0; spaces-- {
			b = append(b, ' ')
		}
		switch c {
		case '"':
			quoted = !quoted
			continue
		case '\\':
			switch c = p.next(); c {
			case '\n':
				continue
			case 't':
				c = '\t'
			case 'b':
				c = '\b'
			case 'n':
				c = '\n'
			case '\\', '"':
			default:
				return "", false
			}
		}
		b = append(b, c)
	}
}

func space(c byte) bool   { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
func letter(c byte) bool  { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func keyChar(c byte) bool { return letter(c) || c >= '0' && c <= '9' || c == '-' }

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
