// Package callids tells the tool calls of an agent apart. Agents use an id again, also within one turn: what they report under it then is
// about another call, which must not take the place of the first.
package callids

import (
	"strconv"
	"strings"

	"weft/backend/transcript"
)

// IDs gives the calls of one session ids that are unique within their run: the agent's own, but where it has used that before. It must see all
// reports of the agent, in order, before anyone else does. It is not safe for concurrent use.
type IDs struct {
	turns *transcript.Turns // that the calls are folded into; nil if all are of one message
	with  func(id string) *transcript.Fold
	run   string            // that calls are of
	calls map[string]*call  // of the run, by their ids
	now   map[string]string // which id an id of the agent stands for, where that is another one
}

// New returns the ids of a session that has shown no call.
func New(turns *transcript.Turns) *IDs {
	return &IDs{turns: turns, with: turns.With, calls: map[string]*call{}, now: map[string]string{}}
}

// NewOf returns the ids of a message that has no call.
func NewOf(message *transcript.Fold) *IDs {
	with := func(id string) *transcript.Fold {
		if message.Knows(id) {
			return message
		}
		return nil
	}
	return &IDs{with: with, calls: map[string]*call{}, now: map[string]string{}}
}

// Of returns the id of the call that the agent means by an id of its own; "" where that is one that only Weft gives, and the agent has no such call.
func (x *IDs) Of(sent string) string {
	if id, other := x.now[sent]; other {
		return id
	}
	if given(sent) {
		return ""
	}
	return sent
}

// Report takes an update of the agent and returns it with ids that are unique. The update itself does not change.
func (x *IDs) Report(u *transcript.Update) *transcript.Update {
	x.enter(u)
	if u.Kind == transcript.UpdateTool {
		if p := x.take(u.Tool, false); p != u.Tool {
			return u.WithTool(p)
		}
		return u
	}
	if parent := x.Of(u.ParentToolCallID); parent != u.ParentToolCallID {
		changed := *u
		changed.ParentToolCallID = parent
		return &changed
	}
	return u
}

// Request is Report for a permission request, with what it says of its call: that is about to be done, and so has not ended.
func (x *IDs) Request(p *transcript.ToolPatch) *transcript.ToolPatch {
	x.enter(nil)
	return x.take(p, true)
}

// enter forgets the calls of a run that is over, but for those that late reports may still be about.
func (x *IDs) enter(u *transcript.Update) {
	if x.turns == nil {
		return
	}
	run := ""
	if f := x.turns.Current(); f != nil {
		run = f.RunID
	}
	if run == x.run && (u == nil || u.Kind != transcript.UpdateUser || !x.turns.Replaying()) {
		return
	}
	x.run = run
	clear(x.calls)
	for sent, id := range x.now {
		if x.with(id) == nil {
			delete(x.now, sent)
		}
	}
}

// apart begins what is behind the agent's id in one that is not only the agent's.
const apart = "~"

// given reports whether an id is of the form that Weft gives. Where it is the agent's own, its call gets another one: by the id of Weft's, the agent
// would name a call that it has never called so.
func given(id string) bool { return Sent(id) != id }

// Sent returns the agent's own id of the call with an id.
func Sent(id string) string {
	i := max(0, strings.LastIndex(id, apart))
	if n, err := strconv.Atoi(strings.TrimPrefix(id[i:], apart)); err != nil || n < 2 || i == 0 {
		return id
	}
	return id[:i]
}

// take returns what is said of a call with the id of that call; asks says that it is of a permission request. P itself does not change.
func (x *IDs) take(p *transcript.ToolPatch, asks bool) *transcript.ToolPatch {
	sent, id := p.ID, x.Of(p.ID)
	c := x.calls[id]
	told := p
	switch {
	case c == nil && !p.Announced && !asks && x.with(id) != nil: // late, about a call of an earlier run
	case c == nil:
		id, c = x.begin(sent)
	case x.end(id, c) == "":
	case c.another(p, x.end(id, c), asks):
		if !p.Announced && !asks {
			told = c.begun(p)
		}
		id, c = x.begin(sent)
	case p.Announced && !asks:
		told = c.again(p)
	}
	if c != nil {
		c.note(told, asks)
	}
	if parent := told.ParentID; id != sent || parent != nil && x.Of(*parent) != *parent {
		changed := *told
		if changed.ID = id; parent != nil {
			of := x.Of(*parent)
			changed.ParentID = &of
		}
		return &changed
	}
	return told
}

// end returns how a call has ended, as the agent has said or as it is shown; "" if it has not.
func (x *IDs) end(id string, c *call) transcript.Status {
	if f := x.with(id); c.ended == "" && f != nil {
		return f.EndOf(id)
	}
	return c.ended
}

// begin begins a call that the agent calls sent.
func (x *IDs) begin(sent string) (id string, c *call) {
	id = sent
	for n := 2; x.calls[id] != nil || n == 2 && given(sent); n++ {
		id = sent + apart + strconv.Itoa(n)
	}
	delete(x.now, sent)
	if id != sent {
		x.now[sent] = id
	}
	c = &call{}
	x.calls[id] = c
	return id, c
}
