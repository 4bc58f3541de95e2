package find

import (
	"slices"
	"strings"

	"weft/backend/store/db"
)

// collector finds the matches in one text that comes in pieces, with the context of each.
type collector struct {
	m       *matcher
	before  int     // bytes of context before a match
	after   int     // and after it
	recent  []byte  // the end of the text so far
	from    int64   // offset of recent
	hidden  []hole  // the holes in recent, in order
	found   []match // in the order of the text
	waiting int     // matches in found from here on lack some of the context after them
	skip    int     // number of matches to skip
	room    int     // number of matches to return after those
	more    bool    // there are more than that
	kept    bool    // the last match is in found
}

// hole is a part of a text that isn't drawn, or is drawn as another text.
type hole struct {
	start, end int64
	as         string
}

// match is a match in one text.
type match struct {
	start, end int64
	before     string
	text       string
	after      string
}

// newCollector returns a collector of up to room matches after the first skip.
func newCollector(p *pattern, context, skip, room int) *collector {
	c := &collector{before: context, after: context, skip: skip, room: room}
	c.m = newMatcher(p, c.match, c.extend)
	return c
}

func (c *collector) match(start, end int64) {
	c.kept = false
	switch {
	case c.skip > 0:
		c.skip--
		return
	case len(c.found) == c.room:
		c.more = true
		return
	}
	c.kept = true
	c.found = append(c.found, match{start: start, end: end})
}

func (c *collector) extend(end int64) {
	if c.kept {
		c.found[len(c.found)-1].end = end
	}
}

// feed takes the next piece of the text.
func (c *collector) feed(piece []byte) {
	c.remember(piece)
	c.m.feed(piece)
	c.settle(false)
	c.forget()
}

// hide takes a piece of the text that isn't drawn. The text around it is contiguous.
func (c *collector) hide(piece []byte) {
	c.m.flush()
	c.remember(piece)
	c.hidden = append(c.hidden, hole{start: c.m.at, end: c.m.at + int64(len(piece))})
	c.m.at += int64(len(piece))
	c.settle(false)
	c.forget()
}

// stand takes a piece of the text that is drawn as another text.
func (c *collector) stand(piece []byte, drawn string) {
	c.remember(piece)
	c.hidden = append(c.hidden, hole{c.m.at, c.m.at + int64(len(piece)), drawn})
	c.m.stand(piece, drawn)
	c.settle(false)
	c.forget()
}

// part separates texts: no match continues across it.
func (c *collector) part() {
	c.m.flush()
	c.m.have, c.m.open, c.m.color = 0, false, plain
}

func (c *collector) remember(piece []byte) {
	if len(c.recent) == 0 {
		c.from, c.recent = c.m.at, piece[:len(piece):len(piece)] // capped, so that append copies it
	} else {
		c.recent = append(c.recent, piece...)
	}
}

// close ends the text and returns the matches.
func (c *collector) close() []match {
	c.settle(true)
	return c.found
}

// settle completes the matches with enough text after them, or all of them.
func (c *collector) settle(all bool) {
	have := c.from + int64(len(c.recent))
	for ; c.waiting < len(c.found); c.waiting++ {
		f := &c.found[c.waiting]
		grows := c.waiting == len(c.found)-1 && c.kept && c.m.open
		if !all && (f.end+int64(c.after) > have || grows) {
			return
		}
		lo, hi := max(f.start-int64(c.before), c.from), min(f.end+int64(c.after), have)
		f.before, f.text, f.after = c.drawn(lo, f.start), c.drawn(f.start, min(f.end, f.start+maxMatch)), c.drawn(f.end, hi)
	}
}

// drawn returns a part of the recent text as it is drawn.
func (c *collector) drawn(from, to int64) string {
	piece := c.recent[from-c.from : to-c.from]
	if !slices.ContainsFunc(c.hidden, func(h hole) bool { return h.start < to && from < h.end }) {
		return whole(piece)
	}
	kept := make([]byte, 0, len(piece))
	at := from
	for _, h := range c.hidden {
		if h.end <= from || h.start >= to {
			continue
		}
		kept = append(kept, piece[at-from:max(h.start, at)-from]...)
		if h.start >= from {
			kept = append(kept, h.as...)
		}
		at = min(h.end, to)
	}
	return whole(append(kept, piece[at-from:]...))
}

// forget drops text that no match needs anymore.
func (c *collector) forget() {
	need := c.m.at - int64(c.before) - int64(len(c.m.cut))
	if c.m.have > 0 {
		first := (c.m.seen - c.m.have + len(c.m.want)) % len(c.m.want)
		need = min(need, c.m.starts[first]-int64(c.before))
	}
	if c.waiting < len(c.found) {
		need = min(need, c.found[c.waiting].start-int64(c.before))
	}
	if drop := need - c.from; drop > 0 {
		c.recent, c.from = append([]byte(nil), c.recent[drop:]...), need
		c.hidden = slices.DeleteFunc(c.hidden, func(h hole) bool { return h.end <= need })
	}
}

// maxMatch is the maximum number of bytes of a match that are returned as text. Diacritics may make a match longer than
// its query.
const maxMatch = 1 << 10

// whole returns a piece of text as UTF-8, without partial characters at its ends.
func whole(b []byte) string {
	return strings.ToValidUTF8(string(db.TrimEnd(db.TrimStart(b))), "\uFFFD")
}
