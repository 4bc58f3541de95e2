package runs

import (
	"weft/backend/acp"
	"weft/backend/actions"
	"weft/backend/asking"
)

// newDesk makes what the user is asked by the session.
func newDesk(s *Session) *asking.Desk {
	return asking.NewDesk(asking.Session{
		Place: s.place(), Turns: s.turns, Now: s.m.now, NewID: s.w.newID, Rules: s.m.opt.Rules, Trusts: s.options.Trusts,
		Let: func(kind string) { s.m.notes.Let(s.space.AgentID, kind) },
		TrustEdits: func() {
			if s.life.Live() != nil {
				s.options.TrustEdits()
			}
		},
	}, askStep{s}, s.space.Mode)
}

// askStep implements [asking.Step].
type askStep struct{ *Session }

// Turn implements [asking.Step].
func (s askStep) Turn() (turn *actions.Turn, open bool) {
	if s.run == nil {
		return nil, false
	}
	return &s.run.actions, !s.run.turn.Stopping()
}

// Resume implements [asking.Step].
func (s askStep) Resume() { s.run.part() }

// Changed implements [asking.Step].
func (s askStep) Changed() { s.changed() }

// asker implements [asking.Asker].
type asker struct{ *liveSession }

// Answer implements [asking.Asker].
func (l asker) Answer(r *acp.Request, result any) { l.s.w.answer(l.liveSession, r, result) }

// TakeBack implements [asking.Asker].
func (l asker) TakeBack(r *acp.Request) {
	l.s.w.refuse(l.liveSession, r, acp.CodeCancelled, "Request cancelled")
}
