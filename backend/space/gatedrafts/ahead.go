package gatedrafts

import (
	"weft/backend/conversation/transcript"
	"weft/backend/space/modelcalls"
)

// Write shows what the model has written of its calls so far. This may settle calls that wait at the gateway.
func (d *Drafts[M]) Write(list []modelcalls.Change) {
	for i := range list {
		c := &list[i]
		switch c.Kind {
		case modelcalls.Fragment:
			if u := d.Report(c.Update()); u != nil {
				d.space.Update(u)
			}
		case modelcalls.Missed:
			if d.space.Shows(c.ID) {
				d.space.Update(c.Update())
			}
		case modelcalls.Ahead:
			d.showAhead(c)
		}
	}
}

// showAhead shows a message to another space while the model writes it, before the agent has shown the call. A
// message to the own space isn't shown yet: earlier output of the agent may still be on its way.
func (d *Drafts[M]) showAhead(c *modelcalls.Change) {
	g := d.ahead[c.Key]
	if g == nil {
		id := c.Provider
		if id == "" || d.Get(id) != nil {
			id = d.space.NewID("call")
		}
		if g = d.Ahead(id, SendMessage); g == nil {
			return
		}
		d.ahead[c.Key] = g
	}
	if c.Text != "" && !g.Taken {
		d.written(g, &transcript.ToolPatch{ID: g.ID, InputDelta: c.Text}, g.Write(c.Text))
	}
	if c.Whole != nil { // identifies the gateway's call
		g.Whole = c.Whole
	}
	if c.Broken && g.Kept.sent > 0 && !g.Taken { // the agent can't make the call
		g.Over = true
		d.unsent(g)
	}
}

// Caught changes the id of a call that was shown ahead to the one that the agent uses. It does nothing if key is nil
// or the call wasn't shown ahead.
func (d *Drafts[M]) Caught(key *modelcalls.Key, id string) {
	if key == nil {
		return
	}
	if g := d.ahead[*key]; g != nil {
		d.Rename(g, id)
	}
}

// EndAhead marks messages that were shown ahead and never sent as not sent, at the end of a run.
func (d *Drafts[M]) EndAhead() {
	for _, g := range d.ahead {
		if g.Kept.sent > 0 && !g.Taken {
			d.unsent(g)
		}
	}
	clear(d.ahead)
}
