package hunk

import "slices"

// Change is what an agent made of a file: Base became Agent.
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

// Accept returns the base in which the hunks that are accepted (by their index) have happened.
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

// Reject returns the agent's text without the hunks that are rejected.
func (c *Change) Reject(rejected func(i int) bool) []byte {
	return c.Accept(func(i int) bool { return !rejected(i) })
}

// Present is what a change looks like in the file as it is now, which someone may have edited since.
type Present struct {
	change *Change
	Lines  []string
	// Places are where each hunk's new lines stand now.
	Places []Place
}

// Place is the location of a hunk in the current file.
type Place struct {
	Start, End int
	Holds      bool // exactly what the agent left there; otherwise someone has edited it
}

// In finds the hunks in the present file.
func (c *Change) In(present []byte) *Present {
	p := &Present{change: c, Lines: Lines(present), Places: make([]Place, len(c.Hunks))}
	since := Diff(c.Agent, p.Lines)
	next, shift := 0, 0 // shift: how far lines after the edits so far have moved
	for i, h := range c.Hunks {
		for next < len(since) && before(since[next], h) {
			shift = since[next].NewEnd - since[next].OldEnd
			next++
		}
		place := Place{Start: h.NewStart + shift, End: h.NewEnd + shift, Holds: true}
		for k := next; k < len(since) && !after(since[k], h); k++ {
			if place.Holds {
				place.Start = min(place.Start, since[k].NewStart)
			}
			place.Holds = false
			place.End = max(h.NewEnd+since[k].NewEnd-since[k].OldEnd, since[k].NewEnd)
		}
		p.Places[i] = place
	}
	return p
}

// before reports whether an edit lies wholly before the lines of a hunk. A hunk that only
// deletes has no lines: what is edited right there is not before it.
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

// Reject returns the present text in which the hunks that are rejected are taken back, and which of
// them could not be since someone has edited those lines.
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
		at := p.Places[i]
		if !at.Holds || len(pieces) > 0 && at.Start < pieces[len(pieces)-1].end {
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
		// The end of the file was edited: two lines would run into one.
		last := len(pieces) - 1
		left = append(left, pieces[last].hunk)
		pieces = pieces[:last]
	}
}

// Rebase returns the base that leaves, between it and the present file, exactly those of the
// agent's hunks that still hold: what someone has edited since is theirs, and no change to review.
func (c *Change) Rebase(present []byte) []byte {
	p := c.In(present)
	text, _ := p.Reject(func(i int) bool { return p.Places[i].Holds })
	return text
}
