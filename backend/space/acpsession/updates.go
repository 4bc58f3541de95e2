package acpsession

import (
	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
)

const (
	maxEarly   = 32 << 20 // bytes of updates kept before the session's id is known
	updateSize = 256      // bytes counted for an update in addition to its texts
)

// ErrTooEarly means that the agent sent more updates than are kept before it returned the id of the session.
var ErrTooEarly = fault.New("agent_protocol", "The agent sent more than 32 MB without naming a session, so it was stopped. Update the agent, or report this to its authors.")

// Updates decides which updates of an agent belong to a session, and which part of a replay must be folded. It is
// guarded by the lock of the space. The zero value is that of a session without an id.
type Updates struct {
	id      string
	early   []early
	size    int           // of early, in bytes
	discard bool          // a replay is in progress of which at most the new part is folded
	turned  bool          // a turn has begun since the replay began
	filter  *ReplayFilter // finds the new part of the replay; nil if there is none
}

// early is an update that arrived before the session's id was known.
type early struct {
	sessionID string
	update    *transcript.Update
}

// ID returns the id of the session, or "" if it isn't known yet.
func (u *Updates) ID() string { return u.id }

// SetID sets the id of the session and returns the early updates for it, in order.
func (u *Updates) SetID(id string) (list []*transcript.Update) {
	for _, e := range u.early {
		if e.sessionID == id {
			list = append(list, e.update)
		}
	}
	u.id, u.early, u.size = id, nil, 0
	return list
}

// Refused clears the id, because the agent doesn't know the session.
func (u *Updates) Refused() { u.id = "" }

// Other reports whether sessionID is known to be another session. Updates may also lack an id: see [Updates.Take].
func (u *Updates) Other(sessionID string) bool { return u.id != "" && sessionID != u.id }

// Take reports whether an update is for the session, or names none. While the session's id is unknown, it keeps the
// update and returns false. size is the size of the update's texts in bytes. Error: [ErrTooEarly].
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

// Discard notes that a replay begins whose conversation the space already has.
func (u *Updates) Discard() { u.discard, u.turned = true, false }

// Discarding reports whether such a replay is in progress.
func (u *Updates) Discarding() bool { return u.discard }

// Expect folds the new part of the replay unless a turn has started since. A nil filter folds nothing.
func (u *Updates) Expect(f *ReplayFilter) {
	if !u.turned {
		u.filter = f
	}
}

// Prompted notes that a turn begins. The rest of the replay is then not folded, even after the turn, because it would
// end up after the turn's prompt.
func (u *Updates) Prompted() { u.filter, u.turned = nil, true }

// Next reports whether the next update of the replay is new, and whether it is the first new one. From the beginning of
// a turn on, no update counts as new; see [Updates.Prompted].
func (u *Updates) Next(up *transcript.Update, inTurn bool) (isNew, first bool) {
	if u.filter == nil || inTurn {
		u.filter = nil
		return false, false
	}
	begun := u.filter.Begun()
	isNew = u.filter.Next(up)
	return isNew, isNew && !begun
}

// Replayed ends the replay. It reports whether a new part was folded, which the caller must end, too.
func (u *Updates) Replayed(inTurn bool) (begun bool) {
	begun = u.filter != nil && u.filter.Begun() && !inTurn
	u.discard, u.filter = false, nil
	return begun
}
