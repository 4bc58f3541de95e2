package hunk

import "slices"

// Change is what an agent changed in a file: Base became Agent.
type Change struct {
	Base, Agent []string
	Hunks       []Hunk
}

// Compare returns the change from base to agent.
func Compare(base, agent []byte) Change {
	c := Change{Base: Lines(base), Agent: Lines(agent)}
	c.Hunks = Diff(c.Base, c.Agent)
	return c
}

// Accept returns the base with the accepted hunks applied.
func (c *Change) Accept(accepted func(i int) bool) []byte {
	var parts [][]string
	at := 0
	for i, h := range c.Hunks {
		if !accepted(i) {
			continue
		}
		parts = append(parts, c.Base[at:h.OldStart], c.Agent[h.NewStart:h.NewEnd])
		at = h.OldEnd
	}
	text, _ := join(append(parts, c.Base[at:])...)
	return text
}

// Reject returns the agent's text without the rejected hunks.
func (c *Change) Reject(rejected func(i int) bool) []byte {
	return c.Accept(func(i int) bool { return !rejected(i) })
}

// Present locates the hunks of a change in the present file, which someone may have edited since.
type Present struct {
	change *Change
	Lines  []string
	// Locations are the present locations of each hunk's new lines.
	Locations []Location
}

// Location is the location of a hunk in the current file.
type Location struct {
	Start, End int
	Unchanged  bool // its lines are exactly as the agent left them; otherwise someone has edited them
}

// In locates the hunks in the present file.
func (c *Change) In(present []byte) *Present {
	p := &Present{change: c, Lines: Lines(present), Locations: make([]Location, len(c.Hunks))}
	since := Diff(c.Agent, p.Lines)
	next, shift := 0, 0 // shift is how far the edits so far have moved the following lines
	for i, h := range c.Hunks {
		for next < len(since) && before(since[next], h) {
			shift = since[next].NewEnd - since[next].OldEnd
			next++
		}
		at := Location{Start: h.NewStart + shift, End: h.NewEnd + shift, Unchanged: true}
		for k := next; k < len(since) && !after(since[k], h); k++ {
			if at.Unchanged {
				at.Start = min(at.Start, since[k].NewStart)
			}
			at.Unchanged = false
			at.End = max(h.NewEnd+since[k].NewEnd-since[k].OldEnd, since[k].NewEnd)
		}
		p.Locations[i] = at
	}
	return p
}

// before reports whether an edit is entirely before the lines of a hunk. A hunk that only deletes has no lines; an
// edit directly at its position isn't before it.
func before(edit, h Hunk) bool {
	if h.NewStart == h.NewEnd {
		return edit.OldEnd < h.NewStart
	}
	return edit.OldEnd <= h.NewStart
}

func after(edit, h Hunk) bool {
	if h.NewStart == h.NewEnd {
		return edit.OldStart > h.NewEnd
	}
	return edit.OldStart >= h.NewEnd
}

// Reject returns the present text with the rejected hunks reverted. left are the hunks that couldn't be reverted,
// because someone has edited their lines.
func (p *Present) Reject(rejected func(i int) bool) (text []byte, left []int) {
	type piece struct {
		start, end int
		lines      []string
		hunk       int
	}
	var pieces []piece
	for i, h := range p.change.Hunks {
		if !rejected(i) {
			continue
		}
		at := p.Locations[i]
		if !at.Unchanged || len(pieces) > 0 && at.Start < pieces[len(pieces)-1].end {
			left = append(left, i)
			continue
		}
		pieces = append(pieces, piece{at.Start, at.End, p.change.Base[h.OldStart:h.OldEnd], i})
	}
	for {
		var parts [][]string
		at := 0
		for _, one := range pieces {
			parts = append(parts, p.Lines[at:one.start], one.lines)
			at = one.end
		}
		text, ok := join(append(parts, p.Lines[at:])...)
		if ok || len(pieces) == 0 {
			slices.Sort(left)
			return text, left
		}
		// The end of the file was edited, so two lines would be joined.
		last := len(pieces) - 1
		left = append(left, pieces[last].hunk)
		pieces = pieces[:last]
	}
}

// Rebase returns a base whose difference to the present file is exactly the agent's hunks that are still unchanged.
// Everything that someone has edited since becomes part of the base.
func (c *Change) Rebase(present []byte) []byte {
	p := c.In(present)
	text, _ := p.Reject(func(i int) bool { return p.Locations[i].Unchanged })
	return text
}
