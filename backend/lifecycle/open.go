package lifecycle

import (
	"cmp"
	"context"
	"errors"

	"weft/backend/agentproc"
	"weft/backend/owner"
)

// Purpose is what a session is opened for.
type Purpose int

const (
	// ToPrompt is for a prompt: the last session is continued, or one is made.
	ToPrompt Purpose = iota
	// ToLoad is for an earlier session: one that the agent has kept is replayed into the space.
	ToLoad
	// ToSignIn is for a sign-in: the user signs the agent in on the way.
	ToSignIn
)

// Opening is a way to open a session.
type Opening[S any] struct {
	Purpose Purpose
	// Open opens the session in a process that has started. It blocks, without the lock; ctx gives up. Nil: as is usual for a prompt.
	Open      func(s S, ctx context.Context) error
	Fresh     bool // in a new process, after one in which that could not be done
	Alone     bool // in a process of its own
	Exclusive bool // and the agent is remembered to need that, if it works
	// Done is called in a step, once, when the session is open, or can't be. Nil: nobody wants to know.
	Done func(s S, err error)

	of *Opening[S] // what was asked for, nil: this
}

// is reports whether o opens a session as was asked for with asked, if need be in another process.
func (o *Opening[S]) is(asked *Opening[S]) bool { return o == asked || o != nil && o.of == asked }

// again returns the same opening, to be carried out in another process.
func (o *Opening[S]) again() *Opening[S] {
	next := *o
	next.of = cmp.Or(o.of, o)
	return &next
}

// Reopen ends the session that there is and opens one in another way. The machine must not be busy.
func (m *Machine[S]) Reopen(o *Opening[S]) {
	m.next = o
	if m.live != nil {
		m.live.End(Ending{})
	}
	m.proceed()
}

// CallOffOpening gives up a session that is opened in another way than for a prompt.
func (m *Machine[S]) CallOffOpening(o *Opening[S], why error) {
	switch {
	case m.next.is(o):
		m.next = nil
		m.notOpened(o, why)
		m.proceed()
	case m.live != nil && m.live.how.is(o) && m.live.phase == Starting:
		m.live.End(Ending{})
	}
}

// proceed opens the next session, if one is needed and the one before is gone.
func (m *Machine[S]) proceed() {
	if m.live != nil || m.closing != nil {
		return
	}
	o := m.next
	m.next = nil
	switch {
	case m.left:
		m.refuse(o, owner.ErrClosing)
		m.FinishLeaving()
		return
	case o == nil && len(m.needed) == 0:
		return
	case o == nil:
		o = &Opening[S]{Purpose: ToPrompt}
	case o.Purpose == ToPrompt && len(m.needed) == 0:
		return
	}
	g := &Stage[S]{machine: m, how: o}
	session, err := m.member.New(g)
	if err != nil {
		m.refuse(o, err)
		return
	}
	g.session = session
	g.to(Starting)
	m.live = g
	m.rest++
	m.member.Open(session)
}

// refuse tells whoever waits for a session that it can't be opened.
func (m *Machine[S]) refuse(o *Opening[S], err error) {
	needed := m.needed
	m.needed = nil
	if o != nil {
		m.notOpened(o, err)
	}
	var none S
	for _, n := range needed {
		n.Done(none, err)
	}
}

// fails reports that an opening has failed: to all who need a session if it was for them, else to who asked for it.
func (m *Machine[S]) fails(o *Opening[S], err error) {
	if o.Purpose == ToPrompt {
		m.refuse(o, err)
	} else {
		m.notOpened(o, err)
	}
}

// Opened takes the end of the opening. An [agentproc.ExclusiveError] has the session opened again, in a process of its own, an [agentproc.FreshError] in
// a new one; neither does so twice.
func (g *Stage[S]) Opened(err error) {
	m, o := g.machine, g.how
	g.opened = true
	var shared *agentproc.ExclusiveError
	var fresh *agentproc.FreshError
	switch {
	case g.why != nil && o.Purpose == ToPrompt:
		m.fails(o, g.why)
	case g.phase != Starting: // it was given up
		m.notOpened(o, cmp.Or(g.why, error(owner.ErrClosing)))
	case err == nil:
		g.to(Ready)
		m.fresh = false
		m.member.Ready(g.session, o.Exclusive)
		if o.Done != nil {
			o.Done(g.session, nil)
		}
		g.Serve()
		if o.Purpose != ToPrompt {
			m.member.Next()
		}
		m.Rest()
	case errors.As(err, &shared) && !o.Alone:
		m.next = o.again()
		m.next.Alone, m.next.Exclusive = true, shared.Always
		g.End(Ending{})
	case errors.As(err, &fresh) && !o.Fresh:
		m.next = o.again()
		m.next.Fresh, m.fresh = true, true
		g.End(Ending{})
	default:
		m.fails(o, err)
		g.End(Ending{})
	}
	if g.closed {
		g.isGone()
	}
	m.space.Flush()
}

// notOpened reports that a session could not be opened in the way that was asked for. Prompts that have waited for it go their ordinary way, except
// those that wait for a sign-in.
func (m *Machine[S]) notOpened(o *Opening[S], err error) {
	if o.Done != nil {
		var none S
		o.Done(none, err)
	}
	if o.Purpose == ToLoad && !m.left {
		m.member.Next()
	}
}
