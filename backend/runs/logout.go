package runs

import (
	"context"
	"errors"
	"sync"

	"weft/backend/acp"
	"weft/backend/agent"
	"weft/backend/failure"
)

// LogOut has an agent log out (ACP logout), through its process in the space, if there is one, or one that is
// started for it. Error: unsupported where the agent does not offer it, refused, and those of starting it.
func (m *Manager) LogOut(ctx context.Context, spaceID, memberID string, config agent.Config) error {
	out := func(ctx context.Context, conn *acp.Conn, about acp.InitializeResult) error {
		if !about.Capabilities.Logout {
			return &Error{Code: "unsupported", Message: config.Name + " does not offer to log out from here. Its own documentation will say how."}
		}
		ctx, cancel := context.WithTimeout(ctx, m.opt.Limits.Session)
		defer cancel()
		err := conn.Call(ctx, "logout", nil, nil)
		var refused *acp.RPCError
		if errors.As(err, &refused) {
			return &Error{Code: "refused", Message: config.Name + " did not log out: " + failure.WithPeriod(refused.Message), Err: err}
		}
		return err
	}
	if s := m.known(spaceID, memberID); s != nil {
		s.Lock()
		l, busy := s.link, s.busy()
		var caps acp.InitializeResult
		if l != nil {
			caps = l.caps
		}
		ready := l != nil && l.phase == phaseReady
		s.Unlock()
		if busy {
			return errBusy
		}
		if ready {
			return out(ctx, l.conn, caps)
		}
	}
	_, err := m.visit(ctx, config, out)
	return err
}

// EndIdle ends the processes of an agent that have nothing to do, because what they know of accounts does
// not hold any more. It blocks until they are gone.
func (m *Manager) EndIdle(agentID string) {
	var wg sync.WaitGroup
	for _, s := range m.all() {
		s.Lock()
		if l := s.link; l != nil && l.phase == phaseReady && l.config.ID == agentID {
			gone := make(chan struct{})
			l.gone = append(l.gone, func() { close(gone) })
			l.lease.Process.Retire() // others finish there, and nobody joins them
			s.end(l, ending{})
			wg.Go(func() { <-gone })
		}
		s.Unlock()
	}
	wg.Wait()
}
