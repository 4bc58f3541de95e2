package acpsession

import (
	"context"
	"errors"
	"slices"

	"weft/backend/acp"
	"weft/backend/agent/agentauth"
	"weft/backend/agent/agentproc"
	"weft/backend/agent/failure"
	"weft/backend/base/fault"
)

// CheckSignIn shows the user that the agent requires a sign-in if err is [acp.ErrAuthRequired]. The lock isn't held.
func (s *Session) CheckSignIn(err error) {
	if !errors.Is(err, acp.ErrAuthRequired) {
		return
	}
	s.opt.Space.Step(func() {
		s.About.AuthMethods = s.opt.Known.Refused(s.About.AuthMethods, err)
		s.opt.Space.PublishOptions(true)
		s.opt.Space.Flush()
	})
}

// OpenSignedIn signs the user in and opens a session. done means that the user has already signed in, in another
// process. It blocks until then, also for the user, or until ctx ends. Errors: auth_required if the agent still
// requires a sign-in, [agentproc.FreshError] if another process may not require it, those of [Session.SignIn] and of
// [Session.Open].
func (s *Session) OpenSignedIn(ctx context.Context, method agentauth.Method, done bool) error {
	done = done || method.Type == agentauth.ByTerminal
	err := s.initialize(ctx)
	if errors.Is(err, acp.ErrAuthRequired) && !done {
		if err := s.authenticate(ctx, method.ID); err != nil {
			return err
		}
		s.agent.Initialize(ctx)
		err = s.initialize(ctx)
	}
	byAgent := method.Type == agentauth.ByAgent && !done
	if !byAgent {
		s.opt.Space.Step(s.opt.Tried.forget)
	}
	if err == nil && byAgent {
		if err := s.SignIn(ctx, method.ID); err != nil {
			return err
		}
	}
	if err == nil {
		err = s.open(ctx)
		if errors.Is(err, acp.ErrAuthRequired) && method.Type == agentauth.ByVariables {
			// Some agents read the variables only on authenticate.
			if err := s.authenticate(ctx, method.ID); err != nil {
				return err
			}
			err = s.open(ctx)
		}
	}
	if errors.Is(err, acp.ErrAuthRequired) && byAgent {
		return &agentproc.FreshError{Err: err}
	}
	if errors.Is(err, acp.ErrAuthRequired) {
		return fault.New("auth_required", "{{agent}} still requires you to sign in. Try again, or choose another sign-in method.", s.opt.Config.Name).Because(err)
	}
	if err == nil && !byAgent {
		s.signedIn()
	}
	return err
}

// SignIn signs the user in with one of the agent's methods. It blocks until the user has signed in, or ctx ends. The
// lock isn't held. Errors: not_found if the agent no longer offers the method, refused, and those of the connection.
func (s *Session) SignIn(ctx context.Context, methodID string) error {
	var offered []acp.AuthMethod
	s.opt.Space.Step(func() { offered = s.About.AuthMethods })
	if !slices.ContainsFunc(offered, func(m acp.AuthMethod) bool { return m.ID == methodID }) {
		return fault.New("not_found", "{{agent}} no longer offers this sign-in method.", s.opt.Config.Name)
	}
	if err := s.authenticate(ctx, methodID); err != nil {
		return err
	}
	s.signedIn()
	return nil
}

// authenticate sends authenticate and waits for the response. Errors: refused, and those of the connection.
func (s *Session) authenticate(ctx context.Context, methodID string) error {
	err := s.agent.Authenticate(ctx, methodID)
	var refused *acp.RPCError
	if errors.As(err, &refused) {
		return fault.New("refused", "{{agent}} couldn't sign you in: {{reason}}", s.opt.Config.Name, s.opt.Redact(failure.WithPeriod(refused.Message))).Because(err)
	}
	return err
}

// signedIn shows the user that the agent no longer requires a sign-in. It also clears the failed attempts, because the
// agent may now continue the session.
func (s *Session) signedIn() {
	s.opt.Space.Step(func() {
		s.opt.Tried.forget()
		s.opt.Space.PublishOptions(false)
		s.opt.Space.Flush()
	})
}
