package acpsession

import (
	"weft/backend/fault"
	"weft/backend/transcript"
)

// maxEarly is how much is kept of updates that come before the session is known, and updateSize what one of them weighs besides its texts, in bytes.
const (
	maxEarly   = 32 << 20
	updateSize = 256
)

// ErrTooEarly is the error of an agent that sends more than is kept before it says which session that is for.
var ErrTooEarly = fault.New("agent_protocol", "The agent sent more than 32 MB without naming a session, so it was stopped. Update the agent, or report this to its authors.")

// Updates decides which updates of an agent belong to a session, and what of a replay must be folded. It belongs to whoever has the lock of the space.
// The zero value is that of a session that is not known yet.
type Updates struct {
	id      string
	early   []early
	size    int   // of early, in bytes
	discard bool  // a replay of what is already here is under way
	turned  bool  // a turn has begun meanwhile
	news    *News // finds what of it is not, nil if that can't be told
}

// early is an update that came before the session was known.
type early struct {
	sessionID string
	update    *transcript.Update
}

// ID returns the id of the session, "" until it is known.
func (u *Updates) ID() string { return u.id }

// Known tells which session it is, and returns what has come for it before that, in order.
func (u *Updates) Known(id string) (list []*transcript.Update) {
	for _, e := range u.early {
		if e.sessionID == id {
			list = append(list, e.update)
		}
	}
	u.id, u.early, u.size = id, nil, 0
	return list
}

// Refused notes that the agent doesn't know the session that it was asked for: it will be another one.
func (u *Updates) Refused() { u.id = "" }

// Other reports whether something is for another session than this, as far as that is known. Some agents leave the id out in updates: see [Updates.Take].
func (u *Updates) Other(sessionID string) bool { return u.id != "" && sessionID != u.id }

// Take reports whether an update is for the session. As long as that isn't known the update is kept; size is that of its texts in bytes. Error: [ErrTooEarly].
func (u *Updates) Take(sessionID string, up *transcript.Update, size int) (ours bool, err error) {
	if u.id != "" {
		return sessionID == u.id || sessionID == "", nil
	}
	if u.size += size + updateSize; u.size > maxEarly {
		return false, ErrTooEarly
	}
	kept := *up
	u.early = append(u.early, early{sessionID, &kept})
	return false, nil
}

// Discard begins a replay of what is already here.
func (u *Updates) Discard() { u.discard, u.turned = true, false }

// Discarding reports whether a replay of what is already here is under way.
func (u *Updates) Discarding() bool { return u.discard }

// Expect folds the new part of the replay unless a turn has started since. A nil filter folds nothing.
func (u *Updates) Expect(n *News) {
	if !u.turned {
		u.news = n
	}
}

// Prompted notes that a turn begins. What comes of the replay after that isn't new, also once the turn has ended: it would be behind its prompt.
func (u *Updates) Prompted() { u.news, u.turned = nil, true }

// Next reports whether the next update of the replay is new, and whether it is the first that is. What comes while a turn is in progress is never new,
// nor what comes after that: it would be behind its prompt.
func (u *Updates) Next(up *transcript.Update, inTurn bool) (isNew, first bool) {
	if u.news == nil || inTurn {
		u.news = nil
		return false, false
	}
	begun := u.news.Begun()
	isNew = u.news.Next(up)
	return isNew, isNew && !begun
}

// Replayed ends the replay, and reports whether something of it was new and must be ended, too.
func (u *Updates) Replayed(inTurn bool) (begun bool) {
	begun = u.news != nil && u.news.Begun() && !inTurn
	u.discard, u.news = false, nil
	return begun
}
