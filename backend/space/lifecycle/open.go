package lifecycle

import (
	"cmp"
	"context"
	"errors"

	"weft/backend/agent/agentproc"
	"weft/backend/space/owner"
)

// Purpose is why a session is opened.
type Purpose int

const (
	// ToPrompt is for a prompt: continues the last session or makes a new one.
	ToPrompt Purpose = iota
	// ToLoad is for an earlier session of the agent, which is replayed into the space.
	ToLoad
	// ToSignIn is for a sign-in: the user signs in to the agent while it opens.
	ToSignIn
)

// Opening describes how to open a session.
type Opening[S any] struct {
	Purpose Purpose
	// Open opens the session in a process that has started. It blocks, and is called without the lock; ctx cancels
	// it. Nil: as usual for a prompt.
	Open      func(s S, ctx context.Context) error
	Fresh     bool // in a new process, after another one failed
	Alone     bool // in a process of its own
	Exclusive bool // also remember that the agent needs that, if it works
	// Done, if not nil, is called once, in a step, when the session is open or has failed to open.
	Done func(s S, err error)

	of *Opening[S] // the original opening of a retry; nil: this one
}

// is reports whether o is asked, or a retry of it in another process.
func (o *Opening[S]) is(asked *Opening[S]) bool { return o == asked || o != nil && o.of == asked }

// again returns a copy of the opening for a retry in another process.
func (o *Opening[S]) again() *Opening[S] {
	next := *o
	next.of = cmp.Or(o.of, o)
	return &next
}

// Reopen ends the current session and opens one in another way. The machine must not be busy.
func (m *Machine[S]) Reopen(o *Opening[S]) {
	m.next = o
	if m.live != nil {
		m.live.End(Ending{})
	}
	m.proceed()
}

// CallOffOpening cancels a session that [Machine.Reopen] opens.
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

// proceed opens the next session, if one is needed and the previous one is gone.
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

// refuse reports to everyone who waits for a session that it can't be opened.
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

// fails reports a failed opening: to all waiting needs if it was for a prompt, otherwise to the caller that asked for
// it.
func (m *Machine[S]) fails(o *Opening[S], err error) {
	if o.Purpose == ToPrompt {
		m.refuse(o, err)
	} else {
		m.notOpened(o, err)
	}
}

// Opened handles the end of the opening. After an [agentproc.ExclusiveError] the session is opened again in its own
// process, after an [agentproc.FreshError] in a new one, each at most once.
func (g *Stage[S]) Opened(err error) {
	m, o := g.machine, g.how
	g.opened = true
	var shared *agentproc.ExclusiveError
	var fresh *agentproc.FreshError
	switch {
	case g.why != nil && o.Purpose == ToPrompt:
		m.fails(o, g.why)
	case g.phase != Starting: // it was canceled
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

// notOpened reports that an opening failed. Prompts that waited for it are sent in the usual way, except those that
// wait for a sign-in.
func (m *Machine[S]) notOpened(o *Opening[S], err error) {
	if o.Done != nil {
		var none S
		o.Done(none, err)
	}
	if o.Purpose == ToLoad && !m.left {
		m.member.Next()
	}
}
