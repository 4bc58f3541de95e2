package search

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// special maps letters without a Unicode decomposition to what people type instead.
var special = map[rune]string{
	'ß': "ss", 'ẞ': "ss", 'æ': "ae", 'Æ': "ae", 'œ': "oe", 'Œ': "oe", 'ø': "o", 'Ø': "o", 'đ': "d", 'Đ': "d", 'ł': "l", 'Ł': "l", 'ı': "i", 'þ': "th", 'Þ': "th",
	'ς': "σ", // at the end of a word
}

// signs maps typographic characters to what people type: curved quotes, dashes, spaces of other widths, ellipses,
// full-width signs.
var signs = func() map[rune]string {
	list := map[rune]string{'…': "...", '⋯': "...", '‥': ".."}
	for r := rune('!'); r <= '~'; r++ {
		if !isWord(r) {
			list[r-'!'+'！'] = string(r)
		}
	}
	for plain, others := range map[string]string{
		"'": "‘’‚‛′", `"`: "“”„‟″", "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\u2e3a\u2e3b\ufe58\ufe63\uff0d",
		" ": "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000",
	} {
		for _, r := range others {
			list[r] = plain
		}
	}
	return list
}()

// folded returns a letter or number in lower case and without accents, for comparison.
func folded(r rune) string {
	if s, ok := special[r]; ok {
		return s
	}
	var out []rune
	for _, d := range norm.NFKD.String(string(r)) {
		if unicode.Is(unicode.Mn, d) {
			continue
		}
		if s, ok := special[d]; ok {
			out = append(out, []rune(s)...)
			continue
		}
		if isWord(d) {
			out = append(out, unicode.ToLower(d))
		}
	}
	return string(out)
}

// tableSize is the number of code points whose folded form is cached. They include the scripts with case and accents.
const tableSize = 0x3400

var foldTable = sync.OnceValue(func() *[tableSize]string {
	t := &[tableSize]string{}
	for r := range rune(tableSize) {
		t[r] = foldSlowly(r)
	}
	return t
})

func foldSlowly(r rune) string {
	switch {
	case isDense(r):
		return string(r)
	case isMark(r):
		return ""
	case isWord(r):
		return folded(r)
	}
	if s, ok := signs[r]; ok {
		return s
	}
	return string(unicode.ToLower(r))
}

// AppendFold appends the folded form of a character to b: a letter or number in lower case and without accents, "ss"
// for "ß"; nothing for a combining accent or a soft hyphen; a straight quote for a curved one, a hyphen for a dash;
// anything else in lower case. The frontend folds the same way (frontend/src/views/find/fold.ts).
func AppendFold(b []byte, r rune) []byte {
	switch {
	case r < utf8.RuneSelf:
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return append(b, byte(r))
	case r < tableSize:
		return append(b, foldTable()[r]...)
	case isDense(r):
		return utf8.AppendRune(b, r)
	}
	return append(b, foldSlowly(r)...)
}

// isWord reports whether r can be part of a word.
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || isDense(r)
}

// dense are the scripts that are written without spaces between words.
var dense = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// isDense reports whether r belongs to a script without spaces between words. Such text is indexed by pairs of
// characters.
func isDense(r rune) bool {
	switch {
	case r < 0x0e00:
		return false
	case r == 'ー', r == '々', r == '〆', r == 'ｰ':
		return true
	case 0x4e00 <= r && r <= 0x9fff, 0x3041 <= r && r <= 0x3096, 0x30a1 <= r && r <= 0x30fa, 0xac00 <= r && r <= 0xd7a3:
		return true
	case !unicode.IsLetter(r) && !unicode.Is(unicode.M, r):
		return false
	}
	return unicode.In(r, dense...)
}

// isMark reports whether r is ignored in comparisons: a combining mark, or an invisible character for line breaks or
// joining.
func isMark(r rune) bool {
	switch r {
	case 0xad, 0x200b, 0x200c, 0x200d, 0x2060, 0xfeff:
		return true
	}
	return r >= 0x300 && unicode.Is(unicode.Mn, r) && !isDense(r)
}
