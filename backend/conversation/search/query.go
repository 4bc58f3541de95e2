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
	MaxQuery = 2000 // characters; the rest is ignored
	maxTerms = 16
)

// Query is a parsed search query. Times are unix ms.
type Query struct {
	Terms   []Term // a text must contain all of these
	Not     []Term // and none of these
	Filters Filters
	Without Filters // excluded; -before: and -after: are inverted into Filters instead
	// Cut reports that the query was too long and its end is ignored.
	Cut bool
	// Unknown are filters with an invalid value, as "name:value".
	Unknown []string
}

// Filters limit what is searched. If a filter has several values, one of them must match.
type Filters struct {
	Space []string `json:"space,omitempty"` // substrings of titles, or ids
	Agent []string `json:"agent,omitempty"` // substrings of names, or ids
	Kind  []Kind   `json:"kind,omitempty"`
	File  []string `json:"file,omitempty"` // substrings of paths
	// After (inclusive) and Before (exclusive) are in unix ms; 0 means no limit.
	Before int64 `json:"before,omitzero"`
	After  int64 `json:"after,omitzero"`
	Error  bool  `json:"error,omitzero"` // only failures
}

// Kind is the kind of a text.
type Kind string

// The kinds of texts.
const (
	KindPrompt  Kind = "prompt"
	KindAnswer  Kind = "answer"
	KindThought Kind = "thought"
	KindCall    Kind = "call"
	KindDisplay Kind = "display"
	KindNote    Kind = "note" // an agent's text outside of its turns, or an error
)

// Kinds are all kinds.
var Kinds = []Kind{KindPrompt, KindAnswer, KindThought, KindCall, KindDisplay, KindNote}

// otherKinds are aliases of the kinds.
var otherKinds = map[string]Kind{
	"prompts": KindPrompt, "user": KindPrompt, "answers": KindAnswer, "text": KindAnswer, "thoughts": KindThought, "thinking": KindThought,
	"calls": KindCall, "tool": KindCall, "tools": KindCall, "displays": KindDisplay, "notes": KindNote, "notice": KindNote, "notices": KindNote,
}

// Term is a word, or a phrase that is searched for as a whole.
type Term struct {
	// Literal is false for a single word.
	Literal bool
	// Text is the normalized term: lower case, no accents, single spaces.
	Text string
	// Needs are the tokens that every text with the term contains. There are none if the term has only signs.
	Needs []Need
}

// Need is a condition on a text's tokens: one of them must match it.
type Need struct {
	Token  string
	Prefix bool // a token that begins with Token matches too
	Inside bool // a word that contains Token matches too, if [Spans] is true for that word
}

// Empty reports whether there is nothing to search for. Excluded terms and filters don't count.
func (q *Query) Empty() bool { return !q.words() && !slices.ContainsFunc(q.Terms, Term.symbol) }

// words reports whether a term contains a word or a part of one.
func (q *Query) words() bool {
	return slices.ContainsFunc(q.Terms, func(t Term) bool { return len(t.Needs) > 0 })
}

// symbol reports whether the term has only signs, one of which is meaningful, such as an emoji. The index can't find
// it.
func (t Term) symbol() bool { return len(t.Needs) == 0 && HasSymbol(t.Text) }

// HasSymbol reports whether a text has a non-ASCII sign, such as an emoji or an arrow.
func HasSymbol(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return r >= utf8.RuneSelf && r != utf8.RuneError && (unicode.IsSymbol(r) || unicode.IsPunct(r))
	})
}

// Limited reports whether filters limit what is searched.
func (q *Query) Limited() bool { return !q.Filters.None() || !q.Without.None() }

// Parse parses a query: words, "phrases", excluded -words and -"phrases", and filters such as kind:call and -kind:call.
// It never fails; whatever isn't something else is a word. Relative times such as before:7d are relative to now, in its
// time zone.
//
// The last word also matches words that begin with it, because it may still be being typed. A word with characters
// other than letters and digits, such as "a.b.c" or "--flag", is a phrase.
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

// filter adds a filter. It returns false if its value is invalid.
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
	filter string // the filter's name, or ""
	not    bool
	quoted bool
	closed bool // a space or a quote follows, so it isn't being typed anymore
}

// visible drops invisible characters that are often pasted: byte order marks, directional marks, zero-width spaces,
// soft hyphens.
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

// filterName returns the name of the filter at the start of text and the rest after its colon.
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

// value returns the word or the quoted text at the start of text.
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

// isQuote reports whether r quotes a phrase. Some keyboards type curved quotes.
func isQuote(r rune) bool { return r == '"' || r == '“' || r == '”' || r == '„' }

// newTerm returns a term. ok is false if it is empty.
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

// densePairs returns the needs of a word in a script without spaces. The text may continue after it.
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

// needLiteral lets the literal's last word match as a prefix, if it is long enough.
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

// None reports whether f has no filters.
func (f *Filters) None() bool {
	return len(f.Space)+len(f.Agent)+len(f.Kind)+len(f.File) == 0 && f.Before == 0 && f.After == 0 && !f.Error
}

// Contains reports whether name contains part, ignoring case and accents.
func Contains(name, part string) bool {
	return bytes.Contains(normalize(name).text, bytes.TrimSpace(normalize(part).text))
}
