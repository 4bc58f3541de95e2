package acpsession

import (
	"context"
	"errors"

	"weft/backend/acp"
	"weft/backend/agentproc"
	"weft/backend/prelude"
)

// Open initializes the connection and opens a session, continuing the one before where the agent can. It blocks; ctx gives up. Errors: those of
// [Opener] and of the store.
func (s *Session) Open(ctx context.Context) error {
	if err := s.initialize(ctx); err != nil {
		return err
	}
	return s.open(ctx)
}

// open is Open for a connection that is initialized.
func (s *Session) open(ctx context.Context) error {
	last, known, err := s.opt.Store.Last(ctx, s.opt.SpaceID, s.opt.MemberID, s.opt.Config.ID)
	if err != nil {
		return err
	}
	why := prelude.Replaced
	if known && last.Cwd == s.opt.Folder {
		ok, err := s.tries(ctx, last.SessionID, &why, func() (bool, error) { return s.resume(ctx, last.SessionID, &why) })
		if ok || err != nil {
			return err
		}
	}
	if !known {
		why = prelude.NoLoss
		ok, err := s.fork(ctx)
		if ok || err != nil {
			return err
		}
	}
	res, err := s.agent.New(ctx)
	if errors.Is(err, acp.ErrAuthRequired) {
		s.opt.Space.Step(s.opt.Tried.forget) // it would not have continued any session
	}
	if err != nil {
		s.WantsSignIn(err)
		return err
	}
	s.opt.Space.Step(func() {
		s.begin(why)
		s.opt.Space.FromZero()
		s.made(res)
	})
	s.options.restore(ctx, s.ID())
	return nil
}

// tries continues session id. It reports false where a new session must be made: the agent has failed twice to continue this one, and why says so.
// The first failure is returned as an error. So is the second one where the process is gone or doesn't answer, as an [agentproc.FreshError]: the
// new session needs another process.
func (s *Session) tries(ctx context.Context, id string, why *prelude.Loss, resume func() (bool, error)) (bool, error) {
	var givenUp bool
	s.opt.Space.Step(func() { givenUp = s.opt.Tried.givenUp(id) })
	if givenUp {
		*why = prelude.Lost
		return false, nil
	}
	ok, err := resume()
	if !failed(err) || ctx.Err() != nil {
		if ok {
			s.opt.Space.Step(s.opt.Tried.forget)
		}
		return ok, err
	}
	s.opt.Space.Step(func() {
		s.opt.Tried.fails(id)
		givenUp = s.opt.Tried.givenUp(id)
	})
	switch {
	case !givenUp:
		return false, err
	case !errors.Is(err, acp.ErrAuthRequired):
		return false, &agentproc.FreshError{Err: err}
	}
	*why = prelude.Lost
	s.opt.Space.Step(s.Refused)
	return false, nil
}

// failed reports whether an agent has failed at what it was asked: it is gone, doesn't answer, or wants a sign-in.
func failed(err error) bool {
	var shared *agentproc.ExclusiveError // because of others
	return !errors.As(err, &shared) && (errors.Is(err, acp.ErrClosed) || errors.Is(err, acp.ErrStalled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, acp.ErrAuthRequired))
}

// resume continues session id. It reports false where the agent cannot, or does not know the session any more: then why says so.
func (s *Session) resume(ctx context.Context, id string, why *prelude.Loss) (bool, error) {
	s.opt.Space.Step(func() {
		s.Is(id)
		s.Discard()
	})
	defer s.endDiscard()
	var res acp.SessionResult
	var err error
	switch {
	case s.About.Capabilities.ResumeSession:
		res, err = s.agent.Resume(ctx, id)
	case s.About.Capabilities.LoadSession:
		if err := s.expectNews(ctx); err != nil {
			return false, err
		}
		res, err = s.agent.Load(ctx, id, s.Replay)
	default:
		err = &acp.RPCError{Code: acp.CodeMethodNotFound}
	}
	if Refused(err) {
		if s.About.Capabilities.ResumeSession || s.About.Capabilities.LoadSession {
			*why = prelude.Forgotten
		}
		s.opt.Space.Step(s.Refused)
		return false, nil
	}
	if errors.Is(err, acp.ErrSessionTaken) {
		return false, &agentproc.ExclusiveError{Err: err}
	}
	if err != nil {
		s.WantsSignIn(err)
		return false, err
	}
	s.opt.Space.Step(func() {
		s.greeting.opens(res.Raw)
		s.opened(res)
	})
	s.options.restore(ctx, s.ID())
	return true, nil
}

// fork opens a copy of the session of the space that this one branched from, where the agent makes copies and that
// session still stands where the branch began. It reports false where there is none to be had.
func (s *Session) fork(ctx context.Context) (bool, error) {
	if !s.About.Capabilities.ForkSession {
		return false, nil
	}
	from, ok, err := s.opt.Store.ToFork(ctx, s.opt.SpaceID, s.opt.MemberID, s.opt.Config.ID)
	if err != nil || !ok || from.Cwd != s.opt.Folder {
		return false, err
	}
	s.opt.Space.Step(s.Discard)
	defer s.endDiscard()
	var res acp.SessionResult
	ok, err = s.tries(ctx, "copy of "+from.SessionID, new(prelude.Loss), func() (ok bool, err error) {
		res, ok, err = s.agent.Fork(ctx, from.SessionID)
		s.WantsSignIn(err)
		return ok, err
	})
	if err != nil || !ok {
		return false, err
	}
	s.opt.Space.Step(func() {
		s.made(res)
	})
	// It is kept at once: later, the other session will stand elsewhere.
	if err := s.store(ctx, res.SessionID); err != nil {
		return false, err
	}
	s.options.restore(ctx, s.ID())
	return true, nil
}
