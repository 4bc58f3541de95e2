package runs

import (
	"context"

	"weft/backend/conversation/transcript"
	"weft/backend/space/elsewhere"
	"weft/backend/space/owner"
)

// message is a message of a run in another space.
type message = elsewhere.Message[target]

// target is a space that runs of other spaces write to. It implements [elsewhere.Space].
type target struct{ *spaceRuntime }

func (t target) Enter() error {
	t.LockUntil(func() bool { return !t.Full() })
	if t.gone {
		t.Unlock()
		return owner.ErrClosing
	}
	return nil
}

func (t target) Join(g *elsewhere.Guest) (*transcript.Fold, error) {
	as, found := t.space.As(g.Author.ID, g.Author.Name)
	if !found {
		return nil, notMember(t.id)
	}
	g.Author.Name, g.Author.MemberID = as.Name, transcript.MemberField(as.ID)
	f, first := t.guests.Join(&t.Box, g, t.w.newID("msg"))
	if first {
		t.changed()
	}
	return f, nil
}

func (t target) Over(runID, stopReason string) {
	t.leaveDisplays(runID)
	t.guests.Over(&t.Box, runID, stopReason)
}

func (t target) Changed() { t.changed() }

// home is the space of a run that writes to other spaces. It implements [elsewhere.Home].
type home struct{ *spaceRuntime }

func (h home) Other(spaceID string) (target, error) {
	r, err := h.m.runtime(context.Background(), spaceID)
	return target{r}, err
}

func (h home) Title() string { return h.w.title(h.id) }
func (h home) Run(do func()) { h.w.Run(do) }
func (h home) Now() int64    { return h.m.now() }

// in returns the run's message in another space. The lock of the run's space is held.
func (r *run) in(spaceID string) *message { return r.elsewhere.In(spaceID, r.s.author()) }

// guest returns the state of another space's run that writes to this one. The lock is held.
func guest(g *elsewhere.Guest) RunState {
	st := RunState{
		ID: g.RunID, MessageID: g.MessageID(), AgentID: g.Author.ID, MemberID: g.Author.MemberID, StartedAt: g.StartedAt, Home: g.Home, guest: g,
	}
	if st.MemberID == "" {
		st.MemberID = transcript.MainMember
	}
	return st
}
