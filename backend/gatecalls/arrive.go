package gatecalls

import (
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/toolcalls"
	"weft/backend/transcript"
)

// Wait is how long a call that has arrived at the gateway waits for its line, so that it is where the agent shows it. Only a
// call without a line waits.
const Wait = 300 * time.Millisecond

// Arrival is a call that has arrived at the gateway.
type Arrival[S any] struct {
	Tool string
	Sent jsontext.Value // its arguments
	// Call is its line; nil while none is known. It may still be found once the arrival is settled.
	Call *Call[S]
	// Patch is what its line is to show from now on; nil for nothing.
	Patch *transcript.ToolPatch
	// Settled: the caller continues, with or without a line.
	Settled bool
	// Until is when a call that is not settled will be, at [Calls.Tick].
	Until time.Time
	// Drawn is set by the caller if the call is in the session's own space without a line: a line that comes later is not shown beside it.
	Drawn bool
}

// Arrive takes a call that arrives at the gateway. If its line is not known it is not settled, and waits until a report shows it ([Report].Arrived), or
// for [Calls.Tick].
func (c *Calls[S]) Arrive(tool string, sent jsontext.Value, now time.Time) *Arrival[S] {
	a := &Arrival[S]{Tool: tool, Sent: sent, Until: now.Add(Wait)}
	if c.claim(a) {
		return a
	}
	if len(c.arrivals) >= MaxCalls {
		a.Settled = true
		return a
	}
	c.arrivals = append(c.arrivals, a)
	return a
}

// Pass takes a call that arrives at the gateway and is neither shown nor waits, such as one that is refused: another call of the tool is not to
// be taken for it.
func (c *Calls[S]) Pass(tool string, sent jsontext.Value) *Arrival[S] {
	a := &Arrival[S]{Tool: tool, Sent: sent, Settled: true}
	if !c.claim(a) && len(c.arrivals) < MaxCalls {
		c.arrivals = append(c.arrivals, a)
	}
	return a
}

// Tick settles the calls whose time is over and returns them. Each gets the line that shows its arguments in another form, or the only line that
// it can be, or none.
func (c *Calls[S]) Tick(now time.Time) (settled []*Arrival[S]) {
	for _, a := range slices.Clone(c.arrivals) {
		if !a.Settled && !a.Until.After(now) {
			c.settle(a)
			settled = append(settled, a)
		}
	}
	return settled
}

// Cancel settles a call now, because the agent waits for it no longer.
func (c *Calls[S]) Cancel(a *Arrival[S]) {
	if !a.Settled {
		c.settle(a)
	}
}

func (c *Calls[S]) settle(a *Arrival[S]) {
	a.Settled = true
	if c.claimLate(a) {
		c.arrivals = slices.DeleteFunc(c.arrivals, func(other *Arrival[S]) bool { return other == a })
	}
}

// claim finds the line of a call as it arrives: one with its arguments, first among those that are known as calls of the tool; else the oldest
// of these whose arguments may become the call's.
func (c *Calls[S]) claim(a *Arrival[S]) bool {
	found, better := c.best(a.Tool, func(g *Call[S]) int { return g.fits(a.Sent) })
	if better < within && HasArguments(a.Sent) {
		if c.claimUnnamed(a, func(o *toolcalls.OpenCall) bool { return holds(o.Input, a.Sent) }) {
			return true
		}
	}
	if found == nil {
		return false
	}
	c.take(a, found)
	return true
}

// alikeMarked is more than [likeness] returns for calls of few arguments.
const alikeMarked = 1 << 10

// claimLate is claim for a call that the agent has not shown in the meantime as it was sent.
func (c *Calls[S]) claimLate(a *Arrival[S]) bool {
	free := 0
	for _, g := range c.calls {
		if g.free(a.Tool) {
			free++
		}
	}
	found, _ := c.best(a.Tool, func(g *Call[S]) int {
		if g.writing() && g.contradicts(a.Sent) {
			return 0
		}
		if n, differs := likeness(g.shown(), a.Sent, true); n > 0 && !differs {
			return alikeMarked + n
		}
		n, differs := likeness(g.shown(), a.Sent, false)
		switch {
		case n > 0 && !differs:
			return 1 + n
		case free > 1:
			return 0 // it is more likely another call's
		case n > 0 || g.input.Done() && !HasArguments(g.Whole):
			return 1
		}
		return 0
	})
	if found != nil {
		c.take(a, found)
		return true
	}
	if len(c.open) != 1 { // nobody knows which
		return false
	}
	return c.claimUnnamed(a, func(o *toolcalls.OpenCall) bool {
		return !HasArguments(o.Input) && !o.Long && (o.Kind == "" || o.Kind == "other") && len(o.Paths)+len(o.Diffs) == 0
	})
}

// writing reports whether the model still writes the input, as far as the agent tells.
func (g *Call[S]) writing() bool {
	return !HasArguments(g.Whole) && g.input.Len() > 0 && !g.input.Done()
}

// free reports whether the line can still be given to a call of the tool.
func (g *Call[S]) free(tool string) bool { return g.Tool == tool && !g.Taken && !g.Over }

// best returns the free line of a tool that fits best, the oldest of several; nil if none fits (0).
func (c *Calls[S]) best(tool string, fit func(*Call[S]) int) (found *Call[S], better int) {
	for _, g := range c.calls {
		if !g.free(tool) {
			continue
		}
		if fits := fit(g); fits > better || fits == better && fits > 0 && g.order < found.order {
			found, better = g, fits
		}
	}
	return found, better
}

// claimUnnamed takes the first open line that fits and is not known as a call of the gateway.
func (c *Calls[S]) claimUnnamed(a *Arrival[S], fits func(*toolcalls.OpenCall) bool) bool {
	var id string
	var first *toolcalls.OpenCall
	for other, o := range c.open {
		if c.calls[other] == nil && (first == nil || o.Order < first.Order) && fits(o) {
			id, first = other, o
		}
	}
	if first == nil || len(c.calls) >= MaxCalls {
		return false
	}
	tool := c.find.named(a.Tool)
	tool.Exact = false
	g := c.add(id, &tool)
	g.Title, g.Whole = first.Title, first.Input
	told := transcript.ToolPatch{ID: id, Visibility: tool.Visibility}
	if !first.Named {
		told.Name = &tool.Name
	}
	if input, other := g.changed(first.Input); other {
		told.Input = input
	}
	if told.Visibility != "" || told.Name != nil || told.Input != nil {
		a.Patch = &told
	}
	c.take(a, g)
	return true
}

// take gives a line to a call.
func (c *Calls[S]) take(a *Arrival[S], g *Call[S]) {
	g.Taken = true
	a.Call, a.Settled = g, true
	o := c.open[g.ID]
	if o == nil {
		return
	}
	if kind := g.kind(o.Kind); kind != o.Kind {
		if a.Patch == nil {
			a.Patch = &transcript.ToolPatch{ID: g.ID}
		}
		a.Patch.Kind = &kind
	}
}

// arrival returns the call that a new line fits best, the oldest of several; nil if it fits none (0).
func (c *Calls[S]) arrival(fit func(*Arrival[S]) int) (found *Arrival[S]) {
	better := 0
	for _, a := range c.arrivals {
		if fits := fit(a); fits > better {
			found, better = a, fits
		}
	}
	return found
}

// fits returns how certain it is that a new line of a tool, with the arguments that are known of it, is the call.
func (a *Arrival[S]) fits(tool string, shown jsontext.Value) int {
	switch {
	case a.Tool != tool:
		return no
	case SameJSON(shown, a.Sent):
		return same
	case !HasArguments(shown):
		return unknown
	case holds(shown, a.Sent):
		return within
	}
	n, differs := likeness(shown, a.Sent, !a.Settled)
	switch {
	case n == 0:
		return no
	case !differs:
		return alike
	case a.Settled:
		return unknown
	}
	return no // until its time is over it may still be shown as it was sent
}

// isWithin returns how certain it is that a new line with an unknown tool is the call.
func (a *Arrival[S]) isWithin(input jsontext.Value) int {
	if HasArguments(a.Sent) && holds(input, a.Sent) {
		return within
	}
	return no
}

// join gives a new line to a call that has arrived before it.
func (c *Calls[S]) join(a *Arrival[S], g *Call[S]) {
	c.arrivals = slices.DeleteFunc(c.arrivals, func(other *Arrival[S]) bool { return other == a })
	g.Taken, g.Drawn = true, a.Drawn
	a.Call, a.Settled = g, true
}
