package agentcalls

import (
	"weft/backend/fault"
	"weft/backend/modelcalls"
	"weft/backend/requests"
	"weft/backend/toolcalls"
	"weft/backend/transcript"
)

// Report takes what the agent reports of a call, and gives the conversation what it is to have of it. Order is the place of a call that is shown for the
// first time. It reads files.
func (c *Calls[M]) Report(u *transcript.Update, order int) {
	desk, host := c.session.Desk, c.session.Host
	if p := c.placed(u.Tool); p != u.Tool {
		u = u.WithTool(p)
	}
	id := u.Tool.ID
	if desk.Questions.Shown(id) { // it is a question, and what the user answered says what became of it
		if ended(u.Tool) {
			delete(c.open, id)
			desk.Questions.CallEnded(id)
		}
		return
	}
	if p := c.written.Report(u.Tool, c.open[id]); p != u.Tool {
		u = u.WithTool(p)
	}
	c.doubt(u.Tool)
	if c.session.Servers.Shown(c.open, u.Tool) {
		host.OfferChanged()
	}
	over, whole := ended(u.Tool), u.Tool.Input // as the agent told it
	told, found := c.model.Report(u)
	c.Drafts.Caught(found, id)
	defer func() { c.showWritten(c.model.Next(id)) }()
	if u = c.drafted(told); u == nil {
		if over {
			delete(c.open, id)
		}
		return
	}
	if p := c.legible(u.Tool, false); p != u.Tool {
		u = u.WithTool(p)
	}
	c.printing.Update(u.Tool)
	host.Show(u)
	p := u.Tool
	c.watchTool(p)
	c.Watch.VouchShown(p, host.HasTerminal)
	if ended(p) {
		c.judge(p)
	}
	c.open.Update(modelcalls.WithInput(p, whole), order)
	host.ReportUnasked()
	c.shown.Update(p, c.open[id] != nil)
	host.Visit(p)
	if ended(p) && desk.Open() > 0 {
		desk.CallEnded(id)
	}
}

// ended reports whether a report says that the call has ended.
func ended(p *transcript.ToolPatch) bool { return p.Status != nil && p.Status.Ended() }

// doubt looks whether a call that was allowed by its name has arrived when the agent says that it is completed.
func (c *Calls[M]) doubt(p *transcript.ToolPatch) {
	tool := c.trust.Ended(p)
	if tool == "" {
		return
	}
	s := &c.session
	if f := s.Turns.Current(); f != nil {
		if s.Space.InRun() {
			f = s.Space.Own()
		}
		f.Note(fault.Say("{{agent}} got permission for Weft's tool {{tool}}, but no such call reached Weft: the agent called something else. Weft asks about each such call from now on.", s.Agent.Name, tool))
	}
	s.Desk.Permissions.Keep(requests.LostCall(tool))
	s.Step.Flush()
}

// drafted notes what the agent reports about its calls of the gateway, and returns the update as the conversation is to have it.
func (c *Calls[M]) drafted(u *transcript.Update) *transcript.Update {
	u = c.Drafts.Report(u)
	c.wake()
	return u
}

// showWritten shows what the model has written of its calls.
func (c *Calls[M]) showWritten(list []modelcalls.Change) {
	c.Drafts.Write(list)
	c.wake()
}

// legible returns what an agent reports of a call as the user can read it: with the changes of a patch as diffs, and with a title in place of
// raw arguments; asking says that it is asked about. It reads files.
func (c *Calls[M]) legible(p *transcript.ToolPatch, asking bool) *transcript.ToolPatch {
	now, look := c.changes.Report(p, c.reported(p, asking))
	if look != nil {
		look.Read(c.session.Files())
		now = toolcalls.Over(now, c.changes.Done(look))
	}
	return now
}

// reported says what a report is.
func (c *Calls[M]) reported(p *transcript.ToolPatch, asking bool) toolcalls.Reported {
	own := c.session.Agent.Own()
	return toolcalls.Reported{
		Asking: asking, Replayed: c.session.Host.Replayed(), Fixed: c.Drafts.Get(p.ID) != nil || own, Own: own, Place: c.session.Place,
	}
}

// watchTool tells what the agent reports about a call, in order.
func (c *Calls[M]) watchTool(p *transcript.ToolPatch) {
	s := &c.session
	s.Step.Effect(func() { s.Watch(s.Place.SpaceID, p) })
}
