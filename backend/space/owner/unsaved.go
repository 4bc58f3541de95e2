package owner

import (
	"weft/backend/conversation/transcript"
	"weft/backend/store/events"
	"weft/backend/store/permissions"
)

// Unsaved is the next batch: events that aren't being stored yet. The space's lock guards it.
type Unsaved struct {
	// Box holds the events.
	Box transcript.Outbox
	// Writer writes the messages that the events belong to; nil if there are none yet.
	Writer *transcript.Turns

	decisions []permissions.Decision
	then      []func() // run once the batch is stored
}

// batch is the content of one commit.
type batch struct {
	req  events.Append
	then []func()
}

// Decided adds the decision on a permission request to the next batch. The lock is held.
func (u *Unsaved) Decided(d permissions.Decision) { u.decisions = append(u.decisions, d) }

// empty reports whether there is nothing to store.
func (u *Unsaved) empty() bool { return u.Box.Empty() && len(u.decisions) == 0 }

// take returns the next batch, without its space and time, and starts another one. If ready is set, events that are
// held back stay.
func (u *Unsaved) take(ready bool) *batch {
	var out transcript.Output
	if ready {
		out = u.Box.TakeReady()
	} else {
		out = u.Box.Take()
	}
	b := &batch{then: u.then, req: events.Append{Decisions: u.decisions, Bodies: out.Bodies, Blobs: out.Blobs, Superseded: out.Superseded}}
	if u.Writer != nil && u.Writer.Current() != nil {
		b.req.MessageID = u.Writer.Current().ID
	}
	u.then, u.decisions = nil, nil
	return b
}
