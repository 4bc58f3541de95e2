package transcript

import (
	"strings"

	"weft/backend/base/clip"
	"weft/backend/base/fault"
)

// Fold writes one message. It turns an agent's updates into events in its outbox:
//
//   - Text joins the text segment directly before it, unless the author, the parent tool call
//     or the agent's message id changed.
//   - A thought or a new tool call joins the tool group before it, or opens one. Thoughts
//     join each other by the same rules as texts.
//   - A known tool call is updated in place, in any segment.
//
// A Fold holds its position and a few facts per tool call, but no text.
type Fold struct {
	ID    string // of the message
	RunID string
	Model string // the model that answers, if known; sent at the end
	box   *Outbox
	agent string // the id of the author

	rested   bool // its end was sent, and its run continues
	segments segments
	texts    toolTexts
	calls    toolCalls
	echo     promptEcho
}

// NewFold starts a message and puts its message_start into box.
func NewFold(box *Outbox, start MessageStart) *Fold {
	box.add(&start)
	return &Fold{ID: start.MessageID, RunID: start.RunID, box: box, agent: start.Author.ID, calls: newToolCalls(box)}
}

// Knows reports whether the message has a tool call with this id.
func (f *Fold) Knows(toolCallID string) bool { return f.calls.get(toolCallID) != nil }

// EndOf returns how a tool call of the message ended, "" if it has not ended.
func (f *Fold) EndOf(toolCallID string) Status {
	if c := f.calls.get(toolCallID); c != nil && c.status.Ended() {
		return c.status
	}
	return ""
}

// Ran reports whether a tool call of the message has an exit code in its result.
func (f *Fold) Ran(toolCallID string) bool {
	c := f.calls.get(toolCallID)
	return c != nil && c.facts.Ran()
}

// Started reports whether the message has a segment.
func (f *Fold) Started() bool { return f.segments.count > 0 }

// Ended reports whether [Fold.End] or [Fold.Fail] was called.
func (f *Fold) Ended() bool { return f.calls.closed }

// AuthorNotice is the author of a text segment that is a notice: text that the agent sent before the first prompt, such
// as a banner, or marked as a notice. Notices are shown but are not part of the conversation.
const AuthorNotice = "notice"

// Apply folds one update that arrived at now (unix ms).
func (f *Fold) Apply(u *Update, now int64) {
	if u.Kind != UpdateTool {
		f.calls.settleLate(nil)
	}
	switch u.Kind {
	case UpdateText:
		author := ""
		if u.Notice {
			author = AuthorNotice
		}
		f.chunk(u, author)
	case UpdateUser:
		if !f.segments.begun && f.echo.takes(u) {
			return
		}
		f.chunk(u, "user")
	case UpdateThought:
		if u.Note && u.Block == nil {
			f.Remark(strings.TrimSpace(u.Text))
			return
		}
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
	// If a part of the state changes several times, only the last event stays in the box.
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

// Note adds a line by Weft to the message, as a text segment with the author "app". It is shown but is not part of the
// agent's text. It is stored in English, and the window translates it by its template (decision 0061).
func (f *Fold) Note(sentence fault.Said) { f.Remark(sentence.String()) }

// Remark is [Fold.Note] for text of another program, in an imported conversation.
func (f *Fold) Remark(text string) {
	if f.segments.inNote() {
		text = "\n\n" + text
	}
	f.chunk(&Update{Kind: UpdateText, Text: text}, "app")
}

func (f *Fold) chunk(u *Update, author string) {
	parent := f.calls.agents.ofChunk(u)
	if u.Block != nil {
		f.box.add(&Display{MessageID: f.ID, Segment: f.segments.addDisplay(), Display: f.box.content([]Content{*u.Block})[0], Author: author, ParentToolCallID: parent})
		return
	}
	if u.Text == "" {
		return
	}
	segment, opens := f.segments.addText(u, author, parent)
	d := TextDelta{MessageID: f.ID, Segment: segment, Author: author, ParentToolCallID: parent}
	if u.Apart && u.MessageID != "" {
		f.texts.add(u.MessageID, toolText{segment, boundID(u.Via)})
	}
	if u.Via != "" {
		d.ToolCallID, d.AgentID = boundID(u.Via), f.agent
	}
	f.box.appendText(d, opens, u.Text)
}

// appendText adds text deltas like d. Only the delta that opens the segment carries the author and the parent call.
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
	parent := f.calls.agents.ofChunk(u)
	segment, item, opens := f.segments.addThought(u, parent)
	at := At{MessageID: f.ID, Segment: segment, Item: item}
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

// tool folds one report about a tool call and returns the call's state.
func (f *Fold) tool(p *ToolPatch, now int64) *call {
	id := boundID(p.ID)
	if c := f.calls.byID[id]; c != nil {
		f.calls.change(c, p, now)
		return c
	}
	segment, item := f.segments.addItem()
	return f.calls.add(id, At{MessageID: f.ID, Segment: segment, Item: item}, p, now)
}

// End ends the message with the agent's stop reason. Open calls are canceled unless the turn ended normally; then the
// agent may still report their end. usage may be nil.
func (f *Fold) End(stopReason string, usage []byte, now int64) {
	f.calls.endTurn(stopReason != "end_turn", now)
	if f.rested {
		return
	}
	if len(usage) > 4<<10 {
		usage = nil
	}
	f.box.add(&MessageEnd{MessageID: f.ID, StopReason: clip.JSON(stopReason, 64), Usage: usage, Model: clip.JSON(f.Model, maxID)})
}

// rest ends the message of a run that continues. Its open calls end when the agent reports it, or with the run.
func (f *Fold) rest() {
	f.rested = true
	f.box.add(&MessageEnd{MessageID: f.ID, StopReason: "end_turn", Model: clip.JSON(f.Model, maxID)})
}

// CancelOpen ends the open calls as canceled. If a call completes later, that result wins.
func (f *Fold) CancelOpen(now int64) { f.calls.cancelOpen(now) }

// Fail ends the message because of a failure. Open calls end as failed.
func (f *Fold) Fail(failure Failure, now int64) {
	f.calls.failTurn(failure.Message, now)
	f.Trouble(failure)
	f.box.add(&MessageEnd{MessageID: f.ID, StopReason: "error", Model: clip.JSON(f.Model, maxID)})
}

// Trouble adds an error to the message without ending it.
func (f *Fold) Trouble(failure Failure) {
	failure.Message, failure.Detail = clip.JSON(failure.Message, 1<<10), clip.End(failure.Detail, 4<<10)
	f.box.add(&Error{MessageID: f.ID, RunID: f.RunID, Failure: failure})
}
