package transcript

// textPart is where a text is that an agent sends by a tool, while more of it may come.
type textPart struct {
	segment int
	via     string // the call that sends it, "" where that is not known
}

// writes notes that a part is being written.
func (f *Fold) writes(part string, at textPart) {
	if f.parts == nil {
		f.parts = map[string]textPart{}
	}
	f.parts[part] = at
}

// EndText tells that a text which a tool sends is complete; part is the MessageID of its updates, and via the call that sends it where it has
// become known since, else "". Of one that nothing was shown of, or that has ended, it tells nothing. Unsent is one that was written and not sent.
func (f *Fold) EndText(part, via string, unsent bool) {
	at, ok := f.parts[part]
	if !ok {
		return
	}
	delete(f.parts, part)
	if via != "" {
		at.via = boundID(via)
	}
	b := &TextEnd{MessageID: f.ID, Segment: at.segment, ToolCallID: at.via, Unsent: unsent}
	if at.via != "" {
		b.AgentID = f.agent
	}
	f.box.add(b)
}
