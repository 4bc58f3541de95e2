package search

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Span is a byte range of a text.
type Span struct{ Start, End int }

// Found holds the hits of a query in a text.
type Found struct {
	Spans  []Span // where the terms are, in order
	Counts []int  // hits of each term
}

// maxSpans is the number of hits per text whose spans are kept. All hits are counted.
const maxSpans = 256

// Match looks for a query in the texts of one document, such as the fields of a call. ok is true if each term is in one
// of the texts and no excluded term is in any. found has an entry for each text.
func (q *Query) Match(texts ...string) (found []Found, ok bool) {
	found = make([]Found, len(texts))
	has := make([]bool, len(q.Terms))
	for i, text := range texts {
		m := newMatcher(text, q)
		for j := range q.Not {
			if m.count(&q.Not[j], nil) > 0 {
				return nil, false
			}
		}
		f := &found[i]
		f.Counts = make([]int, len(q.Terms))
		for j := range q.Terms {
			f.Counts[j] = m.count(&q.Terms[j], &f.Spans)
			has[j] = has[j] || f.Counts[j] > 0
		}
		slices.SortFunc(f.Spans, func(a, b Span) int { return a.Start - b.Start })
	}
	words := q.words()
	for j := range has {
		if !has[j] && len(q.Terms[j].Needs) == 0 && (words || !q.Terms[j].symbol()) {
			continue // only signs, such as "->": other terms decide
		}
		if !has[j] {
			return nil, false
		}
	}
	return found, true
}

// Places returns where the terms of a query are in a text, in order, even if some terms are missing.
func (q *Query) Places(text string) (spans []Span) {
	m := newMatcher(text, q)
	for i := range q.Terms {
		m.count(&q.Terms[i], &spans)
	}
	slices.SortFunc(spans, func(a, b Span) int { return a.Start - b.Start })
	return spans
}

// matcher looks for terms in one text.
type matcher struct {
	text   string
	tokens []placed
	flat   *normal // nil until a literal is looked for
}

// placed is a token and its position.
type placed struct {
	token []byte
	span  Span
	spans bool // a whole word that also matches by a substring
}

func newMatcher(text string, q *Query) *matcher {
	m := &matcher{text: text}
	words := func(t Term) bool { return !t.Literal }
	if !slices.ContainsFunc(q.Terms, words) && !slices.ContainsFunc(q.Not, words) {
		return m
	}
	s := scanner{text: text}
	var own []byte
	for s.next() {
		whole := true
		s.word.tokens(func(token []byte, start, end int) {
			if len(own)+len(token) > cap(own) {
				own = make([]byte, 0, max(4096, len(token)))
			}
			from := len(own)
			own = append(own, token...)
			m.tokens = append(m.tokens, placed{own[from:len(own):len(own)], Span{start, end}, whole && s.word.spans()})
			whole = false
		})
	}
	return m
}

// count returns how often a term is in the text, and adds the positions to spans unless that is nil.
func (m *matcher) count(t *Term, spans *[]Span) int {
	if t.Literal {
		return m.countLiteral(t, spans)
	}
	n, last := 0, -1
	need := &t.Needs[0]
	want := []byte(need.Token)
	for i := range m.tokens {
		p := &m.tokens[i]
		if p.span.Start <= last { // part of the last hit's word
			continue
		}
		start := need.in(p, want)
		if start < 0 {
			continue
		}
		n++
		last = p.span.Start
		if spans != nil && len(*spans) < maxSpans {
			*spans = append(*spans, m.shown(p, start, len(want)))
		}
	}
	return n
}

// in returns the offset of want in a token that satisfies n, or -1.
func (n *Need) in(p *placed, want []byte) int {
	switch {
	case bytes.Equal(p.token, want), n.Prefix && bytes.HasPrefix(p.token, want):
		return 0
	case n.Inside && p.spans:
		return bytes.Index(p.token, want)
	}
	return -1
}

// shown returns the span in the text of the folded bytes from..from+size of a token.
func (m *matcher) shown(p *placed, from, size int) Span {
	at, buf := 0, make([]byte, 0, 16)
	span := Span{p.span.Start, p.span.End}
	for i, r := range m.text[p.span.Start:p.span.End] {
		if at == from {
			span.Start = p.span.Start + i
		}
		if at >= from+size && !isMark(r) {
			span.End = p.span.Start + i
			break
		}
		if !isMark(r) {
			buf = AppendFold(buf[:0], r)
			at += len(buf)
		}
	}
	return span
}

// countLiteral is count for a literal. A hit begins at the start of a word, a part of a word or a sign. If the
// literal's last word is short, the hit also ends at the end of a word.
func (m *matcher) countLiteral(t *Term, spans *[]Span) int {
	if m.flat == nil {
		m.flat = normalize(m.text)
	}
	n, f, want := 0, m.flat, []byte(t.Text)
	short := len(t.Needs) > 0 && !t.Needs[len(t.Needs)-1].Prefix
	for at := 0; ; {
		i := bytes.Index(f.text[at:], want)
		if i < 0 {
			return n
		}
		start, end := at+i, at+i+len(want)
		at = end
		if !f.begins(start) || short && !f.ends(end) {
			at = start + 1
			continue
		}
		n++
		if spans != nil && len(*spans) < maxSpans {
			*spans = append(*spans, Span{f.at[start], f.at[end]})
		}
	}
}

// normal is a text normalized for comparison with literals.
type normal struct {
	text []byte
	at   []int  // offset of each byte in the original, and of the end
	edge []edge // what begins at each byte, and at the end
}

type edge uint8

const (
	edgeSign   edge = iota // not part of a word
	edgeInside             // the middle of a word
	edgePart               // the beginning of a part of a word
	edgeBegin              // the beginning of a word
)

// begins reports whether a literal may begin at a byte.
func (n *normal) begins(i int) bool { return n.edge[i] != edgeInside }

// ends reports whether no word continues at a byte.
func (n *normal) ends(i int) bool { return n.edge[i] == edgeSign || n.edge[i] == edgeBegin }

func (n *normal) add(b []byte, at int, e edge) {
	for i := range b {
		n.text, n.at = append(n.text, b[i]), append(n.at, at)
		if i > 0 {
			e = edgeInside
		}
		n.edge = append(n.edge, e)
	}
}

// normalize folds the letters of a text and collapses whitespace.
func normalize(text string) *normal {
	n := &normal{text: make([]byte, 0, len(text)), at: make([]int, 0, len(text)+1), edge: make([]edge, 0, len(text)+1)}
	s := scanner{text: text}
	pos := 0
	var buf []byte
	for {
		more := s.next()
		until := len(text)
		if more {
			until = s.word.start
		}
		for pos < until {
			r, size := utf8.DecodeRuneInString(text[pos:])
			switch {
			case unicode.IsSpace(r):
				if len(n.text) == 0 || n.text[len(n.text)-1] != ' ' {
					n.add([]byte{' '}, pos, edgeSign)
				}
			case isMark(r):
			default:
				buf = AppendFold(buf[:0], r)
				n.add(buf, pos, edgeSign)
			}
			pos += size
		}
		if !more {
			break
		}
		n.addWord(&s.word, text)
		pos = s.word.end
	}
	n.at, n.edge = append(n.at, len(text)), append(n.edge, edgeSign)
	return n
}

// addWord adds a word, letter by letter.
func (n *normal) addWord(w *word, text string) {
	var buf []byte
	cuts, e := w.cuts, edgeBegin
	for i, r := range text[w.start:w.end] {
		at := w.start + i
		if isMark(r) {
			continue
		}
		if len(cuts) > 0 && cuts[0].text == at {
			if cuts, e = cuts[1:], edgePart; w.dense {
				e = edgeBegin
			}
		}
		buf = AppendFold(buf[:0], r)
		n.add(buf, at, e)
		e = edgeInside
	}
}
