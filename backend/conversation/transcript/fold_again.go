package transcript

import "weft/backend/base/fault"

// Reopen returns a fold for one call of a finished message, because the user wants the call to run again.
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

// again writes that an ended call starts again, and drops its result.
func (c *call) again(o *Outbox, now int64) {
	c.facts = c.facts.Again()
	c.status, c.times.running = StatusRunning, now
	c.end.again()
	status, none, nothing := StatusRunning, "", []Content{}
	o.add(&ToolCallUpdate{At: c.at, ToolCallID: c.id, Status: &status, Error: &none, Summary: &none, Content: &nothing, StartedAt: now})
	c.output.clearContent(o)
	o.urgent = true
}

// again drops the end of the call, including that its agent reported none.
func (e *callEnd) again() { *e = callEnd{retried: true} }

// startedAgain is the summary of a call that its agent left open and announced again in a later turn.
var startedAgain = fault.Text("Started again later")

// announcedAgain handles that the agent announces a call of an earlier turn again, with p. The result is reported once,
// where the call continues. With another title, the agent has reused the id for another call.
func (m *toolCalls) announcedAgain(p *ToolPatch) {
	c := m.get(p.ID)
	if c == nil || c.status != StatusCancelled || !c.end.unreported || p.Title == nil || *p.Title != c.name.title {
		return
	}
	c.end.unreported = false
	summary := startedAgain
	m.box.add(&ToolCallUpdate{At: c.at, ToolCallID: c.id, Summary: &summary})
}
