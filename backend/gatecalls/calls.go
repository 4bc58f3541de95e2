package gatecalls

import (
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/partialjson"
	"weft/backend/toolcalls"
	"weft/backend/transcript"
)

// MaxCalls is how many calls of a run are correlated. What is beyond is shown as the agent shows it.
const MaxCalls = 1024

// Calls correlates the calls of one session. It is not safe for concurrent use.
type Calls[S any] struct {
	find     Lookup
	open     toolcalls.Open
	lines    lines[S]    // that the agent has shown
	arrivals arrivals[S] // of calls whose line is not known
}

// New returns the calls of a session that has not shown any. Open has what the agent has reported of all its open calls; the caller keeps it.
func New[S any](find Lookup, open toolcalls.Open) *Calls[S] {
	return &Calls[S]{find: find, open: open, lines: lines[S]{byID: map[string]*Call[S]{}}}
}

// Get returns the call with the id if it is known as one of the gateway's, else nil.
func (c *Calls[S]) Get(id string) *Call[S] { return c.lines.byID[id] }

// All calls yield with each call, in no order.
func (c *Calls[S]) All(yield func(*Call[S]) bool) {
	for _, g := range c.lines.byID {
		if !yield(g) {
			return
		}
	}
}

// Drawn reports whether a call of the agent is drawn as a display, which the agent can't change.
func (c *Calls[S]) Drawn(id string) bool {
	g := c.lines.byID[id]
	return g != nil && g.Drawn
}

// Report is what follows from what an agent says about one of its calls.
type Report[S any] struct {
	Call *Call[S] // nil if the call is not known as one of the gateway's, or is not correlated
	// Patch is what the agent tells, with the tool's name and how its calls are drawn where that is new. The patch that the agent told is not changed.
	Patch *transcript.ToolPatch
	// Caught: the agent shows a call now that was shown ahead of it.
	Caught bool
	// Arrived: the line is that of a call which had come to the gateway before.
	Arrived bool
	// Changes are what a fragment of the input has brought, until the call has arrived.
	Changes []partialjson.Change
}

// Report takes what an agent says about one of its calls. InRun is false outside of a run, where no call is correlated.
func (c *Calls[S]) Report(p *transcript.ToolPatch, inRun bool) Report[S] {
	r := Report[S]{Call: c.lines.byID[p.ID], Patch: p}
	g := r.Call
	switch {
	case g != nil && g.Ahead:
		r.Caught = true
		r.Patch = c.caught(g, p)
	case g == nil || p.Announced && (g.Taken || g.Over) && !g.again(p, inRun):
		delete(c.lines.byID, p.ID)
		if g = c.begins(&r, inRun); g == nil {
			r.Call = nil
			return r
		}
	case !g.Tool.Exact:
		tool, ok := c.find.Of(p)
		g.Tool.Exact = ok && tool.Exact && tool.Name == g.Tool.Name
	}
	if p.Title != nil {
		g.Title = *p.Title
	}
	r.Patch = g.Tool.told(r.Patch, g.Taken)
	g.Over = g.Over || p.Status != nil && p.Status.Ended()
	if g.Drawn {
		return r
	}
	if p.Input != nil {
		g.Whole = Arguments(p.Input)
	}
	if !g.Taken && p.InputDelta != "" {
		r.Changes = g.Write(p.InputDelta)
	}
	return r
}

// begins makes the call of a line that is reported for the first time, or again. It returns nil if that is none of the gateway's, or is not correlated.
func (c *Calls[S]) begins(r *Report[S], inRun bool) *Call[S] {
	p := r.Patch
	full := !inRun || c.lines.full()
	tool, ok := c.find.Of(p)
	if ok {
		r.Patch = introduced(p, &tool)
	}
	if full {
		return nil
	}
	var a *Arrival[S]
	var whole jsontext.Value
	if ok {
		whole = Arguments(p.Input)
		a = c.arrivals.best(func(a *Arrival[S]) int { return a.fits(tool.Name, whole) })
	} else if a = c.arrivals.best(func(a *Arrival[S]) int { return a.isWithin(p.Input) }); a != nil {
		whole, tool = a.Sent, c.find.named(a.Tool)
		tool.Exact = false
		r.Patch = introduced(p, &tool)
	} else {
		return nil
	}
	g := c.lines.add(p.ID, &tool)
	g.Whole = whole
	if a != nil {
		r.Arrived = true
		c.join(a, g)
		if known := c.open[p.ID]; known != nil && p.Kind == nil {
			if kind := g.kind(known.Kind); kind != known.Kind {
				told := *r.Patch
				told.Kind = &kind
				r.Patch = &told
			}
		}
	}
	r.Call = g
	return g
}

// introduced returns what an agent says about a call with the name of its tool, if the agent does not tell it, and how it is drawn.
func introduced(p *transcript.ToolPatch, tool *Tool) *transcript.ToolPatch {
	told := *p
	if tool.Visibility != "" {
		told.Visibility = tool.Visibility
	}
	if told.Name == nil || *told.Name == "" {
		told.Name = &tool.Name
	}
	return tool.told(&told, false)
}

// Ahead notes a call that the model writes and that the agent has not shown yet, with an id for it. It returns nil if there are too many.
func (c *Calls[S]) Ahead(id, tool string) *Call[S] {
	if c.lines.full() {
		return nil
	}
	g := c.lines.add(id, &Tool{Name: tool})
	g.Ahead = true
	return g
}

// Rename gives a call that was noted ahead the id under which the agent shows it.
func (c *Calls[S]) Rename(g *Call[S], id string) { c.lines.rename(g, id) }

// caught is [Calls.Report] for a call that was noted ahead.
func (c *Calls[S]) caught(g *Call[S], p *transcript.ToolPatch) *transcript.ToolPatch {
	g.Ahead = false
	t, ok := c.find.Of(p)
	g.Tool.Exact, g.Tool.Draw = ok && t.Exact && t.Name == g.Tool.Name, t.Draw
	t.Name = g.Tool.Name
	return introduced(p, &t)
}

// Forget is for the end of a run: its calls are forgotten, but for those that are displays. It returns the calls that still waited for their line.
func (c *Calls[S]) Forget() []*Arrival[S] {
	c.lines.endRun()
	return c.arrivals.end()
}

// Latest returns the line of a call that has arrived, to note something at it; nil if none is known. It prefers one with the arguments.
func (c *Calls[S]) Latest(tool string, sent jsontext.Value) *Call[S] {
	return c.lines.latest(tool, sent)
}
