package gatedrafts

import (
	"weft/backend/modelcalls"
	"weft/backend/transcript"
)

// Write shows what the model has written of its calls. Calls at the gateway that wait for their line may be settled by it.
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

// showAhead shows a message to another space while the model writes it, before the agent has shown the call. One to the own space waits for
// that: what the agent has said before may still be on its way.
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
	if c.Whole != nil { // the gateway's call is known by it
		g.Whole = c.Whole
	}
	if c.Broken && g.Kept.sent > 0 && !g.Taken { // the agent can't make the call
		g.Over = true
		d.unsent(g)
	}
}

// Caught gives a call that was shown ahead the id under which the agent shows it. It does nothing if key is nil, or names a call that was not.
func (d *Drafts[M]) Caught(key *modelcalls.Key, id string) {
	if key == nil {
		return
	}
	if g := d.ahead[*key]; g != nil {
		d.Rename(g, id)
	}
}

// EndAhead is for the end of a run: messages that were shown ahead and never sent are said to be that.
func (d *Drafts[M]) EndAhead() {
	for _, g := range d.ahead {
		if g.Kept.sent > 0 && !g.Taken {
			d.unsent(g)
		}
	}
	clear(d.ahead)
}
