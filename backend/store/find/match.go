package find

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"weft/backend/conversation/search"
	"weft/backend/store/db"
)

// pattern is a query, prepared to search many texts.
type pattern struct {
	want []rune
	// next is the failure function of Knuth, Morris and Pratt: how many characters still match if the one after i
	// doesn't.
	next []int
	// skip is false for the bytes at which a match may begin.
	skip [256]bool
	// loose is the pattern without characters that Markdown may hide, nil if none remain. See mayBeDrawn.
	loose *pattern
	hides bool // this is a loose pattern
}

// newPattern returns the pattern for a query, or nil if the query has no characters to search for.
func newPattern(query string) *pattern {
	p := patternOf([]rune(Folded(query)))
	if p != nil {
		p.loose = patternOf(slices.DeleteFunc(slices.Clone(p.want), func(r rune) bool { return r < utf8.RuneSelf && hides[r] }))
		if p.loose != nil {
			p.loose.hides = true
		}
	}
	return p
}

func patternOf(want []rune) *pattern {
	if len(want) == 0 {
		return nil
	}
	p := &pattern{want: want}
	p.next = make([]int, len(p.want))
	for i, k := 1, 0; i < len(p.want); i++ {
		for k > 0 && p.want[i] != p.want[k] {
			k = p.next[k-1]
		}
		if p.want[i] == p.want[k] {
			k++
		}
		p.next[i] = k
	}
	for b := range p.skip {
		p.skip[b] = b < utf8.RuneSelf && b != escape && rune(lower[b]) != p.want[0]
	}
	return p
}

// matcher finds the pattern in a text that comes in pieces, which may end in the middle of a character. Matches don't
// overlap.
type matcher struct {
	*pattern
	have   int     // characters that match so far
	starts []int64 // offsets of the last characters, by their number modulo len(want)
	seen   int     // characters so far, modulo len(want)
	at     int64   // offset of the next piece
	cut    []byte  // the beginning of a character that continues in the next piece
	open   bool    // the last character ends a match, which following diacritics extend
	folded []byte  // of the last character
	color  state   // position in a control sequence of a terminal, which isn't drawn
	match  func(start, end int64)
	extend func(end int64)
}

// state is the position of the matcher in a control sequence of a terminal.
type state uint8

const (
	plain   state = iota
	begun         // after an escape character
	control       // in a control sequence, until its last byte
	command       // in a command of the operating system, such as a link, until BEL or an escape character
)

const escape = 0x1b

// after returns the state after a character.
func (s state) after(r rune) state {
	switch {
	case r == escape:
		return begun
	case s == begun && r == '[':
		return control
	case s == begun && r == ']':
		return command
	case s == control && (r < 0x40 || r > 0x7e), s == command && r != 0x07:
		return s
	}
	return plain
}

// newMatcher returns a matcher that calls match for each match, and extend when diacritics follow the last match.
func newMatcher(p *pattern, match func(start, end int64), extend func(end int64)) *matcher {
	return &matcher{pattern: p, starts: make([]int64, len(p.want)), match: match, extend: extend}
}

// feed takes the next piece of the text.
func (m *matcher) feed(piece []byte) {
	if len(m.cut) > 0 {
		piece = append(m.cut, piece...)
		m.at -= int64(len(m.cut))
		m.cut = nil
	}
	whole := db.TrimEnd(piece)
	for i := 0; i < len(whole); {
		if m.have == 0 && !m.open && m.color == plain {
			for i < len(whole) && m.skip[whole[i]] {
				i++
			}
			if i == len(whole) {
				break
			}
		}
		r, size := rune(whole[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(whole[i:])
		}
		if next := m.color.after(r); next != plain || m.color != plain {
			m.color = next
		} else {
			m.char(r, m.at+int64(i), m.at+int64(i+size))
		}
		i += size
	}
	m.cut = append([]byte(nil), piece[len(whole):]...)
	m.at += int64(len(piece))
}

// stand takes a piece of the text that is drawn as another text.
func (m *matcher) stand(piece []byte, drawn string) {
	m.flush()
	end := m.at + int64(len(piece))
	for _, r := range drawn {
		m.char(r, m.at, end)
	}
	m.at = end
}

// flush takes the bytes of an incomplete character as they are.
func (m *matcher) flush() {
	if cut := m.cut; len(cut) > 0 {
		m.cut = nil
		m.char(utf8.RuneError, m.at-int64(len(cut)), m.at)
	}
}

// char takes a character and its offsets.
func (m *matcher) char(r rune, start, end int64) {
	if r < utf8.RuneSelf {
		m.take(rune(lower[r]), start, end)
		return
	}
	m.folded = search.AppendFold(m.folded[:0], r)
	if len(m.folded) == 0 {
		if m.open {
			m.extend(end)
		}
		return
	}
	for at := 0; at < len(m.folded); {
		f, size := utf8.DecodeRune(m.folded[at:])
		if at += size; m.take(f, start, end) {
			return // the rest of the character is a part of the match
		}
	}
}

// take takes a folded character, with the offsets of the original. It reports whether a match ends with it.
func (m *matcher) take(r rune, start, end int64) bool {
	if m.hides && r < utf8.RuneSelf && hides[r] {
		return false
	}
	m.open = false
	m.starts[m.seen] = start
	m.seen = (m.seen + 1) % len(m.want)
	for m.have > 0 && r != m.want[m.have] {
		m.have = m.next[m.have-1]
	}
	if r == m.want[m.have] {
		m.have++
	}
	if m.have == len(m.want) {
		m.match(m.starts[m.seen], end)
		m.have, m.open = 0, true
		return true
	}
	return false
}

// hides are the characters that Markdown may hide between two characters.
var hides = func() (table [256]bool) {
	for _, c := range marks + "!]> \t\r\n" {
		table[c] = true
	}
	return table
}()

// mayBeDrawn reports whether the pattern may be in the drawn form of a Markdown text. It rules out most texts quickly.
func (p *pattern) mayBeDrawn(text []byte) bool {
	if p.loose == nil || bytes.IndexByte(text, escape) >= 0 || bytes.ContainsAny(text, "&<") || !utf8.Valid(text) {
		return true
	}
	return p.loose.has(text)
}

// has reports whether the pattern is in a text.
func (p *pattern) has(text []byte) (found bool) {
	m := newMatcher(p, func(int64, int64) { found = true }, func(int64) {})
	m.feed(text)
	return found
}
