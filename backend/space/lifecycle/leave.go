package lifecycle

import (
	"time"

	"weft/backend/space/owner"
)

// idleAfter is how long an idle agent is kept running, if it can continue its session later.
const idleAfter = 15 * time.Minute

// leaveGrace is how long a turn may take to end when its space or the app is closed.
const leaveGrace = time.Second

// Used marks the session as in use, which cancels a pending idle timeout.
func (m *Machine[S]) Used() { m.rest++ }

// Rest marks the session as idle, and ends its process if it stays idle for long.
func (m *Machine[S]) Rest() {
	m.rest++
	if m.member.Running() || m.left {
		return
	}
	at := m.rest
	m.space.Later(idleAfter, func() {
		if m.rest == at {
			m.idles()
		}
	})
}

// idles ends the process of an agent that has been idle for a while, if it can resume its sessions.
func (m *Machine[S]) idles() {
	g := m.live
	if m.member.Running() || g == nil || g.phase != Ready {
		return
	}
	idle, again := m.member.Idle(g.session)
	if again {
		m.Rest()
		return
	}
	for _, o := range idle {
		if o == g {
			g.End(Ending{Polite: true})
			continue
		}
		m.space.Effect(func() {
			o.machine.space.Step(func() {
				if o.phase == Ready {
					o.End(Ending{Polite: true})
				}
			})
		})
	}
}

// Leave ends the session for good. It calls stop in the same step to end the current turn, and then in a step once
// everything has ended.
func (m *Machine[S]) Leave(stop, then func()) {
	m.over = append(m.over, then)
	if m.left {
		m.FinishLeaving()
		return
	}
	m.left = true
	m.rest++
	stop()
	if !m.member.Running() {
		m.FinishLeaving()
		return
	}
	// The agent gets a moment to end its turn; then its process is ended.
	m.space.Later(leaveGrace, m.ends)
}

// ends ends the session of a leaving member.
func (m *Machine[S]) ends() {
	if m.live != nil {
		m.live.End(Ending{Polite: true})
	}
	m.proceed()
}

// FinishLeaving continues [Machine.Leave]: it ends the session after the turn, and then calls the waiting functions.
// It must be called when a run has ended.
func (m *Machine[S]) FinishLeaving() {
	if !m.left || m.member.Running() {
		return
	}
	if m.live != nil {
		m.live.End(Ending{Polite: true})
	}
	if m.closing != nil {
		return
	}
	o := m.next
	m.next = nil
	m.refuse(o, owner.ErrClosing)
	over := m.over
	m.over = nil
	for _, do := range over {
		do()
	}
}
