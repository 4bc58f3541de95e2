package runs

import (
	"fmt"

	"weft/backend/quantity"
	"weft/backend/transcript"
)

// pulse is a prompt of which the agent has shown no sign of life.
type pulse struct {
	release func() // lets the next prompt of the process be sent
}

// expectLife begins to wait for a sign of life of a prompt that is about to be sent. The lock is held.
func (l *liveSession) expectLife(r *run, release func()) {
	p := &pulse{release: release}
	limit := l.s.m.opt.Limits.Quiet
	l.pulse = p
	s := l.s
	s.Later(limit, func() {
		if l.pulse != p || s.run != r || r.turn.Stopping() {
			return
		}
		r.part().Note(fmt.Sprintf("%s has sent nothing for %s since the prompt. It may still be working. If not, stop it and try again; the protocol log shows what was sent.", l.config.Name, quantity.Seconds(limit)))
		s.Flush()
	})
}

// lives notes a sign of life. The lock is held.
func (l *liveSession) lives() {
	if p := l.pulse; p != nil {
		l.pulse = nil
		l.s.Effect(p.release)
	}
}

// empty is what the user reads about a turn that has ended with nothing to show for it.
func (l *liveSession) empty() transcript.Failure {
	return l.conn.Failure(&Error{Code: "empty_answer", Message: "The agent ended its turn without an answer."})
}

// notesWork notes that a run has something to show for itself. The lock is held.
func (s *Session) notesWork(u *transcript.Update) {
	if s.run == nil || s.turns.Replaying() {
		return
	}
	if u == nil || u.Shows() {
		s.run.turn.Show()
	}
}
