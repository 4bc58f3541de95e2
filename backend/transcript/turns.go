package transcript

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

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

	terminals terminals

	cur      *Fold
	past     []*Fold // the last few, newest last
	paused   string  // the run whose message was ended in the middle of its turn, "" if none was
	aside    *Fold   // the message of what is asked outside of any turn, nil if nothing is
	replay   bool
	user     string // id of the user's message that a replay is writing, "" if none
	userSegs int
	userType SegmentType
}

// keptTurns is how many ended turns still accept late updates of their tool calls.
const keptTurns = 8

// NewTurns folds into box.
func NewTurns(box *Outbox, person, agent Author, newID func() string) *Turns {
	return &Turns{box: box, NewID: newID, Person: person, Agent: agent}
}

// Current is the message that is being written or was written last, nil if there is none.
func (t *Turns) Current() *Fold { return t.cur }

// Prompt adds the user's message: the text, if there is any, and behind it what goes along. The
// payloads that these refer to are stored already. The message's id is answered.
func (t *Turns) Prompt(text string, along ...Content) string {
	t.endReplay()
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
	t.endReplay()
	cur, past, paused := t.cur, slices.Clone(t.past), t.paused
	return func() { t.cur, t.past, t.paused = cur, past, paused }
}

// Begin opens the agent's message of a run that answers prompt (the text, for agents
// that repeat it).
func (t *Turns) Begin(runID, prompt string) *Fold {
	t.endReplay()
	t.paused = ""
	f := NewFold(t.box, MessageStart{MessageID: t.NewID(), RunID: runID, Role: RoleAgent, Author: t.Agent, Model: t.Model})
	f.ExpectEcho(prompt)
	t.keep(f)
	return f
}

func (t *Turns) keep(f *Fold) {
	f.calls.terminals = &t.terminals
	if t.cur != nil {
		t.past = append(t.past, t.cur)
		if len(t.past) > keptTurns {
			t.past = append(t.past[:0], t.past[1:]...)
		}
	}
	t.cur = f
}

// Pause ends the message of a turn that continues: what follows opens another message of the same run. Calls that are
// open stay open.
func (t *Turns) Pause() {
	if t.cur == nil || t.cur.Ended() || t.paused != "" {
		return
	}
	t.paused = t.cur.RunID
	t.cur.rest()
}

// Paused reports whether the turn has nothing to write to since [Turns.Pause].
func (t *Turns) Paused() bool { return t.paused != "" }

// Resume returns the message of the turn, opening another one after [Turns.Pause].
func (t *Turns) Resume() *Fold {
	if t.paused != "" {
		f := NewFold(t.box, MessageStart{MessageID: t.NewID(), RunID: t.paused, Role: RoleAgent, Author: t.Agent, Model: t.Model})
		t.paused = ""
		t.keep(f)
	}
	return t.cur
}

// EndRun ends the messages of a turn. The last of them is f.
func (t *Turns) EndRun(f *Fold, stopReason string, usage []byte, now int64) {
	t.paused = ""
	for _, p := range t.past {
		if p != f && p.RunID == f.RunID && !p.Ended() {
			p.End(stopReason, nil, now)
		}
	}
	f.End(stopReason, usage, now)
}

// Aside opens a message for what the agent asks outside of any turn, while it starts or signs in.
func (t *Turns) Aside() {
	if t.aside != nil {
		return
	}
	t.endUser()
	t.aside = NewFold(t.box, MessageStart{MessageID: t.NewID(), Role: RoleAgent, Author: t.Agent, Model: t.Model})
	t.keep(t.aside)
}

// EndAside ends that message, when nothing is asked any more.
func (t *Turns) EndAside(now int64) {
	if t.aside != nil && !t.aside.Ended() {
		t.aside.End("", nil, now)
	}
	t.aside = nil
}

// Replay tells that the agent is about to replay an earlier conversation. It lasts until
// the next prompt, since some agents answer first and replay afterwards.
func (t *Turns) Replay() { t.replay = true }

// Replaying reports whether a replay is under way.
func (t *Turns) Replaying() bool { return t.replay }

// EndReplay ends a replay and the message that it was writing.
func (t *Turns) EndReplay() { t.endReplay() }

func (t *Turns) endReplay() {
	t.endUser()
	if t.replay && t.cur != nil && !t.cur.Ended() {
		t.cur.End("end_turn", nil, 0)
	}
	t.replay = false
}

func (t *Turns) endUser() {
	if t.user != "" {
		t.box.add(&MessageEnd{MessageID: t.user})
		t.user = ""
	}
}

// Update folds one update that arrived at now (unix ms).
func (t *Turns) Update(u *Update, now int64) {
	if u.Kind == UpdateNothing {
		return
	}
	if u.Kind == UpdateState {
		id := ""
		if t.cur != nil {
			id = t.cur.ID
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
	if f := t.knows(u.ParentToolCallID); f != nil {
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
func (t *Turns) Waits(requestID string) bool {
	if t.cur != nil && t.cur.Waits(requestID) {
		return true
	}
	for _, f := range t.past {
		if f.Waits(requestID) {
			return true
		}
	}
	return false
}

// ResolvePermission ends a permission request of any kept turn; see [Fold.ResolvePermission].
func (t *Turns) ResolvePermission(requestID string, r Resolution, now int64) bool {
	if t.cur != nil && t.cur.ResolvePermission(requestID, r, now) {
		return true
	}
	for i := len(t.past) - 1; i >= 0; i-- {
		if t.past[i].ResolvePermission(requestID, r, now) {
			return true
		}
	}
	return false
}

// message is where something that names no tool call belongs.
func (t *Turns) message() *Fold {
	t.endUser()
	t.Resume()
	if t.cur == nil || t.replay && t.cur.Ended() {
		t.keep(NewFold(t.box, MessageStart{MessageID: t.NewID(), Role: RoleAgent, Author: t.Agent, Model: t.Model}))
		if !t.replay {
			// Words before the first prompt: a message of its own that is over at once,
			// and still takes what follows.
			t.cur.End("", nil, 0)
		}
	}
	return t.cur
}

func (t *Turns) owner(p *ToolPatch) *Fold {
	if f := t.knows(p.ID); f != nil && (!p.Announced || f.RunID != "" && t.cur != nil && f.RunID == t.cur.RunID) {
		return f // some announce a call again once it was permitted, and the message may have ended meanwhile
	}
	if p.ParentID != nil && (t.cur == nil || !t.cur.Knows(p.ID)) {
		if f := t.knows(*p.ParentID); f != nil {
			return f
		}
	}
	return t.message()
}

// With returns the message, of this turn or of the last few, that has a tool call; nil if none has.
func (t *Turns) With(toolCallID string) *Fold {
	if f := t.knows(toolCallID); f != nil {
		return f
	}
	if t.cur != nil && t.cur.Knows(toolCallID) {
		return t.cur
	}
	return nil
}

// knows is the earlier turn that knows a call which the current one does not; nil if there is none.
func (t *Turns) knows(toolCallID string) *Fold {
	if toolCallID == "" || t.cur != nil && t.cur.Knows(toolCallID) && t.paused == "" {
		return nil
	}
	if t.paused != "" && t.cur.Knows(toolCallID) {
		return t.cur
	}
	for i := len(t.past) - 1; i >= 0; i-- {
		if t.past[i].Knows(toolCallID) {
			return t.past[i]
		}
	}
	return nil
}

func (t *Turns) replayUser(u *Update) {
	if u.Block == nil {
		told := *u
		told.Text = WithoutPrelude(u.Text)
		u = &told
	}
	if u.Block == nil && u.Text == "" {
		return
	}
	if t.user == "" {
		if t.cur != nil && !t.cur.Ended() {
			t.cur.End("end_turn", nil, 0)
		}
		t.user, t.userSegs, t.userType = t.NewID(), 0, ""
		t.box.add(&MessageStart{MessageID: t.user, Role: RoleUser, Author: t.Person})
	}
	if u.Block != nil {
		t.box.add(&Display{MessageID: t.user, Segment: t.userSegs, Display: t.box.content([]Content{*u.Block})[0]})
		t.userSegs++
		t.userType = SegmentDisplay
		return
	}
	opens := t.userType != SegmentText
	if opens {
		t.userSegs++
		t.userType = SegmentText
	}
	t.box.appendText(TextDelta{MessageID: t.user, Segment: t.userSegs - 1}, opens, u.Text)
}
