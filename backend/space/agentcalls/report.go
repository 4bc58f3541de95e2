package agentcalls

import (
	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
	"weft/backend/permission"
	"weft/backend/permission/actions"
	"weft/backend/space/modelcalls"
	"weft/backend/space/requests"
	"weft/backend/space/toolcalls"
)

// Report processes an update of a call and passes the result to the conversation. order is the position of a call
// that is shown for the first time. What it needs of files is in c.Files: what isn't is read later.
func (c *Calls[M]) Report(u *transcript.Update, order int) {
	inbox, host := c.session.Inbox, c.session.Host
	if p := c.placed(u.Tool); p != u.Tool {
		u = u.WithTool(p)
	}
	id := u.Tool.ID
	if inbox.Questions.Shown(id) { // a question: the user's answer says what became of it
		if ended(u.Tool) {
			delete(c.open, id)
			inbox.Questions.CallEnded(id)
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
	over, whole := ended(u.Tool), u.Tool.Input // as the agent sent it
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
	if ended(p) && inbox.Open() > 0 {
		inbox.CallEnded(id)
	}
}

// ended reports whether an update ends the call.
func ended(p *transcript.ToolPatch) bool { return p.Status != nil && p.Status.Ended() }

// doubt checks that a completed call that was allowed by its name has arrived. If not, names no longer count and the
// user is told.
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
	s.Inbox.Permissions.Keep(requests.LostCall(tool))
	s.Step.Flush()
}

// drafted processes an update of a call to the gateway, and returns the update for the conversation, or nil.
func (c *Calls[M]) drafted(u *transcript.Update) *transcript.Update {
	u = c.Drafts.Report(u)
	c.wake()
	return u
}

// showWritten shows what the model has written of its calls so far.
func (c *Calls[M]) showWritten(list []modelcalls.Change) {
	c.Drafts.Write(list)
	c.wake()
}

// Look returns what should be read before an update of a call is passed to [Calls.Report], or to [Calls.Ask] if asking
// is set; nil if nothing. It changes nothing. Reading is up to the caller, because a disk may take long and the space
// must not wait for it.
func (c *Calls[M]) Look(p *transcript.ToolPatch, asking bool) *toolcalls.Look {
	told := c.expected(p)
	return c.changes.Look(told, c.reported(told, asking))
}

// Foresee returns the calls that will be described when an update is passed to [Calls.Report], or to [Calls.Ask] if
// asking is set. read is what was read for [Calls.Look]. Where their paths lead on disk should be found before, see
// [actions.Foresee]. It changes nothing.
func (c *Calls[M]) Foresee(p *transcript.ToolPatch, asking bool, read *toolcalls.Snapshot) (calls []permission.Call) {
	told := c.expected(p)
	if asking {
		return []permission.Call{c.open.With(told), actions.CommandFromWords(c.changes.Foresee(told, c.reported(told, true), read), saidIn(p)...)}
	}
	if len(c.rows.open) > 0 && c.open[told.ID] == nil || c.changes.Describes(told) {
		calls = append(calls, c.open.With(told))
	}
	if ended(told) {
		if now := c.judgedBy(); c.Watch.Judges(&now) {
			calls = append(calls, actions.CommandFromTitle(c.open.With(told)))
		}
	}
	return calls
}

// expected returns an update as it will be once it is passed to [Calls.Report], as far as that is known.
func (c *Calls[M]) expected(p *transcript.ToolPatch) *transcript.ToolPatch {
	told := *p
	told.ID = c.rows.known(p.ID, false)
	if told.Input == nil {
		told.Input = c.model.Held(p.ID)
	}
	return &told
}

// legible returns an update of a call in readable form: patches as diffs, and a title in place of raw arguments.
// asking marks an update from a permission request.
func (c *Calls[M]) legible(p *transcript.ToolPatch, asking bool) *transcript.ToolPatch {
	now, look := c.changes.Report(p, c.reported(p, asking))
	switch {
	case look == nil:
	case look.From(c.Files):
		now = toolcalls.Over(now, c.changes.Done(look))
	default:
		c.session.Host.Read(look)
	}
	return now
}

// ShowRead shows what was read after an update was shown: see Host.Read.
func (c *Calls[M]) ShowRead(look *toolcalls.Look) {
	if late := c.changes.Done(look); late != nil {
		c.printing.Update(late)
		c.session.Host.Show(&transcript.Update{Kind: transcript.UpdateTool, Tool: late})
		c.shown.Update(late, c.open[late.ID] != nil)
	}
}

// reported describes the origin of an update for toolcalls.
func (c *Calls[M]) reported(p *transcript.ToolPatch, asking bool) toolcalls.Reported {
	own := c.session.Agent.Own()
	return toolcalls.Reported{
		Asking: asking, Replayed: c.session.Host.Replayed(), Fixed: c.Drafts.Get(p.ID) != nil || own, Own: own, Place: c.session.Place,
	}
}

// watchTool queues an update for Session.Watch.
func (c *Calls[M]) watchTool(p *transcript.ToolPatch) {
	s := &c.session
	s.Step.Effect(func() { s.Watch(s.Place.SpaceID, p) })
}
