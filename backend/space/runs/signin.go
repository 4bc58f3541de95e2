package runs

import (
	"cmp"
	"context"
	"sync"

	"weft/backend/acp"
	"weft/backend/agent"
	"weft/backend/agent/agentauth"
	"weft/backend/space/lifecycle"
)

// SignIn signs in to the agent of a member ("": the default member) with one of the agent's methods. It starts the
// agent if necessary and leaves a session open. For a method in a terminal, which the caller has already run, or with
// environment variables, which the caller has already set, it restarts the agent. It blocks until the user has signed
// in; if ctx ends, the sign-in is canceled. Errors: busy while a turn is in progress, not_found if the agent doesn't
// have the method, those of the agent and of starting it.
func (ss Sessions) SignIn(ctx context.Context, spaceID, memberID string, method agentauth.Method) error {
	s, err := ss.m.session(ctx, spaceID, memberID)
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	s.Lock()
	cancel := s.startSignIn(method, func(err error) { done <- err })
	s.Unlock()
	select {
	case err = <-done:
	case <-ctx.Done():
		s.Lock()
		cancel(context.Cause(ctx))
		s.Unlock()
		err = <-done
	}
	return cmp.Or(err, s.Settled(ctx))
}

// startSignIn starts a sign-in and returns a function that cancels it. done is called once, with the lock held. Prompts
// sent meanwhile wait. The lock is held.
func (s *Session) startSignIn(method agentauth.Method, done func(error)) (cancel func(why error)) {
	if s.life.Busy() || s.life.Left() {
		done(lifecycle.ErrBusy)
		return func(error) {}
	}
	l := s.life.Live()
	if l == nil || l.stage.Phase() != lifecycle.Ready || method.Type != agentauth.ByAgent {
		if method.Type != agentauth.ByAgent {
			s.life.StartFresh() // running processes don't notice the sign-in
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
	a := &signInAttempt{method: method.ID, done: done}
	a.ctx, a.cancel = context.WithCancelCause(l.conn.Context())
	s.perform(signIn{l, a})
	return a.cancel
}

// signInAttempt is a sign-in in an open session.
type signInAttempt struct {
	method string
	ctx    context.Context //nolint:containedctx // the user can cancel the attempt
	cancel context.CancelCauseFunc
	done   func(err error) // called once, with the lock held
}

// Method returns a sign-in method of the agent in a space, or outside of spaces if spaceID is "". If the agent's
// methods aren't known, it starts the agent briefly to get them. Errors: not_found, and those of starting the
// agent.
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

// LogOut logs the agent out (ACP logout), through its process in the space if there is one, or through a new
// process. Errors: busy while a turn is in progress, and those of [agentvisits.Visits.LogOut].
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

// EndIdle ends the idle sessions of an agent, because their processes have outdated account data. It blocks
// until they have ended.
func (ss Sessions) EndIdle(agentID string) {
	var wg sync.WaitGroup
	for _, s := range ss.m.all() {
		s.Lock()
		if l := s.life.Live(); l != nil && l.stage.Phase() == lifecycle.Ready && l.config.ID == agentID {
			gone := make(chan struct{})
			l.stage.WhenGone(func() { close(gone) })
			l.conn.Lease.Process.Retire() // its other sessions finish, and no session joins it
			l.stage.End(lifecycle.Ending{})
			wg.Go(func() { <-gone })
		}
		s.Unlock()
	}
	wg.Wait()
}

// Words returns the last stderr output of the agent of a member ("": the default member), such as the URL of a sign-in
// page, or "" if the agent isn't running. It doesn't block.
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
