package search

import (
	"unicode"
	"unicode/utf8"
)

// maxToken is the maximum length of a token in bytes. Longer words, such as encoded data, are truncated.
const maxToken = 64

// word is a run of letters and digits, or of characters of a script without spaces.
type word struct {
	start, end int    // in the text, in bytes
	dense      bool   // of a script without spaces
	folded     []byte // for comparison; valid until the next word is read
	// cuts are where parts begin: in "useEffect" before the E, in a dense word before each character except the first.
	cuts []cut
}

// cut is a position in a word.
type cut struct {
	folded int // offset in word.folded
	text   int // offset in the text
}

// scanner reads the words of a text.
type scanner struct {
	text string
	pos  int
	word word
}

// next reads the next word. It returns false at the end.
func (s *scanner) next() bool {
	w := &s.word
	for s.pos < len(s.text) {
		c := s.text[s.pos]
		if c < utf8.RuneSelf {
			if isWord(rune(c)) {
				s.plain(s.pos)
				return true
			}
			s.pos++
			continue
		}
		r, n := utf8.DecodeRuneInString(s.text[s.pos:])
		switch {
		case isDense(r):
			s.denseWord(s.pos)
			return true
		case isWord(r):
			s.plain(s.pos)
			if len(w.folded) > 0 {
				return true
			}
		default:
			s.pos += n
		}
	}
	return false
}

// plain reads a word that begins at start.
func (s *scanner) plain(start int) {
	w := &s.word
	w.start, w.dense, w.folded, w.cuts = start, false, w.folded[:0], w.cuts[:0]
	before, upper := classOf(0), start // class of the previous letter, and its offset
	upperFolded := 0
	for s.pos < len(s.text) {
		r, n := rune(s.text[s.pos]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s.text[s.pos:])
		}
		if isMark(r) {
			s.pos += n
			continue
		}
		if !isWord(r) || r >= utf8.RuneSelf && isDense(r) {
			break
		}
		now := classOf(r)
		switch {
		case now == classUpper && (before == classLower || before == classDigit):
			w.cuts = append(w.cuts, cut{len(w.folded), s.pos})
		case now == classLower && before == classUpper && upper > start && (len(w.cuts) == 0 || w.cuts[len(w.cuts)-1].text != upper):
			w.cuts = append(w.cuts, cut{upperFolded, upper}) // "XMLHttp": before the H
		}
		upper, upperFolded, before = s.pos, len(w.folded), now
		w.folded = AppendFold(w.folded, r)
		s.pos += n
	}
	w.end = s.pos
}

// denseWord reads a run of characters of a script without spaces.
func (s *scanner) denseWord(start int) {
	w := &s.word
	w.start, w.dense, w.folded, w.cuts = start, true, w.folded[:0], w.cuts[:0]
	for s.pos < len(s.text) {
		r, n := utf8.DecodeRuneInString(s.text[s.pos:])
		if !isDense(r) {
			break
		}
		if len(w.folded) > 0 {
			w.cuts = append(w.cuts, cut{len(w.folded), s.pos})
		}
		w.folded = utf8.AppendRune(w.folded, r)
		s.pos += n
	}
	w.end = s.pos
}

// class is a class of letters. A change of class can begin a part of a word.
type class uint8

const (
	classOther class = iota
	classLower
	classUpper
	classDigit
)

func classOf(r rune) class {
	switch {
	case 'a' <= r && r <= 'z':
		return classLower
	case 'A' <= r && r <= 'Z':
		return classUpper
	case '0' <= r && r <= '9':
		return classDigit
	case r < utf8.RuneSelf:
		return classOther
	case unicode.IsUpper(r):
		return classUpper
	case unicode.IsLower(r):
		return classLower
	}
	return classOther
}

// tokens calls f with each token of the word and its range in the text. The tokens are the word, the rest of it from
// each part on, and each part. For a dense word they are each pair of characters and the last character.
func (w *word) tokens(f func(token []byte, start, end int)) {
	if w.dense {
		w.pairs(f)
		return
	}
	f(clipped(w.folded), w.start, w.end)
	at := cut{0, w.start}
	for i := 0; i <= len(w.cuts); i++ {
		next := cut{len(w.folded), w.end}
		if i < len(w.cuts) {
			next = w.cuts[i]
			f(clipped(w.folded[next.folded:]), next.text, w.end)
		}
		if len(w.cuts) > 0 && next.folded < len(w.folded) {
			f(clipped(w.folded[at.folded:next.folded]), at.text, next.text)
		}
		at = next
	}
}

func (w *word) pairs(f func(token []byte, start, end int)) {
	at := cut{0, w.start}
	for i := range w.cuts {
		end := cut{len(w.folded), w.end}
		if i+1 < len(w.cuts) {
			end = w.cuts[i+1]
		}
		f(w.folded[at.folded:end.folded], at.text, end.text)
		at = w.cuts[i]
	}
	f(w.folded[at.folded:], at.text, w.end)
}

// clipped truncates a token to maxToken bytes, between two characters.
func clipped(token []byte) []byte {
	if len(token) <= maxToken {
		return token
	}
	n := maxToken
	for n > 0 && !utf8.RuneStart(token[n]) {
		n--
	}
	return token[:n]
}

// Limits in characters. Words of only letters with shortestSpan to longestSpan characters also match by a substring.
const (
	shortestSpan, longestSpan = 6, 48
	// shortestInside is the minimum length of a term that matches inside words.
	shortestInside = 4
	// shortestPrefix is the minimum length of a term that matches the beginning of words.
	shortestPrefix = 3
)

// spans reports whether the word also matches by a substring.
func (w *word) spans() bool { return !w.dense && Spans(w.folded) }

// Spans reports whether a token that is a whole word also matches by a substring.
func Spans(token []byte) bool {
	n := 0
	for i := 0; i < len(token); n++ {
		if c := token[i]; c < utf8.RuneSelf {
			if c < 'a' || c > 'z' {
				return false
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(token[i:])
		if !unicode.IsLetter(r) {
			return false
		}
		i += size
	}
	return shortestSpan <= n && n <= longestSpan
}

// Tokens collects the distinct tokens of texts. The zero value is empty.
type Tokens struct {
	seen  map[string]struct{}
	list  []string
	spans []string
}

// Reset makes t empty again.
func (t *Tokens) Reset() {
	clear(t.seen)
	t.list, t.spans = t.list[:0], t.spans[:0]
}

// Add adds the tokens of a text.
func (t *Tokens) Add(text string) {
	if t.seen == nil {
		t.seen = map[string]struct{}{}
	}
	s := scanner{text: text}
	for s.next() {
		whole := true
		s.word.tokens(func(token []byte, _, _ int) {
			if _, known := t.seen[string(token)]; !known && len(token) > 0 {
				own := string(token)
				t.seen[own] = struct{}{}
				t.list = append(t.list, own)
			}
			if whole {
				whole = false
				if s.word.spans() {
					t.spans = append(t.spans, string(token))
				}
			}
		})
	}
}

// List returns the tokens in the order they were added. It is valid until the next change of t.
func (t *Tokens) List() []string { return t.list }

// Spans returns the words that also match by a substring, possibly with duplicates.
func (t *Tokens) Spans() []string { return t.spans }
