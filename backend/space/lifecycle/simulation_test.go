package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"weft/backend/base/raced"
	"weft/backend/base/simtest"
	"weft/backend/space/owner"
)

// prompt begins a run.
func (m *member) prompt() {
	r := &run{}
	m.h.logf("%s: a run begins", m.id)
	m.run, m.held = r, false
	m.Used()
	r.need = m.someone(false, func(s *session, err error) {
		if err != nil {
			m.finish(r, err)
			return
		}
		s.stage.BeginTurn()
		r.session = s
		s.turn = func(err error) { m.Step(func() { m.turnOver(r, err) }) }
	})
	m.Need(&r.need.Need)
}

// someone makes a need and checks what it gets.
func (m *member) someone(inTurn bool, then func(s *session, err error)) *need {
	n := &need{}
	n.InTurn = inTurn
	n.Done = func(s *session, err error) {
		m.inStep("Done of a need")
		if n.ended++; n.ended > 1 || n.off {
			m.h.failf("%s: a need ends %d times, called off %v", m.id, n.ended, n.off)
		}
		switch {
		case (err == nil) == (s == nil):
			m.h.failf("%s: a need ends with session %v and error %v", m.id, s, err)
		case err == nil && (m.Live() != s || s.closing || s.stage.Phase() != Ready && (!inTurn || s.stage.Phase() != InTurn)):
			m.h.failf("%s: a need gets session %d, which is %s", m.id, s.id, s.stage.Phase())
		}
		if then != nil {
			then(s, err)
		}
	}
	m.needs = append(m.needs, n)
	return n
}

func (m *member) turnOver(r *run, err error) {
	r.session.turn = nil
	r.session.stage.EndTurn()
	m.finish(r, err)
	r.session.stage.Serve()
}

func (m *member) finish(r *run, err error) {
	if m.run != r {
		return
	}
	m.run = nil
	m.h.logf("%s: a run ends: %v", m.id, err)
	if m.held = err != nil; err == nil && !m.Left() {
		m.Next()
	}
	m.Rest()
	m.FinishLeaving()
}

// stop ends the current run: at once if it waits for a session, otherwise its agent is asked to stop.
func (m *member) stop() {
	r := m.run
	if r == nil {
		return
	}
	if r.session == nil {
		r.need.off = true
		m.CallOff(&r.need.Need)
		m.finish(r, context.Canceled)
		return
	}
	m.Later(time.Second, func() {
		if m.run == r && m.Live() == r.session {
			r.session.stage.End(Ending{})
		}
	})
}

// opens makes an opening and checks its end.
func (m *member) opens(p Purpose) *opening {
	o := &opening{}
	o.Opening = &Opening[*session]{Purpose: p, Done: func(s *session, err error) {
		m.inStep("Done of an opening")
		if o.ended++; o.ended > 1 {
			m.h.failf("%s: an opening ends %d times", m.id, o.ended)
		}
		if (err == nil) == (s == nil) || err == nil && (m.Live() != s || s.stage.Phase() != Ready) {
			m.h.failf("%s: an opening ends with session %v and error %v", m.id, s, err)
		}
		m.held = m.held || err != nil && p == ToSignIn
	}}
	m.openings = append(m.openings, o)
	return o
}

// acts makes the user or the agent do something.
func (m *member) acts() {
	h := m.h
	switch n := h.Rand.IntN(100); {
	case n < 30:
		m.Step(func() {
			switch {
			case m.Left():
			case m.Busy():
				m.queue++
			default:
				m.prompt()
			}
		})
	case n < 40:
		m.Step(m.stop)
	case n < 50:
		m.Step(func() {
			w := m.someone(true, nil)
			m.Need(&w.Need)
			h.Begin(m.id+": a need is called off", func() {
				m.Step(func() {
					if w.ended == 0 {
						w.off = true
						m.CallOff(&w.Need)
					}
				})
			})
		})
	case n < 65:
		m.Step(func() {
			if m.Busy() || m.Left() {
				return
			}
			if l := m.Live(); n < 57 && l != nil && l.stage.Phase() == Ready {
				l.stage.SignIn()
				h.Begin(m.id+": the sign-in ends", func() {
					m.Step(func() {
						var err error
						if !h.reliable && h.chance(40) {
							err, m.held = errFails, true
						}
						l.stage.SignedIn(err)
					})
				})
				return
			}
			if h.chance(30) {
				m.StartFresh()
			}
			o := m.opens([]Purpose{ToLoad, ToSignIn}[h.Rand.IntN(2)])
			m.Reopen(o.Opening)
			if h.chance(30) {
				h.Begin(m.id+": an opening is called off", func() { m.Step(func() { m.CallOffOpening(o.Opening, context.Canceled) }) })
			}
		})
	case n < 80:
		m.endTurn(h.chance(10))
	case n < 85:
		if l := m.Live(); l != nil && l.proc != nil {
			h.kill(l.proc)
		}
	case n < 88:
		m.Step(func() {
			if l := m.Live(); l != nil && l.stage.Phase() == Starting {
				l.stage.End(Ending{Why: errFails}) // the agent sends too much
			}
		})
	case n < 90:
		m.leave()
	}
}

// endTurn makes the agent end its turn.
func (m *member) endTurn(fails bool) bool {
	if m.run == nil || m.run.session == nil || m.run.session.turn == nil {
		return false
	}
	end := m.run.session.turn
	m.run.session.turn = nil
	var err error
	if fails {
		err = errFails
	}
	end(err)
	return true
}

// kill ends a process from outside.
func (h *history) kill(p *process) {
	h.logf("a process is killed")
	p.closed = true
	for _, s := range slices.Clone(p.sessions) {
		if end := s.turn; end != nil {
			s.turn = nil
			end(errFails)
		}
		s.of.held = s.of.held || s.stage.Phase() == SigningIn
		s.of.Step(s.stage.Lost)
	}
}

func (m *member) leave() {
	m.Step(func() {
		m.h.logf("%s: it leaves", m.id)
		m.then++
		m.Leave(func() {
			m.leaving = true
			m.stop()
		}, func() {
			m.inStep("the end of a member")
			if m.then--; m.then < 0 || m.run != nil || len(m.alive()) > 0 {
				m.h.failf("%s: it has left %d times too often, with run %v and %d sessions", m.id, -m.then, m.run, len(m.alive()))
			}
		})
	})
}

func (m *member) alive() []*session {
	return slices.DeleteFunc(slices.Clone(m.sessions), func(s *session) bool { return s.gone })
}

// check checks the invariants at the end of each step.
func (m *member) check() {
	h := m.h
	if n := len(m.alive()); n > 1 {
		h.failf("%s: there are %d sessions", m.id, n)
	}
	live := m.Live()
	if len(m.needed) > 0 && m.closing == nil && live == nil {
		h.failf("%s: nothing is opened for %d needs", m.id, len(m.needed))
	}
	if live != nil && live.stage.Phase() == Ready && len(m.needed) > 0 {
		h.failf("%s: %d needs wait for a session that is ready", m.id, len(m.needed))
	}
	if live != nil && live.stage.Phase() == Starting && live.stage.How().Purpose == ToPrompt && len(m.needed) == 0 {
		h.failf("%s: session %d is opened for nobody", m.id, live.id)
	}
	if live != nil && (live.stage.Phase() == Closing || live.stage.Phase() == Gone) {
		h.failf("%s: session %d is live when it is %s", m.id, live.id, live.stage.Phase())
	}
	givenUp := slices.ContainsFunc(m.sessions, func(s *session) bool { return s.opening }) // the end of its opening is still pending
	if m.queue > 0 && !m.Busy() && !m.Left() && !m.held && !givenUp {
		h.failf("%s: %d prompts wait for nothing", m.id, m.queue)
	}
}

// rest runs until nothing is left to happen.
func (h *history) rest() {
	for range 2_000 {
		threads, operations, alarms := h.Pending()
		turn := false
		for _, m := range h.members {
			turn = turn || m.endTurn(false)
		}
		switch {
		case h.fault != "":
			return
		case threads > 0 && h.Resume(), operations > 0 && h.End(), turn:
		case alarms > 0:
			h.Ring(time.Minute)
		default:
			return
		}
	}
	h.failf("it never comes to rest")
}

// play runs a history.
func (h *history) play() {
	for i := range 1 + h.Rand.IntN(3) {
		m := &member{h: h, id: fmt.Sprintf("member %d", i)}
		m.Machine = New[*session](m, m)
		h.members = append(h.members, m)
	}
	for range 60 + h.Rand.IntN(60) {
		switch n := h.Rand.IntN(100); {
		case h.fault != "":
			return
		case n < 30 && h.Resume(), n < 60 && h.End(), n < 65 && h.Ring(time.Hour):
		default:
			h.members[h.Rand.IntN(len(h.members))].acts()
		}
	}
	h.reliable = true
	h.logf("-- everything ends")
	h.rest()
	for _, m := range h.members {
		if m.run != nil || m.Live() != nil || m.closing != nil || len(m.needed) > 0 {
			h.failf("%s: nothing happens any more, and there is run %v, session %v, closing %v, %d needs", m.id, m.run, m.Live(), m.closing, len(m.needed))
		}
		m.leave()
	}
	h.rest()
	for _, m := range h.members {
		h.settled(m)
	}
}

// settled checks a member that has left.
func (h *history) settled(m *member) {
	if h.fault != "" {
		return
	}
	if m.then != 0 || len(m.alive()) > 0 || m.run != nil {
		h.failf("%s: its end comes %d times too few, %d sessions are left, run %v", m.id, m.then, len(m.alive()), m.run)
	}
	for _, s := range m.sessions {
		if s.opening || !s.closing || s.stage.Phase() != Gone {
			h.failf("%s: session %d is left: opening %v, closing %v, %s", m.id, s.id, s.opening, s.closing, s.stage.Phase())
		}
	}
	for _, n := range m.needs {
		if n.ended == 0 && !n.off {
			h.failf("%s: a need never ends", m.id)
		}
	}
	for _, o := range m.openings {
		if o.ended == 0 {
			h.failf("%s: an opening never ends", m.id)
		}
	}
	late := m.someone(false, nil)
	var err error
	late.Done = func(_ *session, why error) { err = why }
	if m.Step(func() { m.Need(&late.Need) }); !errors.Is(err, owner.ErrClosing) {
		h.failf("%s: a need after its end gets %v", m.id, err)
	}
}

func TestSimulatedSessionsAreOpenedAndClosed(t *testing.T) {
	t.Parallel()
	var pool simtest.Pool
	defer pool.Close()
	for seed := range simtest.Seeds(simtest.Histories(raced.Of(3000))) {
		h := &history{World: simtest.World{Rand: rand.New(rand.NewPCG(seed, 15)), Clock: time.UnixMilli(0), Pool: &pool, Resumed: func() {}}}
		h.Panicked = func(p any) { h.failf("panic: %v", p) }
		h.Ends = func(name string) { h.logf("%s", name) }
		h.play()
		simtest.Report(t, seed, h.log, h.fault)
	}
}
