package lifecycle

import (
	"context"

	"weft/backend/base/fault"
)

// ErrBusy is the error while a turn is in progress.
var ErrBusy = fault.New("busy", "The agent is still working. Stop it first.")

// Session returns the session, which may be in a turn, and starts the agent if necessary. Concurrent callers share
// one start, which is canceled when none of them waits anymore. It blocks until the session is open, or ctx ends, and
// is called without the lock.
func (m *Machine[S]) Session(ctx context.Context) (S, error) {
	type result struct {
		session S
		err     error
	}
	got := make(chan result, 1)
	n := &Need[S]{InTurn: true, Done: func(s S, err error) { got <- result{s, err} }}
	m.space.Step(func() { m.Need(n) })
	select {
	case r := <-got:
		return r.session, r.err
	case <-ctx.Done():
	}
	m.space.Lock()
	defer m.space.Unlock()
	m.CallOff(n)
	select {
	case r := <-got: // arrived at the same moment
		return r.session, r.err
	default:
		var none S
		return none, context.Cause(ctx)
	}
}

// Open opens a session in another way than for a prompt. It blocks until the session is open or has failed, and is
// called without the lock. Error: [ErrBusy] while a turn is in progress.
func (m *Machine[S]) Open(ctx context.Context, p Purpose, open func(s S, ctx context.Context) error) error {
	done := make(chan error, 1)
	m.space.Lock()
	if m.Busy() || m.left {
		m.space.Unlock()
		return ErrBusy
	}
	o := &Opening[S]{Purpose: p, Open: open, Done: func(_ S, err error) { done <- err }}
	m.Reopen(o)
	m.space.Unlock()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	m.space.Step(func() { m.CallOffOpening(o, context.Cause(ctx)) })
	return <-done
}

// Close ends the current session. It blocks until that is gone, and is called without the lock. Error: [ErrBusy]
// while a turn is in progress.
func (m *Machine[S]) Close() error {
	m.space.Lock()
	if m.Busy() {
		m.space.Unlock()
		return ErrBusy
	}
	g := m.live
	if g != nil {
		g.End(Ending{})
	} else {
		g = m.closing
	}
	if g == nil {
		m.space.Unlock()
		return nil
	}
	gone := make(chan struct{})
	g.WhenGone(func() { close(gone) })
	m.space.Unlock()
	<-gone
	return nil
}
