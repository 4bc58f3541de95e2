package lifecycle

import (
	"time"

	"weft/backend/owner"
)

// idleAfter is how long an agent that can continue its session later is kept running with nothing to do.
const idleAfter = 15 * time.Minute

// leaveGrace is how long a turn may take to end when its space or the app is closed.
const leaveGrace = time.Second

// Used notes that there is something to do for the session.
func (m *Machine[S]) Used() { m.rest++ }

// Rest notes that there is nothing to do for the session, and has its process ended if that stays so for long.
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

// idles ends the process of an agent that has had nothing to do for a while, if it can take its sessions up again.
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

// Leave ends the session for good, with the turn that is in progress, which stop ends; that is called in the same step. Then is called in a step once
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
	// A moment for the agent to end its turn by itself; then its process ends anyway.
	m.space.Later(leaveGrace, m.ends)
}

// ends ends the session of a member that leaves.
func (m *Machine[S]) ends() {
	if m.live != nil {
		m.live.End(Ending{Polite: true})
	}
	m.proceed()
}

// FinishLeaving continues the end of a member that leaves: its session ends after its turn, and then nothing of it is left. It must be called when a
// run has ended.
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
