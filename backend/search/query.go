package search

import (
	"bytes"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Limits of a query.
const (
	MaxQuery = 2000 // characters that are read
	maxTerms = 16
)

// Query is what is looked for. Times are unix ms.
type Query struct {
	Terms   []Term // all of them have to be in a text
	Not     []Term // none of these
	Filters Filters
	Without Filters // what must not fit any of these; never with times, which are in Filters then
	// Cut reports that the query was too long, and that its end is ignored.
	Cut bool
	// Unknown are words that look like filters but name none, or have a value that can't be read.
	Unknown []string
}

// Filters limit what is searched. Of several values of one filter, one has to fit.
type Filters struct {
	Space []string `json:"space,omitempty"` // parts of titles, or ids
	Agent []string `json:"agent,omitempty"` // parts of names, or ids
	Kind  []Kind   `json:"kind,omitempty"`
	File  []string `json:"file,omitempty"` // parts of paths
	// Before and After are unix ms, 0 for none: at or after After, before Before.
	Before int64 `json:"before,omitzero"`
	After  int64 `json:"after,omitzero"`
	Error  bool  `json:"error,omitzero"` // only what failed
}

// Kind is what a text is.
type Kind string

// The kinds of texts.
const (
	KindPrompt  Kind = "prompt"
	KindAnswer  Kind = "answer"
	KindThought Kind = "thought"
	KindCall    Kind = "call"
	KindDisplay Kind = "display"
	KindNote    Kind = "note" // what an agent says outside of its turns, and errors
)

// Kinds are all kinds.
var Kinds = []Kind{KindPrompt, KindAnswer, KindThought, KindCall, KindDisplay, KindNote}

// otherKinds are names of kinds that people may try.
var otherKinds = map[string]Kind{
	"prompts": KindPrompt, "user": KindPrompt, "answers": KindAnswer, "text": KindAnswer, "thoughts": KindThought, "thinking": KindThought,
	"calls": KindCall, "tool": KindCall, "tools": KindCall, "displays": KindDisplay, "notes": KindNote, "notice": KindNote, "notices": KindNote,
}

// Term is a word, or a text that has to be found as it is written.
type Term struct {
	// Literal is false for a single word.
	Literal bool
	// Text is the term as texts are compared: without case and accents, with single spaces.
	Text string
	// Needs are the tokens that every text with the term has.
	Needs []Need
}

// Need is a token that a text must have, or one of several.
type Need struct {
	Token  string
	Prefix bool // or one that begins with it
	Inside bool // or a word that has it inside, if [Spans] is true for that word
}

// Empty reports whether there is nothing to look for.
func (q *Query) Empty() bool { return !q.words() && !slices.ContainsFunc(q.Terms, Term.symbol) }

// words reports whether a word is looked for, or a part of one.
func (q *Query) words() bool {
	return slices.ContainsFunc(q.Terms, func(t Term) bool { return len(t.Needs) > 0 })
}

// symbol reports whether the term has signs only, and one of them says something by itself, as an emoji does. No index leads to it.
func (t Term) symbol() bool { return len(t.Needs) == 0 && HasSymbol(t.Text) }

// HasSymbol reports whether a text has a sign that isn't one of ASCII, such as an emoji or an arrow.
func HasSymbol(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return r >= utf8.RuneSelf && r != utf8.RuneError && (unicode.IsSymbol(r) || unicode.IsPunct(r))
	})
}

// Limited reports whether filters limit what is searched.
func (q *Query) Limited() bool { return !q.Filters.None() || !q.Without.None() }

// Parse reads a query: words, "phrases", -words and -"phrases" that must not be there, and filters such as kind:call and -kind:call. Every text is
// a query; what can't be read as anything else is a word. now is the time to which before:7d relates, in its zone.
//
// The last word finds words that begin with it, as it may still be typed. A word with other characters than letters and digits in it,
// such as "a.b.c" or "--flag", is a phrase.
func Parse(text string, now time.Time) Query {
	var q Query
	if utf8.RuneCountInString(text) > MaxQuery {
		q.Cut = true
		text = string([]rune(text)[:MaxQuery])
	}
	parts := split(strings.Map(visible, text))
	for i, p := range parts {
		if p.filter != "" {
			if !q.filter(p, now) {
				q.Unknown = append(q.Unknown, p.filter+":"+p.text)
			}
			continue
		}
		term, ok := newTerm(p.text, p.quoted, i == len(parts)-1 && !p.closed)
		switch {
		case !ok:
		case p.not:
			q.Not = append(q.Not, term)
		case len(q.Terms) == maxTerms:
			q.Cut = true
		default:
			q.Terms = append(q.Terms, term)
		}
	}
	return q
}

// filter adds a filter. It returns false for a value that it doesn't know.
func (q *Query) filter(p part, now time.Time) bool {
	switch {
	case !p.not:
		return q.Filters.add(p.filter, p.text, now)
	case p.filter == "before":
		return q.Filters.add("after", p.text, now)
	case p.filter == "after":
		return q.Filters.add("before", p.text, now)
	}
	return q.Without.add(p.filter, p.text, now)
}

// part is a piece of a query.
type part struct {
	text   string
	filter string // its name, "" for none
	not    bool
	quoted bool
	closed bool // something is behind it, so that it isn't being typed any more
}

// visible drops characters that are pasted along without being seen: byte order marks, directions, spaces and hyphens without width.
func visible(r rune) rune {
	switch {
	case r == '\u00ad', r == '\u200b', r == '\u200e', r == '\u200f', '\u202a' <= r && r <= '\u202e', '\u2060' <= r && r <= '\u2069', r == '\ufeff':
		return -1
	}
	return r
}

// split cuts a query at spaces that are not in quotes.
func split(text string) []part {
	var parts []part
	rest := text
	for {
		rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
		if rest == "" {
			return parts
		}
		var p part
		if len(rest) > 1 && rest[0] == '-' && rest[1] != '-' && !unicode.IsSpace(rune(rest[1])) {
			p.not, rest = true, rest[1:]
		}
		p.filter, rest = filterName(rest)
		p.text, rest, p.quoted, p.closed = value(rest)
		if p.text != "" || p.filter != "" {
			parts = append(parts, p)
		}
	}
}

// filterName returns the name of a filter that text begins with, and what follows its colon.
func filterName(text string) (name, rest string) {
	i := strings.IndexByte(text, ':')
	if i <= 0 || i > 6 {
		return "", text
	}
	switch name := strings.ToLower(text[:i]); name {
	case "space", "agent", "kind", "file", "before", "after", "has":
		return name, text[i+1:]
	}
	return "", text
}

// value returns the word or the quoted text at the beginning of text.
func value(text string) (value, rest string, quoted, closed bool) {
	if r, n := utf8.DecodeRuneInString(text); isQuote(r) {
		text = text[n:]
		if i := strings.IndexFunc(text, isQuote); i >= 0 {
			_, n = utf8.DecodeRuneInString(text[i:])
			return text[:i], text[i+n:], true, true
		}
		return text, "", true, false // the quote isn't closed yet
	}
	i := strings.IndexFunc(text, unicode.IsSpace)
	if i < 0 {
		return text, "", false, false
	}
	return text[:i], text[i:], false, true
}

// isQuote reports whether r stands around a phrase. Some keyboards type curved quotes.
func isQuote(r rune) bool { return r == '"' || r == '“' || r == '”' || r == '„' }

// newTerm makes a term. ok is false for one that nothing is in.
func newTerm(text string, quoted, typing bool) (t Term, ok bool) {
	n := normalize(text)
	if quoted {
		n.text = []byte(strings.Trim(string(n.text), " "))
	}
	t.Text = string(n.text)
	if t.Text == "" {
		return t, false
	}
	s := scanner{text: text}
	var words []Need
	dense := false
	for s.next() {
		w := &s.word
		if w.dense {
			dense = true
			words = append(words, densePairs(w)...)
			continue
		}
		words = append(words, Need{Token: string(clipped(w.folded))})
	}
	t.Needs = words
	t.Literal = quoted || dense || len(words) != 1 || words[0].Token != t.Text
	if len(words) == 0 {
		return t, true
	}
	if t.Literal {
		t.needLiteral(text)
		return t, true
	}
	need := &t.Needs[0]
	size := utf8.RuneCountInString(need.Token)
	need.Prefix = typing && size >= shortestPrefix || len(need.Token) >= maxToken-utf8.UTFMax
	need.Inside = size >= shortestInside
	return t, true
}

// densePairs returns what a text needs that contains a run of characters of a script without spaces: it may continue behind them.
func densePairs(w *word) (needs []Need) {
	if len(w.cuts) == 0 {
		return []Need{{Token: string(w.folded), Prefix: true}}
	}
	last := len(w.cuts)
	n := 0
	w.pairs(func(token []byte, _, _ int) {
		if n < last {
			needs = append(needs, Need{Token: string(token)})
		}
		n++
	})
	return needs
}

// needLiteral completes what a text needs that contains a literal: it may continue behind the last word, if that is long enough.
func (t *Term) needLiteral(text string) {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRightFunc(text, unicode.IsSpace))
	last := &t.Needs[len(t.Needs)-1]
	if isWord(r) && !isDense(r) && utf8.RuneCountInString(last.Token) >= shortestPrefix || len(last.Token) >= maxToken-utf8.UTFMax {
		last.Prefix = true
	}
	if isMark(r) {
		last.Prefix = true
	}
}

// None reports whether nothing is limited.
func (f *Filters) None() bool {
	return len(f.Space)+len(f.Agent)+len(f.Kind)+len(f.File) == 0 && f.Before == 0 && f.After == 0 && !f.Error
}

// Contains reports whether a name contains a part, without regard to case and accents.
func Contains(name, part string) bool {
	return bytes.Contains(normalize(name).text, bytes.TrimSpace(normalize(part).text))
}
