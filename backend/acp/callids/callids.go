// Package callids gives the tool calls of an agent unique ids. Agents reuse ids, even within one turn. A report about a
// reused id is about another call and must not change the first one.
package callids

import (
	"strconv"
	"strings"

	"weft/backend/conversation/transcript"
)

// IDs assigns ids to the calls of one session that are unique within their run. It keeps the agent's id unless the
// agent used it before. It must see all reports of the agent, in order and first. It is not safe for concurrent use.
type IDs struct {
	turns *transcript.Turns // where the calls are folded; nil if all are of one message
	with  func(id string) *transcript.Fold
	run   string            // of the calls
	calls map[string]*call  // of the run, by their assigned ids
	now   map[string]string // assigned ids by the agent's ids, where they differ
}

// New returns the ids of a session without calls.
func New(turns *transcript.Turns) *IDs {
	return &IDs{turns: turns, with: turns.With, calls: map[string]*call{}, now: map[string]string{}}
}

// NewOf returns the ids of a message without calls.
func NewOf(message *transcript.Fold) *IDs {
	with := func(id string) *transcript.Fold {
		if message.Knows(id) {
			return message
		}
		return nil
	}
	return &IDs{with: with, calls: map[string]*call{}, now: map[string]string{}}
}

// Of returns the assigned id of the call that the agent calls sent. It returns "" if sent looks like an assigned id and
// the agent has no such call.
func (x *IDs) Of(sent string) string {
	if id, other := x.now[sent]; other {
		return id
	}
	if isAssigned(sent) {
		return ""
	}
	return sent
}

// Report returns u with assigned ids. It does not change u.
func (x *IDs) Report(u *transcript.Update) *transcript.Update {
	x.enterRun(u)
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

// Request is Report for a permission request. The call in a request is about to run, so it has not ended.
func (x *IDs) Request(p *transcript.ToolPatch) *transcript.ToolPatch {
	x.enterRun(nil)
	return x.take(p, true)
}

// enterRun forgets the calls of the last run when another run has started, except calls that late reports may name.
func (x *IDs) enterRun(u *transcript.Update) {
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

// idSuffix separates the agent's id from the number that makes it unique.
const idSuffix = "~"

// isAssigned reports whether an id looks like an assigned one. If the agent itself uses such an id, its call gets
// another one, so that the agent can't name a call that it never started.
func isAssigned(id string) bool { return Sent(id) != id }

// Sent returns the agent's id for an assigned id.
func Sent(id string) string {
	i := max(0, strings.LastIndex(id, idSuffix))
	if n, err := strconv.Atoi(strings.TrimPrefix(id[i:], idSuffix)); err != nil || n < 2 || i == 0 {
		return id
	}
	return id[:i]
}

// take returns p with the assigned id of its call. asks says that p belongs to a permission request. It does not change
// p.
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

// end returns how a call ended, as reported or as shown; "" if it has not ended.
func (x *IDs) end(id string, c *call) transcript.Status {
	if f := x.with(id); c.ended == "" && f != nil {
		return f.EndOf(id)
	}
	return c.ended
}

// begin starts a call that the agent calls sent.
func (x *IDs) begin(sent string) (id string, c *call) {
	id = sent
	for n := 2; x.calls[id] != nil || n == 2 && isAssigned(sent); n++ {
		id = sent + idSuffix + strconv.Itoa(n)
	}
	delete(x.now, sent)
	if id != sent {
		x.now[sent] = id
	}
	c = &call{}
	x.calls[id] = c
	return id, c
}
