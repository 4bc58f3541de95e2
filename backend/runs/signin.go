package runs

import (
	"cmp"
	"context"
	"sync"

	"weft/backend/acp"
	"weft/backend/agent"
	"weft/backend/agentauth"
	"weft/backend/lifecycle"
)

// SignIn signs a member's agent in ("": that of the default member) with one of the ways that the agent offers, starting it if need be, and leaves a
// session open. For a way in a terminal, that was run by then, and for one with variables, that
// are in the agent's environment by then, the agent is started again. It blocks for as long as the user
// takes; ctx calls it off. Errors: busy while a turn is in progress, not_found where the agent has no such way,
// those of the agent and of starting it.
func (ss Sessions) SignIn(ctx context.Context, spaceID, memberID string, method agentauth.Method) error {
	s, err := ss.m.session(ctx, spaceID, memberID)
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	s.Lock()
	callOff := s.signsIn(method, func(err error) { done <- err })
	s.Unlock()
	select {
	case err = <-done:
	case <-ctx.Done():
		s.Lock()
		callOff(context.Cause(ctx))
		s.Unlock()
		err = <-done
	}
	return cmp.Or(err, s.Settled(ctx))
}

// signsIn signs the agent in; done is called with the lock, once. Prompts that are sent meanwhile wait. What it returns calls it off. The lock is held.
func (s *Session) signsIn(method agentauth.Method, done func(error)) (callOff func(why error)) {
	if s.life.Busy() || s.life.Left() {
		done(lifecycle.ErrBusy)
		return func(error) {}
	}
	l := s.life.Live()
	if l == nil || l.stage.Phase() != lifecycle.Ready || method.Type != agentauth.ByAgent {
		if method.Type != agentauth.ByAgent {
			s.life.StartFresh() // what runs does not know of it
		}
		o := &lifecycle.Opening[*liveSession]{
			Purpose: lifecycle.ToSignIn, Done: func(_ *liveSession, err error) { done(err) },
			Open: func(l *liveSession, ctx context.Context) error {
				err := l.session.OpenSignedIn(ctx, method, l.stage.How().Fresh)
				s.Step(func() { l.signedIn = method.Type == agentauth.ByAgent && !l.stage.How().Fresh })
				return err
			},
		}
		s.life.Reopen(o)
		return func(why error) { s.life.CallOffOpening(o, why) }
	}
	l.stage.SignIn()
	ctx, cancel := context.WithCancelCause(l.conn.Context())
	s.w.signIn(ctx, l, method.ID, func(err error) {
		cancel(nil)
		s.Lock()
		defer s.Unlock()
		s.signed(l, err)
		done(err)
	})
	return cancel
}

// signed takes the end of a sign-in in a session that was open. The lock is held.
func (s *Session) signed(l *liveSession, err error) {
	s.desk.Questions.Started(asker{l})
	l.signedIn = l.signedIn || err == nil
	l.stage.SignedIn(err)
}

// Method returns one of the ways to sign in that the agent of a space (or, with spaceID "", an agent by itself)
// has told. It starts the agent for a look where nothing is known of it. Errors: not_found, and those of
// starting it.
func (ss Sessions) Method(ctx context.Context, spaceID, memberID string, config agent.Config, methodID string) (agentauth.Method, error) {
	raw, err := ss.rawMethods(ctx, spaceID, memberID, config)
	if err != nil {
		return agentauth.Method{}, err
	}
	for _, a := range agentauth.Methods(config, raw) {
		if a.ID == methodID && a.Problem == "" {
			return a, nil
		}
	}
	return agentauth.Method{}, newError("not_found", "{{agent}} no longer offers this sign-in method.", config.Name)
}

func (ss Sessions) rawMethods(ctx context.Context, spaceID, memberID string, config agent.Config) ([]acp.AuthMethod, error) {
	if s := ss.m.known(spaceID, memberID); s != nil {
		s.Lock()
		methods := s.signIns.List()
		s.Unlock()
		if len(methods) > 0 {
			return methods, nil
		}
	}
	return ss.m.visits.Methods(ctx, config)
}

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

// Words returns the last that the agent of a member ("": the default member) has written beside the protocol, such as the address at which the user signs
// in; "" where it doesn't run. It doesn't block.
func (ss Sessions) Words(spaceID, memberID string) string {
	s := ss.m.known(spaceID, memberID)
	if s == nil {
		return ""
	}
	s.Lock()
	l := s.life.Live()
	connected := l != nil && l.conn.Lane != nil
	s.Unlock()
	if !connected {
		return ""
	}
	return ss.m.redactor().Text(l.conn.Lease.Process.Words())
}
