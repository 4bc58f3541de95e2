package acpsession

import (
	"context"
	"errors"

	"weft/backend/acp"
	"weft/backend/agent/agentproc"
	"weft/backend/space/prelude"
)

// Open initializes the connection and opens a session: it continues the last one if the agent can, or else creates one.
// It blocks until then or until ctx ends. Errors: those of [Opener] and of the store.
func (s *Session) Open(ctx context.Context) error {
	if err := s.initialize(ctx); err != nil {
		return err
	}
	return s.open(ctx)
}

// open is Open for an initialized connection.
func (s *Session) open(ctx context.Context) error {
	last, known, err := s.opt.Store.Last(ctx, s.opt.SpaceID, s.opt.MemberID, s.opt.Config.ID)
	if err != nil {
		return err
	}
	why := prelude.Replaced
	if known && last.Cwd == s.opt.Folder {
		ok, err := s.tryContinue(ctx, last.SessionID, &why, func() (bool, error) { return s.resume(ctx, last.SessionID, &why) })
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
		s.opt.Space.Step(s.opt.Tried.forget) // the missing sign-in was why it couldn't continue the session
	}
	if err != nil {
		s.CheckSignIn(err)
		return err
	}
	s.opt.Space.Step(func() {
		s.begin(why)
		s.opt.Space.ResetCost()
		s.created(res)
	})
	s.options.restore(ctx, s.ID())
	return nil
}

// tryContinue calls resume to continue session id. If the agent has already failed maxTries times, it returns false and
// sets why: the caller must create a new session. The first failure is returned as an error. If the process has ended
// or doesn't answer, so is the last one, as an [agentproc.FreshError], because the new session needs another process.
func (s *Session) tryContinue(ctx context.Context, id string, why *prelude.Loss, resume func() (bool, error)) (bool, error) {
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
		s.opt.Tried.addFailure(id)
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

// failed reports whether err means that the agent has exited, doesn't answer, or requires a sign-in.
func failed(err error) bool {
	var shared *agentproc.ExclusiveError // other sessions of the process may be the cause
	return !errors.As(err, &shared) && (errors.Is(err, acp.ErrClosed) || errors.Is(err, acp.ErrStalled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, acp.ErrAuthRequired))
}

// resume continues session id. It returns false and sets why if the agent can't continue sessions or doesn't know this
// one.
func (s *Session) resume(ctx context.Context, id string, why *prelude.Loss) (bool, error) {
	s.opt.Space.Step(func() {
		s.Identify(id)
		s.Discard()
	})
	defer s.endDiscard()
	var res acp.SessionResult
	var err error
	switch {
	case s.About.Capabilities.ResumeSession:
		res, err = s.agent.Resume(ctx, id)
	case s.About.Capabilities.LoadSession:
		if err := s.expectReplay(ctx); err != nil {
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
		s.CheckSignIn(err)
		return false, err
	}
	s.opt.Space.Step(func() {
		s.greeting.start(res.Raw)
		s.opened(res)
	})
	s.options.restore(ctx, s.ID())
	return true, nil
}

// fork opens a copy of the session that this space branched from. It returns false if the agent can't copy sessions or
// that session has continued since the branch.
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
	ok, err = s.tryContinue(ctx, "copy of "+from.SessionID, new(prelude.Loss), func() (ok bool, err error) {
		res, ok, err = s.agent.Fork(ctx, from.SessionID)
		s.CheckSignIn(err)
		return ok, err
	})
	if err != nil || !ok {
		return false, err
	}
	s.opt.Space.Step(func() {
		s.created(res)
	})
	// Store the copy at once: the original may continue, and then it can't be copied again.
	if err := s.store(ctx, res.SessionID); err != nil {
		return false, err
	}
	s.options.restore(ctx, s.ID())
	return true, nil
}
