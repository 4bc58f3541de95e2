package modelcalls

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp/callids"
	"weft/backend/conversation/transcript"
	"weft/backend/space/gatecalls"
	"weft/backend/space/toolcalls"
)

// Report processes an agent's update of a call and returns the update for the conversation: an input that is only a
// part of what the model has already written is left out. Once that update is in the conversation, [Calls.Next]
// returns what follows. found is the key of the model's call if this update matched it, else nil.
func (c *Calls) Report(u *transcript.Update) (_ *transcript.Update, found *Key) {
	p := u.Tool
	o, found := c.lookup(p, p.Announced)
	if o == nil {
		return u, nil
	}
	if p.InputDelta != "" { // the model proxy reads the same text
		u = u.ChangeTool(func(p *transcript.ToolPatch) { p.InputDelta = "" })
		p = u.Tool
	}
	o.ended = o.ended || p.Status != nil && p.Status.Ended()
	moves := p.Status != nil && *p.Status != transcript.StatusPending
	switch {
	case moves || p.Announced && len(p.Input) == 0:
		if p.Input == nil && o.last != nil {
			u = withInput(u, o.last)
			o.reported(o.last)
		}
		o.last = nil
	case len(p.Input) > 0 && (!o.over || len(p.Input) < o.raw.Len()) && !o.broken:
		if o.last = p.Input; toolcalls.IsEmptyObject(p.Input) {
			o.last = nil
		}
		u = withInput(u, nil)
	case len(p.Input) > 0:
		o.last = nil
	}
	if moves && len(p.Input) > 0 {
		o.passed, o.missed = o.raw.Len(), 0 // reported whole
		o.reported(p.Input)
	}
	return u, found
}

// Held returns the input that the next [Calls.Report] may add to an update of a call, or nil.
func (c *Calls) Held(id string) jsontext.Value {
	if o := c.byID[id]; o != nil {
		return o.last
	}
	return nil
}

// Next returns the changes that follow a [Calls.Report]: new input of the model's call that the agent shows as id.
func (c *Calls) Next(id string) []Change {
	if o := c.byID[id]; o != nil {
		return c.next(o)
	}
	return nil
}

// Request is Report for a permission request, in which some agents show a call for the first time.
func (c *Calls) Request(p *transcript.ToolPatch) (found *Key) {
	o, found := c.lookup(p, true)
	if o != nil && len(p.Input) > 0 {
		o.passed, o.missed, o.last = o.raw.Len(), 0, nil // reported whole
		o.reported(p.Input)
	}
	return found
}

// lookup returns the model's call for an agent's call, or nil, and its key if the match is new. shows means that the
// agent may be showing the call for the first time.
func (c *Calls) lookup(p *transcript.ToolPatch, shows bool) (*call, *Key) {
	if o := c.byID[p.ID]; o != nil || len(c.calls) == 0 {
		return o, nil
	}
	o := c.match(p, shows)
	if o == nil {
		return nil, nil
	}
	c.join(o, p.ID)
	return o, &o.key
}

// match finds the model's call that the agent shows for the first time: by the provider's id, which some agents
// include in their own id, otherwise by tool and input. The oldest wins.
func (c *Calls) match(p *transcript.ToolPatch, shows bool) *call {
	var found *call
	better := 0
	for _, o := range c.calls {
		if o.id != "" {
			continue
		}
		fits := 0
		switch {
		case o.provider != "" && o.provider == callids.Sent(p.ID):
			fits = 4
		case len(o.provider) >= 8 && strings.Contains(p.ID, o.provider):
			fits = 3
		case !shows || !c.sameTool(o, p):
		case len(p.Input) == 0 || toolcalls.IsEmptyObject(p.Input):
			fits = 1
		case o.over && gatecalls.SameJSON(gatecalls.Arguments(p.Input), jsontext.Value(o.raw.String())):
			fits = 2
		}
		if fits > better || fits == better && fits > 0 && o.key.before(found.key) {
			found, better = o, fits
		}
	}
	return found
}

// sameTool reports whether an agent's call uses the tool of the model's call.
func (c *Calls) sameTool(o *call, p *transcript.ToolPatch) bool {
	if o.tool != "" {
		t, ok := c.find.Of(p)
		return ok && t.Name == o.tool
	}
	return p.Name != nil && *p.Name == o.name || p.Title != nil && *p.Title == o.name
}

// WithInput returns an update with the input that the agent sent, if the conversation got another form of it.
func WithInput(p *transcript.ToolPatch, input jsontext.Value) *transcript.ToolPatch {
	if p.Input != nil || input == nil {
		return p
	}
	whole := *p
	whole.Input = input
	return &whole
}

func withInput(u *transcript.Update, input jsontext.Value) *transcript.Update {
	return u.ChangeTool(func(p *transcript.ToolPatch) { p.Input = input })
}
