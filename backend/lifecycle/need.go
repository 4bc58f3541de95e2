package lifecycle

import (
	"slices"

	"weft/backend/owner"
)

// Need is someone who needs a session.
type Need[S any] struct {
	// Done is called in a step, once, unless the need is called off.
	Done   func(s S, err error)
	InTurn bool // also one that has a prompt will do
}

// Need gives n a session, which is opened if necessary.
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

// CallOff ends a need. The session that was opened for it alone is given up.
func (m *Machine[S]) CallOff(n *Need[S]) {
	m.needed = slices.DeleteFunc(m.needed, func(o *Need[S]) bool { return o == n })
	if g := m.live; len(m.needed) == 0 && g != nil && g.phase == Starting && g.how.Purpose == ToPrompt {
		g.End(Ending{})
	}
}

// Serve gives the session to those who need one. What a session was opened for may have changed meanwhile: then they get another one.
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
