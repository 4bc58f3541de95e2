package runs

import (
	"context"
	"sync"

	"weft/backend/acp"
	"weft/backend/agent"
	"weft/backend/lifecycle"
)

// LogOut has an agent log out (ACP logout), through its process in the space, if there is one, or one that is
// started for it. Errors: busy while a turn is in progress, and those of [agentvisits.Visits.LogOut].
func (ss Sessions) LogOut(ctx context.Context, spaceID, memberID string, config agent.Config) error {
	if s := ss.m.known(spaceID, memberID); s != nil {
		s.Lock()
		l, busy := s.life.Live(), s.life.Busy()
		var caps acp.InitializeResult
		if l != nil {
			caps = l.session.About
		}
		ready := l != nil && l.stage.Phase() == lifecycle.Ready
		s.Unlock()
		if busy {
			return lifecycle.ErrBusy
		}
		if ready {
			return ss.m.visits.LogOutOf(ctx, config, l.conn.Lane, caps)
		}
	}
	return ss.m.visits.LogOut(ctx, config)
}

// EndIdle ends the processes of an agent that have nothing to do, because what they know of accounts does
// not hold any more. It blocks until they are gone.
func (ss Sessions) EndIdle(agentID string) {
	var wg sync.WaitGroup
	for _, s := range ss.m.all() {
		s.Lock()
		if l := s.life.Live(); l != nil && l.stage.Phase() == lifecycle.Ready && l.config.ID == agentID {
			gone := make(chan struct{})
			l.stage.WhenGone(func() { close(gone) })
			l.conn.Lease.Process.Retire() // others finish there, and nobody joins them
			l.stage.End(lifecycle.Ending{})
			wg.Go(func() { <-gone })
		}
		s.Unlock()
	}
	wg.Wait()
}
