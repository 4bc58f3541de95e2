package transcript

// toolTexts are the texts of a message that an agent sends with a tool and that are not complete yet, by the MessageID of their updates.
type toolTexts struct {
	open map[string]toolText
}

// toolText is where such a text is.
type toolText struct {
	segment int
	via     string // the call that sends it, "" where that is not known
}

// add notes that a text is being written.
func (t *toolTexts) add(id string, text toolText) {
	if t.open == nil {
		t.open = map[string]toolText{}
	}
	t.open[id] = text
}

// end returns a text that is being written, and forgets it.
func (t *toolTexts) end(id string) (text toolText, ok bool) {
	text, ok = t.open[id]
	delete(t.open, id)
	return text, ok
}

// EndText tells that a text which a tool sends is complete; part is the MessageID of its updates, and via the call that sends it where it has
// become known since, else "". Of one that nothing was shown of, or that has ended, it tells nothing. Unsent is one that was written and not sent.
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
