package agentcalls

import (
	"weft/backend/conversation/transcript"
	"weft/backend/permission/actions"
	"weft/backend/space/gatecalls"
	"weft/backend/space/requests"
)

// Ask handles a permission request of the agent about a call; p is the call as the request shows it. The request is
// decided or shown to the user at that call. Ask sets a.Call and the fields derived from it.
func (c *Calls[M]) Ask(a *requests.Permission, p *transcript.ToolPatch) {
	p = c.placed(p)
	a.Tool = p.ID
	c.Watch.Vouch(p.ID)
	first := c.open[p.ID] == nil && c.session.Turns.With(p.ID) == nil
	a.Call = c.open.With(p)
	a.Describe(c.session.Place)
	shown := c.shown.With(p)
	tool, own := c.Drafts.Requested(requested(a, p, shown, c.session.Place.Folder))
	if own && c.allowsOwn(a, p, tool) {
		return
	}
	if own {
		p = c.Drafts.AsCalled(p, &tool)
	} else {
		p = c.legible(p, true)
		a.Call = actions.CommandFromWords(c.changes.Asked(p, c.reported(p, true)), saidIn(p)...)
		a.Describe(c.session.Place)
		if call := c.open[p.ID]; call != nil && (len(call.Input) == 0 || len(p.Input) > 0) { // the next request may contain only the id
			call.Input = a.Call.Input
		}
		if call := c.open[p.ID]; call != nil && p.Title != nil && p.Called == "" && call.WellTitled() {
			untitled := *p
			untitled.Title = nil
			p = &untitled
		}
	}
	a.Action = actions.Requested(&a.Call, a.About, shown)
	if first {
		c.rows.add(p.ID, a.Action)
	}
	a.Noted = actions.About(&a.Call, a.About)
	turn, open := c.session.Step.Turn()
	if turn != nil {
		turn.Note(a.Noted)
	}
	told := *p
	c.Drafts.Caught(c.model.Request(p), p.ID)
	if u := c.drafted(&transcript.Update{Kind: transcript.UpdateTool, Tool: p}); u != nil { // some agents show a call only in the request
		told = *u.Tool
	} else if c.Drafts.Drawn(p.ID) {
		told = transcript.ToolPatch{ID: p.ID}
	}
	if open {
		told.Announced = true
		c.watchTool(&told)
	}
	c.session.Inbox.Permissions.Ask(a, &told)
}

// requested returns the facts by which a permission request is matched to one of the gateway's tools.
func requested(a *requests.Permission, p *transcript.ToolPatch, shown []actions.Change, folder string) gatecalls.Request {
	r := gatecalls.Request{Call: p, Folder: folder, Does: a.Does(), Changes: make([]string, len(shown))}
	for i := range shown {
		r.Changes[i] = shown[i].Path
	}
	return r
}

// allowsOwn allows a request for one of Weft's own tools without asking the user, and reports whether it did. Such a
// tool changes nothing, or asks the user itself when its call arrives.
func (c *Calls[M]) allowsOwn(a *requests.Permission, p *transcript.ToolPatch, tool gatecalls.Tool) bool {
	s := &c.session
	if !c.trust.Counts() {
		return false
	}
	r, ok := s.Inbox.Permissions.Own(a, tool.Name)
	if !ok {
		return false
	}
	s.Host.Reported(&transcript.Update{Kind: transcript.UpdateTool, Tool: c.Drafts.AsCalled(p, &tool)}) // some agents show a call only in the request
	c.trust.Allow(p.ID, tool.Name)
	a.Call.Title = tool.Name
	s.Inbox.Permissions.Record(a, r)
	s.Step.Flush()
	a.Tell(a.Outcome(r))
	return true
}

// saidIn returns the texts in the content of a permission request.
func saidIn(p *transcript.ToolPatch) (list []string) {
	if p.Content == nil {
		return nil
	}
	for i := range *p.Content {
		if one := &(*p.Content)[i]; one.Type == "text" && one.Text != "" {
			list = append(list, one.Text)
		}
	}
	return list
}
