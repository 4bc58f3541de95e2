package gatecalls

import (
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/partialjson"
	"weft/backend/conversation/transcript"
	"weft/backend/space/toolcalls"
)

// MaxCalls is how many calls of a run are correlated. Further calls are shown as the agent reports them.
const MaxCalls = 1024

// Calls correlates the calls of one session. It is not safe for concurrent use.
type Calls[S any] struct {
	find     Lookup
	open     toolcalls.Open
	lines    lines[S]    // the calls that the agent has shown
	arrivals arrivals[S] // calls whose line isn't known
}

// New returns the calls of a session that hasn't shown any. open has all open calls of the agent; the caller updates
// it.
func New[S any](find Lookup, open toolcalls.Open) *Calls[S] {
	return &Calls[S]{find: find, open: open, lines: lines[S]{byID: map[string]*Call[S]{}}}
}

// Get returns the call with the id if it is known as one of the gateway's, otherwise nil.
func (c *Calls[S]) Get(id string) *Call[S] { return c.lines.byID[id] }

// All yields each call, in no order.
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

// Report is the result of [Calls.Report].
type Report[S any] struct {
	Call *Call[S] // nil if the call isn't known as one of the gateway's, or isn't correlated
	// Patch is the agent's patch, with the tool's name and visibility added where needed. The agent's patch itself
	// isn't changed.
	Patch *transcript.ToolPatch
	// Caught means that the agent now shows a call that was shown ahead of it.
	Caught bool
	// Arrived means that the line belongs to a call that arrived at the gateway earlier.
	Arrived bool
	// Changes are the additions by a fragment of the input, until the call has arrived.
	Changes []partialjson.Change
}

// Report processes an agent's update of one of its calls. inRun is false outside of a run, when no call is
// correlated.
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

// begins adds the call of a line that is reported for the first time, or again. It returns nil if that isn't one of
// the gateway's or isn't correlated.
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

// introduced returns the first update of a call with the tool's visibility, and with the tool's name if the agent
// gives none.
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

// Ahead adds a call that the model is writing and the agent hasn't shown yet. It returns nil if there are too many.
func (c *Calls[S]) Ahead(id, tool string) *Call[S] {
	if c.lines.full() {
		return nil
	}
	g := c.lines.add(id, &Tool{Name: tool})
	g.Ahead = true
	return g
}

// Rename changes the id of a call that was added ahead to the agent's.
func (c *Calls[S]) Rename(g *Call[S], id string) { c.lines.rename(g, id) }

// caught is [Calls.Report] for a call that was added ahead.
func (c *Calls[S]) caught(g *Call[S], p *transcript.ToolPatch) *transcript.ToolPatch {
	g.Ahead = false
	t, ok := c.find.Of(p)
	g.Tool.Exact, g.Tool.Draw = ok && t.Exact && t.Name == g.Tool.Name, t.Draw
	t.Name = g.Tool.Name
	return introduced(p, &t)
}

// Forget drops the calls of a run at its end, except displays. It returns the calls that were still waiting for their
// line.
func (c *Calls[S]) Forget() []*Arrival[S] {
	c.lines.endRun()
	return c.arrivals.end()
}

// Latest returns the newest line of an arrived call of the tool, preferably with the sent arguments; nil if there is
// none.
func (c *Calls[S]) Latest(tool string, sent jsontext.Value) *Call[S] {
	return c.lines.latest(tool, sent)
}
