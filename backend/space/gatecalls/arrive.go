package gatecalls

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
	"weft/backend/space/toolcalls"
)

// Arrive records a call that arrives at the gateway. If its line isn't known yet, the call isn't settled until a
// report shows the line ([Report].Arrived) or [Calls.Tick] ends the wait.
func (c *Calls[S]) Arrive(tool string, sent jsontext.Value, now time.Time) *Arrival[S] {
	a := &Arrival[S]{Tool: tool, Sent: sent, Until: now.Add(Wait)}
	if c.claim(a) {
		return a
	}
	if !c.arrivals.add(a) {
		a.Settled = true
	}
	return a
}

// Pass records a call that arrives at the gateway but is neither shown nor waits, for example because it is refused.
// Without it, another call of the tool could be taken for this one.
func (c *Calls[S]) Pass(tool string, sent jsontext.Value) *Arrival[S] {
	a := &Arrival[S]{Tool: tool, Sent: sent, Settled: true}
	if !c.claim(a) {
		c.arrivals.add(a)
	}
	return a
}

// Tick settles and returns the calls whose wait is over. Each gets the line that shows its arguments in another form,
// or the only line that it can be, or none.
func (c *Calls[S]) Tick(now time.Time) (settled []*Arrival[S]) {
	settled = c.arrivals.due(now)
	for _, a := range settled {
		c.settle(a)
	}
	return settled
}

// Cancel settles a call now, because the agent no longer waits for it.
func (c *Calls[S]) Cancel(a *Arrival[S]) {
	if !a.Settled {
		c.settle(a)
	}
}

func (c *Calls[S]) settle(a *Arrival[S]) {
	a.Settled = true
	if c.claimLate(a) {
		c.arrivals.remove(a)
	}
}

// claim finds the line of a call as it arrives: one with the same arguments, preferably a known line of the tool,
// otherwise the oldest line of the tool whose arguments may still become the call's.
func (c *Calls[S]) claim(a *Arrival[S]) bool {
	found, better := c.lines.best(a.Tool, func(g *Call[S]) int { return g.fits(a.Sent) })
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

// alikeMarked is larger than any result of [likeness] for calls with few arguments.
const alikeMarked = 1 << 10

// claimLate is claim for a call that the agent hasn't shown with the sent arguments in time.
func (c *Calls[S]) claimLate(a *Arrival[S]) bool {
	free := c.lines.free(a.Tool)
	found, _ := c.lines.best(a.Tool, func(g *Call[S]) int {
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
			return 0 // more likely another call's
		case n > 0 || g.reader.Done() && !HasArguments(g.Whole):
			return 1
		}
		return 0
	})
	if found != nil {
		c.take(a, found)
		return true
	}
	if len(c.open) != 1 { // it can't be told which
		return false
	}
	return c.claimUnnamed(a, func(o *toolcalls.OpenCall) bool {
		return !HasArguments(o.Input) && !o.Long && (o.Kind == "" || o.Kind == "other") && len(o.Paths)+len(o.Diffs) == 0
	})
}

// claimUnnamed takes the oldest open line that fits and isn't known as a call of the gateway.
func (c *Calls[S]) claimUnnamed(a *Arrival[S], fits func(*toolcalls.OpenCall) bool) bool {
	var id string
	var first *toolcalls.OpenCall
	for other, o := range c.open {
		if c.lines.byID[other] == nil && (first == nil || o.Order < first.Order) && fits(o) {
			id, first = other, o
		}
	}
	if first == nil || c.lines.full() {
		return false
	}
	tool := c.find.named(a.Tool)
	tool.Exact = false
	g := c.lines.add(id, &tool)
	g.Title, g.Whole = first.Title, first.Input
	told := transcript.ToolPatch{ID: id, Visibility: tool.Visibility, Name: &tool.Name}
	if input, other := g.changed(first.Input); other {
		told.Input = input
	}
	a.Patch = &told
	c.take(a, g)
	return true
}

// take assigns a line to a call.
func (c *Calls[S]) take(a *Arrival[S], g *Call[S]) {
	g.Taken = true
	a.Call, a.Settled = g, true
	o := c.open[g.ID]
	if o == nil {
		return
	}
	told := transcript.ToolPatch{ID: g.ID}
	if a.Patch != nil {
		told = *a.Patch
	}
	if kind := g.kind(o.Kind); kind != o.Kind {
		told.Kind = &kind
	}
	if !g.Tool.Exact {
		told.Name = &g.Tool.Name
		if g.Tool.Title != "" {
			told.Title, told.Called = &g.Tool.Title, g.Title
		}
	}
	if told.Kind != nil || told.Name != nil || a.Patch != nil {
		a.Patch = &told
	}
}

// join assigns a new line to a call that arrived before it.
func (c *Calls[S]) join(a *Arrival[S], g *Call[S]) {
	c.arrivals.remove(a)
	g.Taken, g.Drawn = true, a.Drawn
	a.Call, a.Settled = g, true
}
