package transcript

import (
	"strings"

	"weft/backend/clip"
)

// Fold writes one message: it takes what an agent reports and puts the events that this
// causes into its outbox. The rules are those of the design, section 5:
//
//   - Text joins the text segment before it, unless something was between or the
//     author, the parent tool call or the (non-empty) message id changed.
//   - A thought or a new tool call joins the tool group before it, or opens one.
//   - A known tool call is updated in place, in whatever segment it is.
//
// It holds what it needs to know where it is, and a few facts per tool call; never text.
type Fold struct {
	ID    string // of the message
	RunID string
	Model string // that answers, as far as it is known; told at the end
	box   *Outbox
	agent string // that writes it

	segments int
	notes    int         // of them are the app's, before anything else
	last     SegmentType // of the last segment, "" if there is none
	ended    bool
	rested   bool // its end is told, and its run continues

	// The last segment, if it is text.
	textID, textParent, textAuthor string
	textApart                      bool
	parts                          map[string]textPart // texts that are sent by a tool and not complete, by the id of the part

	// The last segment, if it is a group.
	items         int
	inThought     bool // its last item is a thought …
	thoughtParent string

	calls map[string]*call
	open  []*call // in order of arrival; ended ones are swept now and then

	requests map[string]*call // open permission requests

	echo       string // what may still come back of the prompt
	echoBlocks int    // and how many of its other blocks
	prelude    string // and the context prelude that came with it

	terminals *terminals // of the session, nil if there can be none

	failed  map[failedCall]bool // calls that failed, by what they were asked
	late    *call               // output of it has come after its end, and is not told about in its summary yet; nil if there is none
	threads map[string]string   // the calls that stand for sub-agents, by thread and by path
}

// NewFold starts a message and puts its message_start into box.
func NewFold(box *Outbox, start MessageStart) *Fold {
	box.add(&start)
	return &Fold{ID: start.MessageID, RunID: start.RunID, box: box, agent: start.Author.ID, calls: map[string]*call{}, requests: map[string]*call{}}
}

// ExpectEcho tells the fold which prompt the message answers: agents that repeat it as
// the user's words at the start of the turn are not quoted.
func (f *Fold) ExpectEcho(prompt string) { f.echo = prompt }

// ExpectEchoes tells how many blocks the prompt had besides its text; they are not quoted either.
func (f *Fold) ExpectEchoes(blocks int) { f.echoBlocks = blocks }

// Knows reports whether the message has a tool call of that id.
func (f *Fold) Knows(toolCallID string) bool { return f.calls[boundID(toolCallID)] != nil }

// Started reports whether the message has any segment yet.
func (f *Fold) Started() bool { return f.segments > 0 }

// Ended reports whether [Fold.End] or [Fold.Fail] was called.
func (f *Fold) Ended() bool { return f.ended }

// AuthorNotice is the author of a text segment that an agent said before it was asked anything, such as its banner: it is shown, but no part of
// the conversation.
const AuthorNotice = "notice"

// Apply folds one update that arrived at now (unix ms).
func (f *Fold) Apply(u *Update, now int64) {
	if u.Kind != UpdateTool {
		f.settleLate(nil)
	}
	switch u.Kind {
	case UpdateText:
		author := ""
		if u.Notice {
			author = AuthorNotice
		}
		f.chunk(u, author)
	case UpdateUser:
		if f.segments == f.notes && u.Block == nil && u.Text != "" && strings.HasPrefix(f.echo, u.Text) {
			f.echo = f.echo[len(u.Text):]
			return
		}
		if f.segments == f.notes && u.Block != nil && f.echoBlocks > 0 {
			f.echoBlocks--
			return
		}
		if f.segments == f.notes && u.Block == nil && u.Text != "" && f.isPrelude(u.Text) {
			return
		}
		f.chunk(u, "user")
	case UpdateThought:
		f.thought(u)
	case UpdateTool:
		f.tool(u.Tool, now)
	case UpdateState:
		f.box.state(State{Key: u.Key, MessageID: f.ID}, u.Value)
	case UpdateNothing:
	case UpdateOpaque:
		b := &OpaqueUpdate{MessageID: f.ID, Kind: clip.JSON(u.UnknownKind, 128)}
		b.Raw, b.Ref = f.box.value(u.Value)
		f.box.add(b)
	}
}

func (o *Outbox) state(s State, value []byte) {
	b := &s
	if len(value) > 4<<10 {
		b.Ref = o.store(value, mimeJSON)
	} else {
		b.Value = value
	}
	// Of a part that changes several times before it is told only the last state is.
	for i := len(o.out.Bodies) - 1; i >= 0 && o.open == nil; i-- {
		prev, ok := o.out.Bodies[i].(*State)
		if !ok {
			break
		}
		if prev.Place() == b.Place() {
			o.supersede(prev.Ref)
			o.out.Bodies[i] = b
			return
		}
	}
	o.add(b)
}

func (f *Fold) chunk(u *Update, author string) {
	parent := f.parent(u)
	if u.Block != nil {
		f.box.add(&Display{MessageID: f.ID, Segment: f.segments, Display: f.box.content([]Content{*u.Block})[0], Author: author, ParentToolCallID: parent})
		f.segments++
		f.last = SegmentDisplay
		return
	}
	if u.Text == "" {
		return
	}
	opens := f.last != SegmentText || author != f.textAuthor || parent != f.textParent ||
		u.MessageID != f.textID && (u.MessageID != "" && f.textID != "" || u.Apart || f.textApart)
	if opens {
		if (author == "app" || author == AuthorNotice) && f.segments == f.notes {
			f.notes++
		}
		f.segments++
		f.last, f.textAuthor, f.textParent, f.textID, f.textApart = SegmentText, author, parent, "", u.Apart
	}
	if u.MessageID != "" {
		f.textID = u.MessageID
	}
	d := TextDelta{MessageID: f.ID, Segment: f.segments - 1, Author: author, ParentToolCallID: parent}
	if u.Apart && u.MessageID != "" {
		f.writes(u.MessageID, textPart{d.Segment, boundID(u.Via)})
	}
	if u.Via != "" {
		d.ToolCallID, d.AgentID = boundID(u.Via), f.agent
	}
	f.box.appendText(d, opens, u.Text)
}

// appendText adds deltas like d. Who wrote it and below which call is told where the segment opens.
func (o *Outbox) appendText(d TextDelta, opens bool, text string) {
	o.extend(text, func(b Body) bool {
		t, ok := b.(*TextDelta)
		return ok && t.Segment == d.Segment && t.MessageID == d.MessageID
	}, func(int) Body {
		b := d
		if !opens {
			b.Author, b.ParentToolCallID = "", ""
		}
		opens = false
		return &b
	})
}

func (f *Fold) thought(u *Update) {
	if u.Block != nil {
		f.chunk(u, "")
		return
	}
	if u.Text == "" {
		return
	}
	parent := f.parent(u)
	opens := f.last != SegmentToolGroup || !f.inThought || parent != f.thoughtParent
	if opens {
		f.newItem()
		f.inThought, f.thoughtParent = true, parent
	}
	at := At{MessageID: f.ID, Segment: f.segments - 1, Item: f.items - 1}
	f.box.extend(u.Text, func(b Body) bool {
		t, ok := b.(*ReasoningDelta)
		return ok && t.At == at
	}, func(int) Body {
		b := &ReasoningDelta{At: at}
		if opens {
			b.ParentToolCallID = parent
			opens = false
		}
		return b
	})
}

// newItem makes room for one more item in the last group, opening one if need be.
func (f *Fold) newItem() {
	if f.last != SegmentToolGroup {
		f.segments++
		f.last, f.items = SegmentToolGroup, 0
	}
	f.items++
	f.inThought = false
}

// End ends the message with the reason that the agent gave. Calls that are still open
// become cancelled unless the turn ended normally: then the agent may still report them.
// Usage may be nil.
func (f *Fold) End(stopReason string, usage []byte, now int64) {
	f.settleLate(nil)
	if stopReason != "end_turn" {
		f.CancelOpen(now)
	} else {
		f.leaveOpen(now)
	}
	for _, c := range f.open {
		f.settle(c, false)
	}
	f.ended = true
	if f.rested {
		return
	}
	if len(usage) > 4<<10 {
		usage = nil
	}
	f.box.add(&MessageEnd{MessageID: f.ID, StopReason: clip.JSON(stopReason, 64), Usage: usage, Model: clip.JSON(f.Model, maxID)})
}

// rest ends the message of a run that continues. Its open calls end when they do, or with the run.
func (f *Fold) rest() {
	f.rested = true
	f.box.add(&MessageEnd{MessageID: f.ID, StopReason: "end_turn", Model: clip.JSON(f.Model, maxID)})
}

// CancelOpen ends the calls that are still open as cancelled. A completion that still arrives wins.
func (f *Fold) CancelOpen(now int64) {
	f.closeOpen(func(c *call) {
		c.stopped = true
		f.end(c, StatusCancelled, nil, now)
	})
}

// noResult is the summary of a call that its agent has left open.
const noResult = "No result reported"

// leaveOpen ends the calls that an agent has left open at the end of its turn, as nobody knows what came of them. A result that still
// arrives wins. What waits for the user, is drawn, or was started in the background continues.
func (f *Fold) leaveOpen(now int64) {
	for _, c := range f.open {
		if c.status.Ended() || len(c.waits) > 0 || c.kind == KindDisplay || c.told != nil || c.terminals > 0 {
			continue
		}
		words := noResult
		c.unheard = true
		f.end(c, StatusCancelled, &ToolPatch{Summary: &words}, now)
	}
}

// Fail ends the message because something broke. Calls that are still open failed.
func (f *Fold) Fail(failure Failure, now int64) {
	f.settleLate(nil)
	f.closeOpen(func(c *call) {
		f.fail(c, "Not finished: "+failure.Message, true, nil, now)
	})
	f.ended = true
	f.Trouble(failure)
	f.box.add(&MessageEnd{MessageID: f.ID, StopReason: "error", Model: clip.JSON(f.Model, maxID)})
}

// Trouble says in the message what is wrong with it, without ending it.
func (f *Fold) Trouble(failure Failure) {
	failure.Message, failure.Detail = clip.JSON(failure.Message, 1<<10), clip.End(failure.Detail, 4<<10)
	f.box.add(&Error{MessageID: f.ID, RunID: f.RunID, Failure: failure})
}

func (f *Fold) closeOpen(close func(*call)) {
	open := f.open
	f.open = nil
	for _, c := range open {
		if !c.status.Ended() {
			f.withdraw(c)
			close(c)
		}
	}
}
