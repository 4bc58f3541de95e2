package transcript

import "weft/backend/fault"

// Reopen is a fold that continues with one call of a message that nobody writes any more: the user wants the call once more.
func Reopen(box *Outbox, messageID string, at At, c *ToolCall) *Fold {
	f := &Fold{ID: messageID, box: box, rested: true, calls: newToolCalls(box)}
	f.calls.closed = true
	k := &call{
		at: at, id: c.ID, kind: c.Kind, parent: c.ParentID, status: c.Status,
		name: callName{title: c.Title}, look: callLook{visibility: c.Visibility}, times: callTimes{created: c.StartedAt},
	}
	if c.Input != nil {
		k.facts.Input(c.Input)
	}
	f.calls.byID[c.ID] = k
	return f
}

// again writes that an ended call begins again: what came of it before is gone.
func (c *call) again(o *Outbox, now int64) {
	c.facts = c.facts.Again()
	c.status, c.times.running = StatusRunning, now
	c.end.again()
	status, none, nothing := StatusRunning, "", []Content{}
	o.add(&ToolCallUpdate{At: c.at, ToolCallID: c.id, Status: &status, Error: &none, Summary: &none, Content: &nothing, StartedAt: now})
	c.output.clearContent(o)
	o.urgent = true
}

// again forgets the end of a call that begins again, and that its agent had reported none.
func (e *callEnd) again() { *e = callEnd{retried: true} }

// startedAgain is the summary of a call that its agent has left open and announced again in a later turn.
var startedAgain = fault.Text("Started again later")

// announcedAgain notes that the agent announces a call of an earlier turn once more, as p. Whether it reports a result is told where the call
// continues, and not in two places. Another title means that the agent uses the id for another call.
func (m *toolCalls) announcedAgain(p *ToolPatch) {
	c := m.get(p.ID)
	if c == nil || c.status != StatusCancelled || !c.end.unheard || p.Title == nil || *p.Title != c.name.title {
		return
	}
	c.end.unheard = false
	summary := startedAgain
	m.box.add(&ToolCallUpdate{At: c.at, ToolCallID: c.id, Summary: &summary})
}
