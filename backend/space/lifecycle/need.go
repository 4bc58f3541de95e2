package lifecycle

import (
	"slices"

	"weft/backend/space/owner"
)

// Need is a request for a session.
type Need[S any] struct {
	// Done is called once, in a step, unless the need is canceled with [Machine.CallOff].
	Done   func(s S, err error)
	InTurn bool // a session with a prompt is acceptable
}

// Need gives n a session, and opens one if necessary.
func (m *Machine[S]) Need(n *Need[S]) {
	g := m.live
	switch {
	case m.left:
		var none S
		n.Done(none, owner.ErrClosing)
		return
	case g != nil && g.phase == InTurn && n.InTurn:
		n.Done(g.session, nil)
		return
	case g != nil && g.phase == Ready:
		if m.member.Usable(g.session) {
			n.Done(g.session, nil)
			return
		}
		g.End(Ending{Polite: true})
	}
	m.needed = append(m.needed, n)
	m.proceed()
}

// CallOff cancels a need. If a session was being opened only for it, that is canceled too.
func (m *Machine[S]) CallOff(n *Need[S]) {
	m.needed = slices.DeleteFunc(m.needed, func(o *Need[S]) bool { return o == n })
	if g := m.live; len(m.needed) == 0 && g != nil && g.phase == Starting && g.how.Purpose == ToPrompt {
		g.End(Ending{})
	}
}

// Serve gives the session to the waiting needs. If it is no longer usable, it is ended and another one is opened.
func (g *Stage[S]) Serve() {
	m := g.machine
	for g == m.live {
		i := slices.IndexFunc(m.needed, func(n *Need[S]) bool { return g.phase == Ready || g.phase == InTurn && n.InTurn })
		if i < 0 {
			return
		}
		n := m.needed[i]
		if g.phase == Ready && !m.member.Usable(g.session) {
			g.End(Ending{Polite: true})
			return
		}
		m.needed = slices.Delete(m.needed, i, i+1)
		n.Done(g.session, nil)
	}
}
