package transcript

// toolTexts are the incomplete texts that an agent sends with a tool, by the MessageID of their updates.
type toolTexts struct {
	open map[string]toolText
}

// toolText is the position of such a text.
type toolText struct {
	segment int
	via     string // the call that sends it, "" if unknown
}

// add registers a text that is being written.
func (t *toolTexts) add(id string, text toolText) {
	if t.open == nil {
		t.open = map[string]toolText{}
	}
	t.open[id] = text
}

// end returns a text that is being written and forgets it.
func (t *toolTexts) end(id string) (text toolText, ok bool) {
	text, ok = t.open[id]
	delete(t.open, id)
	return text, ok
}

// EndText reports that a text sent by a tool is complete. part is the MessageID of its updates. via is the call that
// sends it, or "" if that is unknown or was already reported. unsent says that the agent wrote the text but didn't send
// it. EndText does nothing if no such text is being written.
func (f *Fold) EndText(part, via string, unsent bool) {
	text, ok := f.texts.end(part)
	if !ok {
		return
	}
	if via != "" {
		text.via = boundID(via)
	}
	b := &TextEnd{MessageID: f.ID, Segment: text.segment, ToolCallID: text.via, Unsent: unsent}
	if text.via != "" {
		b.AgentID = f.agent
	}
	f.box.add(b)
}
