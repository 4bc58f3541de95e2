package acpsession

import (
	"context"
	"errors"
	"slices"

	"weft/backend/acp"
	"weft/backend/agentauth"
	"weft/backend/agentproc"
	"weft/backend/failure"
	"weft/backend/fault"
)

// WantsSignIn tells the user that the agent wants a sign-in, if that is what err says. The lock isn't held.
func (s *Session) WantsSignIn(err error) {
	if !errors.Is(err, acp.ErrAuthRequired) {
		return
	}
	s.opt.Space.Step(func() {
		s.About.AuthMethods = s.opt.Known.Refused(s.About.AuthMethods, err)
		s.opt.Space.Offers(true)
		s.opt.Space.Flush()
	})
}

// OpenSignedIn opens the first session after a sign-in, or signs in on the way. Done says that the user has signed in, in another process. It blocks, also
// for as long as the user takes; ctx gives up. Errors: auth_required where the agent wants a sign-in all the same, [agentproc.FreshError] where it may only
// want one in this process, those of [Session.SignIn] and of [Session.Open].
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
			// Some agents take the variables over only when they are told to.
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

// SignIn has the agent sign the user in. It blocks for as long as the user takes; ctx gives up. The lock isn't held. Errors: not_found where the agent
// doesn't offer the method any more, refused, and those of the connection.
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

// authenticate has the agent sign the user in with one of its methods. Errors: refused, and those of the connection.
func (s *Session) authenticate(ctx context.Context, methodID string) error {
	err := s.agent.Authenticate(ctx, methodID)
	var refused *acp.RPCError
	if errors.As(err, &refused) {
		return fault.New("refused", "{{agent}} couldn't sign you in: {{reason}}", s.opt.Config.Name, s.opt.Redact(failure.WithPeriod(refused.Message))).Because(err)
	}
	return err
}

// signedIn tells the user that the agent wants no sign-in anymore. What it couldn't continue, it may continue now.
func (s *Session) signedIn() {
	s.opt.Space.Step(func() {
		s.opt.Tried.forget()
		s.opt.Space.Offers(false)
		s.opt.Space.Flush()
	})
}
