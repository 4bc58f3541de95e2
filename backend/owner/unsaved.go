package owner

import (
	"weft/backend/store/events"
	"weft/backend/store/permissions"
	"weft/backend/transcript"
)

// Unsaved is what has happened in a space and is not being stored yet: the next batch. It belongs to whoever has the lock.
type Unsaved struct {
	// Box has the events.
	Box transcript.Outbox
	// Writer writes the messages that the events are about; nil: there are none yet.
	Writer *transcript.Turns

	decisions []permissions.Decision
	then      []func() // what follows once the batch is stored
}

// batch is what is stored in one commit.
type batch struct {
	req  events.Append
	then []func()
}

// Decided adds what became of a permission request to what is stored next. The lock is held.
func (u *Unsaved) Decided(d permissions.Decision) { u.decisions = append(u.decisions, d) }

// empty reports whether there is nothing to store.
func (u *Unsaved) empty() bool { return u.Box.Empty() && len(u.decisions) == 0 }

// take returns the next batch, but for its space and time, and begins another one. With ready it has only what does not wait.
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
