package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Piece is a part of a snippet.
type Piece struct {
	Text string `json:"text"`
	Hit  bool   `json:"hit,omitzero"` // it was looked for
}

// Snippet returns about size bytes of a text around the best of spans, on one line. Without spans it returns the
// beginning of the text.
func Snippet(text string, spans []Span, size int) []Piece {
	pieces := Excerpt(text, spans, size)
	kept := pieces[:0]
	for _, p := range pieces {
		if p.Text = oneLine(p.Text); p.Text != "" {
			kept = append(kept, p)
		}
	}
	if len(kept) > 0 {
		kept[0].Text = strings.TrimLeft(kept[0].Text, " ")
	}
	return kept
}

// Excerpt is like [Snippet] but keeps line breaks.
func Excerpt(text string, spans []Span, size int) []Piece {
	from, to := window(text, spans, size)
	var pieces []Piece
	add := func(s string, hit bool) {
		if s != "" {
			pieces = append(pieces, Piece{s, hit})
		}
	}
	if from > 0 {
		add("…", false)
	}
	at := from
	for _, s := range spans {
		if s.Start < at || s.End > to {
			continue
		}
		add(text[at:s.Start], false)
		add(text[s.Start:s.End], true)
		at = s.End
	}
	add(text[at:to], false)
	if to < len(text) {
		add("…", false)
	}
	return pieces
}

// window returns the part of a text with the most spans, cut between words where possible.
func window(text string, spans []Span, size int) (from, to int) {
	first := Span{0, 0}
	if len(spans) > 0 {
		first = bestOf(spans, size*2/3)
		from = start(text, max(0, first.Start-size/4))
	}
	if from > 0 {
		if i := strings.IndexFunc(text[from:min(from+24, first.Start)], unicode.IsSpace); i >= 0 {
			from += i
		}
	}
	// Show a long match whole, within reason.
	to = start(text, min(len(text), max(from+size, min(first.End, from+2*size))))
	if to < len(text) {
		low := start(text, max(from, first.End, to-24))
		if i := strings.LastIndexFunc(text[min(low, to):to], unicode.IsSpace); i > 0 && !inside(spans, low+i) {
			to = low + i
		}
	}
	return from, to
}

// bestOf returns the first span of the group with the most spans within size bytes.
func bestOf(spans []Span, size int) (best Span) {
	most := 0
	for i := range spans {
		n := 0
		for j := i; j < len(spans) && spans[j].End-spans[i].Start <= size; j++ {
			n++
		}
		if n > most || i == 0 {
			best, most = spans[i], n
		}
	}
	return best
}

// inside reports whether an offset is in the middle of a span.
func inside(spans []Span, at int) bool {
	for _, s := range spans {
		if s.Start < at && at < s.End {
			return true
		}
	}
	return false
}

// start returns the offset of the character that contains the byte at i.
func start(text string, i int) int {
	for i > 0 && i < len(text) && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}

// oneLine replaces each run of whitespace and control characters with a space.
func oneLine(s string) string {
	var b strings.Builder
	space := false
	for _, r := range s {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			if !space {
				b.WriteByte(' ')
			}
			space = true
			continue
		}
		space = false
		b.WriteRune(r)
	}
	return b.String()
}
