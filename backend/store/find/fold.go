package find

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Two texts are the same for a search when their folded characters are. A character is folded to one character: its base, if
// Unicode decomposes it into one with diacritics, in lower case. Combining diacritics are left out. The frontend folds the same
// way (frontend/src/views/find/fold.ts); both are held to testdata/fold.json.

// dropped is what fold returns for a character that is left out.
const dropped = -1

// fold returns the folded character, or dropped.
func fold(r rune) rune {
	if r < utf8.RuneSelf {
		return rune(lower[r])
	}
	if r <= folds.last {
		return folds.list()[r]
	}
	if isDiacritic(r) {
		return dropped
	}
	return lowercase(r)
}

// lower has the lower case of ASCII.
var lower = func() (table [utf8.RuneSelf]byte) {
	for i := range table {
		table[i] = byte(unicode.ToLower(rune(i)))
	}
	return table
}()

// folds has the folded characters of the scripts that use diacritics, so that no character is decomposed twice.
var folds = foldTable{last: 0x33ff}

type foldTable struct {
	last rune
	once sync.Once
	all  []rune
}

func (t *foldTable) list() []rune {
	t.once.Do(func() {
		t.all = make([]rune, t.last+1)
		for r := range t.all {
			t.all[r] = decompose(rune(r))
		}
	})
	return t.all
}

// decompose folds a character without the table.
func decompose(r rune) rune {
	if isDiacritic(r) {
		return dropped
	}
	parts := []rune(norm.NFD.String(string(r)))
	for _, part := range parts[1:] {
		if !isDiacritic(part) {
			return lowercase(r) // a syllable, or a vowel sign: these are letters
		}
	}
	return lowercase(parts[0])
}

// isDiacritic reports whether r is a combining diacritic of the scripts in which a search ignores these. The vowel signs of other
// scripts are letters for those who read them.
func isDiacritic(r rune) bool {
	return 0x300 <= r && r <= 0x36f || 0x1ab0 <= r && r <= 0x1aff || 0x1dc0 <= r && r <= 0x1dff || 0x20d0 <= r && r <= 0x20ff || 0xfe20 <= r && r <= 0xfe2f
}

// lowercase returns the lower case of a character's upper case: all forms of a letter have one.
func lowercase(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }

// foldText returns the folded characters of a text.
func foldText(text string) []rune {
	list := make([]rune, 0, len(text))
	for _, r := range text {
		if f := fold(r); f != dropped {
			list = append(list, f)
		}
	}
	return list
}

// Folded returns text as a search compares it, apart from control sequences of terminals, which it leaves out.
func Folded(text string) string {
	var b strings.Builder
	for _, r := range foldText(text) {
		b.WriteRune(r)
	}
	return b.String()
}
