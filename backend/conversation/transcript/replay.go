package transcript

// userMessage writes the user's messages of an agent's replay.
type userMessage struct {
	id       string // "" if there is no current message
	segments int
	last     SegmentType // of the last segment, "" if there is none
}

// begin starts a message.
func (m *userMessage) begin(o *Outbox, id string, author Author) {
	*m = userMessage{id: id}
	o.add(&MessageStart{MessageID: id, Role: RoleUser, Author: author})
}

// add appends a block or, if that is nil, text, which joins the text before it.
func (m *userMessage) add(o *Outbox, block *Content, text string) {
	if block != nil {
		o.add(&Display{MessageID: m.id, Segment: m.segments, Display: o.content([]Content{*block})[0]})
		m.segments++
		m.last = SegmentDisplay
		return
	}
	opens := m.last != SegmentText
	if opens {
		m.segments++
		m.last = SegmentText
	}
	o.appendText(TextDelta{MessageID: m.id, Segment: m.segments - 1}, opens, text)
}

// end ends the current message, if there is one.
func (m *userMessage) end(o *Outbox) {
	if m.id != "" {
		o.add(&MessageEnd{MessageID: m.id})
		m.id = ""
	}
}

// Replay starts the replay of an earlier conversation. It lasts until the next prompt, because some agents respond
// first and replay afterwards.
func (t *Turns) Replay() { t.replay = true }

// Replaying reports whether a replay is in progress.
func (t *Turns) Replaying() bool { return t.replay }

// EndReplay ends the replay and its current message.
func (t *Turns) EndReplay() {
	t.user.end(t.box)
	if t.replay {
		t.messages.endReplayed()
	}
	t.replay = false
}

// replayUser folds a chunk of the user's words, or an attached block.
func (t *Turns) replayUser(u *Update) {
	text := ""
	if u.Block == nil {
		if text = WithoutPrelude(u.Text); text == "" {
			return
		}
	}
	if t.user.id == "" {
		t.messages.endReplayed()
		t.user.begin(t.box, t.NewID(), t.Person)
	}
	t.user.add(t.box, u.Block, text)
}
