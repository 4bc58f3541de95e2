package transcript

import "github.com/go-json-experiment/json/jsontext"

// Turns folds one agent's session into a space. It finds the message of each update:
//
//   - During a turn, updates belong to the message of that turn.
//   - An update of a tool call from an earlier turn belongs to that turn, unless the agent announces the call again.
//     So do updates below such a call (a sub-agent may continue in the background), and updates after the end of a turn.
//   - While the agent replays an earlier conversation (session/load), the user's words open user messages, and the
//     agent's words open the messages that answer them.
type Turns struct {
	box    *Outbox
	NewID  func() string // returns an id for a message
	Person Author
	Agent  Author
	Model  string

	Terminals Terminals // run by Weft for the agent

	messages messages
	aside    *Fold // for requests outside any turn, or nil
	replay   bool
	user     userMessage // written by a replay
}

// NewTurns returns Turns that fold into box.
func NewTurns(box *Outbox, person, agent Author, newID func() string) *Turns {
	return &Turns{box: box, NewID: newID, Person: person, Agent: agent}
}

// Current returns the agent's current or last message, nil if there is none.
func (t *Turns) Current() *Fold { return t.messages.cur }

// Prompt adds the user's message, the text followed by the attachments in along, and returns its id. The payloads of
// the attachments must already be stored.
func (t *Turns) Prompt(text string, along ...Content) string {
	t.EndReplay()
	id := t.NewID()
	t.box.add(&MessageStart{MessageID: id, Role: RoleUser, Author: t.Person})
	segment := 0
	if text != "" {
		t.box.appendText(TextDelta{MessageID: id}, true, text)
		segment++
	}
	for i, c := range along {
		if c.Ref != nil {
			t.box.out.Blobs = append(t.box.out.Blobs, Blob{Ref: *c.Ref})
		}
		t.box.add(&Display{MessageID: id, Segment: segment + i, Display: c})
	}
	t.box.add(&MessageEnd{MessageID: id})
	return id
}

// Mark ends a replay and returns a function that removes the messages begun after Mark. Call it only if nothing of them
// was stored or shown.
func (t *Turns) Mark() (undo func()) {
	t.EndReplay()
	before := t.messages.clone()
	return func() { t.messages = before }
}

// Begin opens the agent's message of a run. prompt is the text that it answers, because some agents repeat it.
func (t *Turns) Begin(runID, prompt string) *Fold {
	t.EndReplay()
	t.messages.paused = ""
	f := t.open(runID)
	f.ExpectEcho(prompt)
	return f
}

// open opens a message of the agent. runID is "" for a message without a run.
func (t *Turns) open(runID string) *Fold {
	f := NewFold(t.box, MessageStart{MessageID: t.NewID(), RunID: runID, Role: RoleAgent, Author: t.Agent, Model: t.Model})
	f.calls.terminals = &t.Terminals
	t.messages.add(f)
	return f
}

// Pause ends the message of a turn that continues. [Turns.Resume] opens another message of the same run. Open calls
// stay open.
func (t *Turns) Pause() { t.messages.pause() }

// Paused reports whether the turn has no message since [Turns.Pause].
func (t *Turns) Paused() bool { return t.messages.paused != "" }

// Resume returns the message of the turn. After [Turns.Pause] it opens another one.
func (t *Turns) Resume() *Fold {
	if runID := t.messages.paused; runID != "" {
		t.messages.paused = ""
		t.open(runID)
	}
	return t.messages.cur
}

// EndRun ends the messages of a turn; f is the last one.
func (t *Turns) EndRun(f *Fold, stopReason string, usage []byte, now int64) {
	t.messages.endRun(f, stopReason, now)
	f.End(stopReason, usage, now)
}

// Aside opens a message for requests outside any turn, while the agent starts or signs in.
func (t *Turns) Aside() {
	if t.aside != nil {
		return
	}
	t.user.end(t.box)
	t.aside = t.open("")
}

// EndAside ends that message when no request is open anymore.
func (t *Turns) EndAside(now int64) {
	if t.aside != nil && !t.aside.Ended() {
		t.aside.End("", nil, now)
	}
	t.aside = nil
}

// Update folds one update that arrived at now (unix ms).
func (t *Turns) Update(u *Update, now int64) {
	if u.Kind == UpdateNothing {
		return
	}
	if u.Kind == UpdateState {
		id := ""
		if cur := t.messages.cur; cur != nil {
			id = cur.ID
		}
		t.box.state(State{Key: u.Key, MemberID: t.Agent.MemberID, MessageID: id}, u.Value)
		return
	}
	if t.replay && u.Kind == UpdateUser {
		t.replayUser(u)
		return
	}
	if u.Kind == UpdateTool {
		t.owner(u.Tool).tool(u.Tool, now)
		return
	}
	if f := t.messages.earlier(u.ParentToolCallID); f != nil {
		f.Apply(u, now)
		return
	}
	t.message().Apply(u, now)
}

// AskPermission folds a permission request; see [Fold.AskPermission].
func (t *Turns) AskPermission(p *ToolPatch, requestID string, options []PermissionOption, reading jsontext.Value, now int64) {
	t.owner(p).AskPermission(p, requestID, options, reading, now)
}

// DecidePermission folds a permission request that is decided at once; see [Fold.DecidePermission].
func (t *Turns) DecidePermission(p *ToolPatch, requestID string, options []PermissionOption, reading jsontext.Value, r Resolution, now int64) {
	t.owner(p).DecidePermission(p, requestID, options, reading, r, now)
}

// Waits reports whether this permission request is open in any kept turn.
func (t *Turns) Waits(requestID string) bool { return t.messages.waiting(requestID) != nil }

// ResolvePermission ends a permission request of any kept turn; see [Fold.ResolvePermission].
func (t *Turns) ResolvePermission(requestID string, r Resolution, now int64) bool {
	f := t.messages.waiting(requestID)
	return f != nil && f.ResolvePermission(requestID, r, now)
}

// message returns the message for updates that name no tool call.
func (t *Turns) message() *Fold {
	t.user.end(t.box)
	f := t.Resume()
	if f == nil || t.replay && f.Ended() {
		f = t.open("")
		if !t.replay {
			// The agent sent text before the first prompt: put it into a message that has already ended and still
			// accepts more.
			f.End("", nil, 0)
		}
	}
	return f
}

// owner returns the message that a report about a tool call belongs to.
func (t *Turns) owner(p *ToolPatch) *Fold {
	cur := t.messages.cur
	if f := t.messages.earlier(p.ID); f != nil {
		if !p.Announced || f.RunID != "" && cur != nil && f.RunID == cur.RunID {
			return f // some agents announce a call again once it is permitted, perhaps after the message has ended
		}
		f.calls.announcedAgain(p)
	}
	if p.ParentID != nil && (cur == nil || !cur.Knows(p.ID)) {
		if f := t.messages.earlier(*p.ParentID); f != nil {
			return f
		}
	}
	return t.message()
}

// With returns the message, of this turn or one of the last turns, that has this tool call, or nil.
func (t *Turns) With(toolCallID string) *Fold { return t.messages.with(toolCallID) }
