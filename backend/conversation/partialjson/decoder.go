package partialjson

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// decoder makes the text of one string of its characters and escapes, as encoding/json does: a byte that is not
// UTF-8 and half of a surrogate pair become U+FFFD. What may still become something else is held back, so that
// the text only ever grows.
type decoder struct {
	text strings.Builder
	told int    // bytes of it that were told
	held []byte // the beginning of a character, half of a pair, the escape that is read
}

func (d *decoder) begin() {
	d.text.Reset()
	d.told, d.held = 0, d.held[:0]
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
func (d *decoder) end() { d.decode(len(d.held)) }

// plain adds characters as they are between escapes.
func (d *decoder) plain(s string) {
	if len(d.held) == 0 && utf8.ValidString(s) {
		d.write(s)
		return
	}
	d.held = append(d.held, s...)
	n := len(d.held)
	for i := 1; i < utf8.UTFMax && i <= n; i++ {
		if utf8.RuneStart(d.held[n-i]) {
			if !utf8.FullRune(d.held[n-i:]) {
				n -= i
			}
			break
		}
	}
	d.decode(n)
}

// escape adds a byte of an escape; last says that it is the last one.
func (d *decoder) escape(c byte, last bool) {
	d.held = append(d.held, c)
	if !last {
		return
	}
	n := len(d.held)
	if n >= 6 && d.held[n-5] == 'u' {
		if unit, _ := strconv.ParseUint(string(d.held[n-4:]), 16, 16); unit >= 0xd800 && unit < 0xdc00 { // the first half of a pair
			n -= 6
		}
	}
	d.decode(n)
}

// decode decodes the first n bytes that are held.
func (d *decoder) decode(n int) {
	if n == 0 {
		return
	}
	text, _ := jsontext.AppendUnquote(nil, `"`+string(d.held[:n])+`"`) // the error is of what it replaces
	d.write(string(text))
	d.held = slices.Delete(d.held, 0, n)
}

func (d *decoder) write(s string) {
	if d.text.Cap()-d.text.Len() < len(s) {
		d.text.Grow(len(s)) // doubles it
	}
	d.text.WriteString(s)
}
