package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"weft/backend/agent/agentproc"
	"weft/backend/base/simtest"
)

// history is what happens to the sessions of a few members, made up from a seed. Each member is in its own space; all
// have the same agent.
type history struct {
	simtest.World
	members  []*member
	procs    []*process
	reliable bool // no more injected faults
	ids      int

	log   []string
	fault string
}

// member is a member and its space. It implements [Space] and [Member].
type member struct {
	h  *history
	id string
	*Machine[*session]

	locked   bool
	effects  []func()
	carrying bool

	run      *run
	queue    int  // queued prompts
	held     bool // they wait for the user: the last run was stopped or failed
	sessions []*session
	needs    []*need
	openings []*opening
	leaving  bool
	then     int // how often Leave was called, minus how often it finished
}

// run is a prompt that has a session or waits for one.
type run struct {
	need    *need
	session *session
}

// session is a session of a member, in a process.
type session struct {
	of      *member
	id      int
	stage   *Stage[*session]
	proc    *process
	opening bool
	closing bool
	gone    bool
	turn    func(err error) // ends the turn, nil if there is none
}

type process struct {
	sessions []*session
	idle     map[*session]bool
	alone    bool
	closed   bool // no session may join it, or be used
}

// need and opening count how often they have ended.
type need struct {
	Need[*session]
	ended int
	off   bool
}

type opening struct {
	*Opening[*session]
	ended int
}

var errFails = errors.New("it can't be started")

func (h *history) failf(format string, args ...any) {
	if h.fault == "" {
		h.fault = fmt.Sprintf(format, args...)
		h.logf("FAULT: %s", h.fault)
	}
}

func (h *history) logf(format string, args ...any) {
	h.log = append(h.log, fmt.Sprintf(format, args...))
}

func (h *history) chance(percent int) bool { return h.Rand.IntN(100) < percent }

// The space.

func (m *member) Lock() {
	if m.locked {
		m.h.failf("%s: the lock is taken in a step", m.id)
	}
	m.locked = true
}

func (m *member) Unlock() {
	m.check()
	m.locked = false
	if len(m.effects) > 0 && !m.carrying {
		m.carrying = true
		m.h.Spawn(m.carryOut)
	}
}

func (m *member) carryOut() {
	for len(m.effects) > 0 {
		do := m.effects[0]
		m.effects = m.effects[1:]
		do()
	}
	m.carrying = false
}

func (m *member) Step(do func()) {
	m.Lock()
	defer m.Unlock()
	do()
}

func (m *member) Effect(do func()) {
	m.inStep("Effect")
	m.effects = append(m.effects, do)
}

func (m *member) Later(d time.Duration, do func()) { m.h.After(d, func() { m.Step(do) }) }
func (m *member) Flush()                           { m.inStep("Flush") }

func (m *member) inStep(what string) {
	if !m.locked {
		m.h.failf("%s: %s outside a step", m.id, what)
	}
}

// The member.

func (m *member) New(g *Stage[*session]) (*session, error) {
	m.inStep("New")
	if m.leaving {
		m.h.failf("%s: a session is made after the member has left", m.id)
	}
	if !m.h.reliable && m.h.chance(4) {
		m.h.logf("%s: no session can be made", m.id)
		return nil, errFails
	}
	m.h.ids++
	s := &session{of: m, id: m.h.ids, stage: g}
	m.sessions = append(m.sessions, s)
	return s, nil
}

func (m *member) Open(s *session) {
	m.inStep("Open")
	h, how, fresh := m.h, s.stage.How(), m.Fresh()
	h.logf("%s: session %d is opened, purpose %d, alone %v, fresh %v", m.id, s.id, how.Purpose, how.Alone, fresh)
	s.opening = true
	h.Begin(fmt.Sprintf("%s: session %d has a process", m.id, s.id), func() {
		if !s.closing {
			s.join(how.Alone, fresh)
		}
		h.Begin(fmt.Sprintf("%s: the opening of session %d ends", m.id, s.id), func() {
			m.Step(s.opened)
		})
	})
}

// join finds a process for the session.
func (s *session) join(alone, fresh bool) {
	h := s.of.h
	for _, p := range h.procs {
		if !p.closed && !p.alone && !alone && !fresh {
			s.proc = p
		}
	}
	if s.proc == nil {
		s.proc = &process{idle: map[*session]bool{}, alone: alone}
		h.procs = append(h.procs, s.proc)
	}
	s.proc.sessions = append(s.proc.sessions, s)
}

// opened ends the opening of the session.
func (s *session) opened() {
	err := s.outcome()
	s.opening = false
	s.of.h.logf("%s: session %d is open: %v", s.of.id, s.id, err)
	s.stage.Opened(err)
}

// outcome returns how the opening ends. A canceled one may still succeed.
func (s *session) outcome() error {
	h := s.of.h
	switch n := h.Rand.IntN(100); {
	case s.closing && n < 80:
		return context.Canceled
	case h.reliable:
		return nil
	case n < 10:
		return &agentproc.ExclusiveError{Err: errFails, Always: n < 5}
	case n < 15:
		return &agentproc.FreshError{Err: errFails}
	case n < 25:
		return errFails
	}
	return nil
}

func (m *member) Close(s *session, how Ending) {
	m.inStep("Close")
	if s.closing || s.stage.Phase() != Closing {
		m.h.failf("%s: session %d is closed when it is %s", m.id, s.id, s.stage.Phase())
	}
	m.h.logf("%s: session %d is closed: %+v", m.id, s.id, how)
	s.closing = true
	m.h.Begin(fmt.Sprintf("%s: session %d is gone", m.id, s.id), func() {
		if end := s.turn; end != nil {
			s.turn = nil
			end(errFails)
		}
		if p := s.proc; p != nil {
			p.sessions = slices.DeleteFunc(p.sessions, func(o *session) bool { return o == s })
		}
		s.gone = true
		m.Step(s.stage.Gone)
	})
}

func (m *member) Usable(s *session) bool {
	m.inStep("Usable")
	s.proc.idle[s] = false
	return !s.proc.closed && (m.h.reliable || !m.h.chance(5))
}

func (m *member) Ready(s *session, exclusive bool) {
	m.inStep("Ready")
	if exclusive && !s.proc.alone {
		m.h.failf("%s: the agent needs a process for each session, and session %d shares one", m.id, s.id)
	}
}

func (m *member) Next() {
	m.inStep("Next")
	if m.leaving {
		m.h.failf("%s: a prompt is sent after the member has left", m.id)
	}
	if m.run == nil && m.queue > 0 {
		m.queue--
		m.prompt()
	}
}

func (m *member) Running() bool { return m.run != nil }

func (m *member) Idle(s *session) (idle []*Stage[*session], again bool) {
	m.inStep("Idle")
	if m.run != nil || s.stage.Phase() != Ready {
		m.h.failf("%s: session %d is idle, and it is %s", m.id, s.id, s.stage.Phase())
	}
	if !m.h.reliable && m.h.chance(20) {
		return nil, true
	}
	s.proc.idle[s] = true
	for _, o := range s.proc.sessions {
		if !s.proc.idle[o] {
			return nil, true
		}
		idle = append(idle, o.stage)
	}
	s.proc.closed = true
	return idle, false
}
