package transcript

// Reopen is a fold that continues with one call of a message that nobody writes any more: the user wants the call once more.
func Reopen(box *Outbox, messageID string, at At, c *ToolCall) *Fold {
	f := &Fold{ID: messageID, box: box, ended: true, rested: true, calls: map[string]*call{}, requests: map[string]*call{}}
	k := &call{at: at, id: c.ID, kind: c.Kind, title: c.Title, parent: c.ParentID, created: c.StartedAt, status: c.Status, looks: c.Visibility}
	if c.Input != nil {
		k.facts.Input(c.Input)
	}
	f.calls[c.ID] = k
	return f
}

// beginAgain begins an ended call again: what came of it before is gone.
func (f *Fold) beginAgain(c *call, now int64) {
	c.facts = c.facts.Again()
	c.status, c.running, c.reported, c.retried, c.told = StatusRunning, now, "", true, nil
	c.stopped = false
	status, none, nothing := StatusRunning, "", []Content{}
	c.content = nil
	f.box.add(&ToolCallUpdate{At: c.at, ToolCallID: c.id, Status: &status, Error: &none, Summary: &none, Content: &nothing, StartedAt: now})
	f.box.supersede(c.contentRef)
	c.contentRef = nil
	f.remember(c)
	f.box.urgent = true
}
