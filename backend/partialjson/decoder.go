package partialjson

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// quoted is a string that is read.
type quoted struct {
	isName bool // it is a name
	tells  bool // it is decoded
	path   string
	text   decoder
}

// hexUnit is what was read of the four digits of a \u escape.
type hexUnit struct {
	digits int
	value  rune
}

// add adds a digit; it returns false if c is none.
func (h *hexUnit) add(c byte) bool {
	var d byte
	switch {
	case c >= '0' && c <= '9':
		d = c - '0'
	case c >= 'a' && c <= 'f':
		d = c - 'a' + 10
	case c >= 'A' && c <= 'F':
		d = c - 'A' + 10
	default:
		return false
	}
	h.value, h.digits = h.value<<4|rune(d), h.digits+1
	return true
}

// decoder makes the text of one string of its characters and escapes, as encoding/json does: a byte that is not
// UTF-8 and half of a surrogate pair become U+FFFD. What may still become something else is held back, so that
// the text only ever grows.
type decoder struct {
	text strings.Builder
	told int  // bytes of it that were told
	high rune // the first half of a surrogate pair, 0 if none
	part [utf8.UTFMax]byte
	n    int // bytes of part: the beginning of a character
}

func (d *decoder) begin() {
	d.text.Reset()
	d.told, d.high, d.n = 0, 0, 0
}

// String is the text so far. It shares the decoder's memory, which is only appended to.
func (d *decoder) String() string { return d.text.String() }

// more is what came since it was last asked.
func (d *decoder) more() string {
	s := d.text.String()[d.told:]
	d.told += len(s)
	return s
}

// end gives up waiting for the rest of a pair or a character.
func (d *decoder) end() {
	if d.high != 0 {
		d.text.WriteRune(utf8.RuneError)
		d.high = 0
	}
	for ; d.n > 0; d.n-- {
		d.text.WriteRune(utf8.RuneError)
	}
}

// plain adds characters as they are between escapes.
func (d *decoder) plain(s string) {
	if d.high != 0 {
		d.end()
	}
	for d.n > 0 && s != "" {
		d.part[d.n] = s[0]
		d.n, s = d.n+1, s[1:]
		for d.n > 0 && utf8.FullRune(d.part[:d.n]) {
			c, size := utf8.DecodeRune(d.part[:d.n])
			d.text.WriteRune(c)
			d.n = copy(d.part[:], d.part[size:d.n])
		}
	}
	if utf8.ValidString(s) {
		if d.text.Cap()-d.text.Len() < len(s) {
			d.text.Grow(len(s)) // doubles it
		}
		d.text.WriteString(s)
		return
	}
	for s != "" {
		if !utf8.FullRuneInString(s) {
			d.n = copy(d.part[:], s)
			return
		}
		c, size := utf8.DecodeRuneInString(s)
		d.text.WriteRune(c)
		s = s[size:]
	}
}

// char adds what a short escape stands for.
func (d *decoder) char(c byte) {
	d.end()
	d.text.WriteByte(c)
}

// utf16 adds what a \u escape stands for.
func (d *decoder) utf16(unit rune) {
	if high := d.high; high != 0 {
		if c := utf16.DecodeRune(high, unit); c != utf8.RuneError {
			d.high = 0
			d.text.WriteRune(c)
			return
		}
	}
	d.end()
	if unit >= 0xd800 && unit < 0xdc00 {
		d.high = unit
		return
	}
	d.text.WriteRune(unit) // half of a pair becomes U+FFFD
}
