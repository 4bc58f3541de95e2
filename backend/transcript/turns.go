package transcript

import "github.com/go-json-experiment/json/jsontext"

// Turns folds one agent's session into a space: which message an update belongs to.
//
//   - During a turn it is the message of that turn.
//   - A tool call that an earlier turn knows, merely updated and not announced again, belongs to
//     that turn; so does what belongs to a call that only that turn knows (a sub-agent may continue in the
//     background), and whatever else arrives after a turn has ended.
//   - While the agent replays an earlier conversation (session/load), the user's words
//     open messages of theirs, and the agent's words answer them.
type Turns struct {
	box    *Outbox
	NewID  func() string // makes ids of messages
	Person Author
	Agent  Author
	Model  string

	Terminals Terminals // that Weft runs for the agent

	messages messages
	aside    *Fold // the message of what is asked outside of any turn, nil if nothing is
	replay   bool
	user     userMessage // that a replay is writing
}

// NewTurns folds into box.
func NewTurns(box *Outbox, person, agent Author, newID func() string) *Turns {
	return &Turns{box: box, NewID: newID, Person: person, Agent: agent}
}

// Current is the message that is being written or was written last, nil if there is none.
func (t *Turns) Current() *Fold { return t.messages.cur }

// Prompt adds the user's message: the text, if there is any, and behind it what goes along. The
// payloads that these refer to are stored already. The message's id is answered.
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

// Mark ends a replay and returns what takes back the messages that are begun after it. That is only for those of which
// nothing was stored or shown.
func (t *Turns) Mark() (undo func()) {
	t.EndReplay()
	before := t.messages.clone()
	return func() { t.messages = before }
}

// Begin opens the agent's message of a run that answers prompt (the text, for agents
// that repeat it).
func (t *Turns) Begin(runID, prompt string) *Fold {
	t.EndReplay()
	t.messages.paused = ""
	f := t.open(runID)
	f.ExpectEcho(prompt)
	return f
}

// open opens a message of the agent, of no run where runID is "".
func (t *Turns) open(runID string) *Fold {
	f := NewFold(t.box, MessageStart{MessageID: t.NewID(), RunID: runID, Role: RoleAgent, Author: t.Agent, Model: t.Model})
	f.calls.terminals = &t.Terminals
	t.messages.add(f)
	return f
}

// Pause ends the message of a turn that continues: what follows opens another message of the same run. Calls that are
// open stay open.
func (t *Turns) Pause() { t.messages.pause() }

// Paused reports whether the turn has nothing to write to since [Turns.Pause].
func (t *Turns) Paused() bool { return t.messages.paused != "" }

// Resume returns the message of the turn, opening another one after [Turns.Pause].
func (t *Turns) Resume() *Fold {
	if runID := t.messages.paused; runID != "" {
		t.messages.paused = ""
		t.open(runID)
	}
	return t.messages.cur
}

// EndRun ends the messages of a turn. The last of them is f.
func (t *Turns) EndRun(f *Fold, stopReason string, usage []byte, now int64) {
	t.messages.endRun(f, stopReason, now)
	f.End(stopReason, usage, now)
}

// Aside opens a message for what the agent asks outside of any turn, while it starts or signs in.
func (t *Turns) Aside() {
	if t.aside != nil {
		return
	}
	t.user.end(t.box)
	t.aside = t.open("")
}

// EndAside ends that message, when nothing is asked any more.
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

// DecidePermission folds a permission request that is answered at once; see [Fold.DecidePermission].
func (t *Turns) DecidePermission(p *ToolPatch, requestID string, options []PermissionOption, reading jsontext.Value, r Resolution, now int64) {
	t.owner(p).DecidePermission(p, requestID, options, reading, r, now)
}

// Waits reports whether a permission request of any kept turn is open.
func (t *Turns) Waits(requestID string) bool { return t.messages.waiting(requestID) != nil }

// ResolvePermission ends a permission request of any kept turn; see [Fold.ResolvePermission].
func (t *Turns) ResolvePermission(requestID string, r Resolution, now int64) bool {
	f := t.messages.waiting(requestID)
	return f != nil && f.ResolvePermission(requestID, r, now)
}

// message returns where something that names no tool call belongs.
func (t *Turns) message() *Fold {
	t.user.end(t.box)
	f := t.Resume()
	if f == nil || t.replay && f.Ended() {
		f = t.open("")
		if !t.replay {
			// Words before the first prompt: a message of its own that is over at once,
			// and still takes what follows.
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
			return f // some announce a call again once it was permitted, and the message may have ended meanwhile
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

// With returns the message, of this turn or of the last few, that has a tool call; nil if none has.
func (t *Turns) With(toolCallID string) *Fold { return t.messages.with(toolCallID) }
