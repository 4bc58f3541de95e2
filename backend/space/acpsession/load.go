package acpsession

import (
	"context"
	"errors"

	"weft/backend/acp"
	"weft/backend/agent/agentproc"
	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
)

// Load initializes the connection, loads the session id and folds its replay into the conversation. It blocks until
// then or until ctx ends. Errors: unsupported, not_found if the agent replays nothing, those of [Opener] and of the
// store.
func (s *Session) Load(ctx context.Context, id string) error {
	if err := s.canLoad(ctx); err != nil {
		return err
	}
	s.opt.Space.Step(func() {
		s.opt.Space.Replay(true)
		s.Identify(id)
	})
	s.Replay.WaitLonger()
	res, err := s.agent.Load(ctx, id, s.Replay)
	if errors.Is(err, acp.ErrSessionTaken) {
		return &agentproc.ExclusiveError{Err: err}
	}
	if err != nil {
		s.CheckSignIn(err)
		return err
	}
	if !s.Replay.Begun() {
		return fault.New("not_found", "{{agent}} sent nothing of this conversation. Try again, or start a new one.", s.opt.Config.Name)
	}
	s.opt.Space.Step(func() {
		s.opened(res)
		s.options.settle()
	})
	return s.store(ctx, id)
}

// CatchUp initializes the connection, loads the last session of the space and folds only the new part of its replay. If
// the agent refuses, the session can still be resumed. It blocks until then or until ctx ends. Errors: unsupported,
// those of [Opener] and of the store.
func (s *Session) CatchUp(ctx context.Context, id string) error {
	if err := s.canLoad(ctx); err != nil {
		return err
	}
	s.opt.Space.Step(func() {
		s.Discard()
		s.Identify(id)
	})
	defer s.endDiscard()
	if err := s.expectReplay(ctx); err != nil {
		return err
	}
	res, err := s.agent.Load(ctx, id, s.Replay)
	if err != nil {
		s.CheckSignIn(err)
		return err
	}
	s.opt.Space.Step(func() { s.opened(res) })
	s.options.restore(ctx, s.ID())
	return nil
}

// canLoad initializes the connection. Error: unsupported if the agent can't load sessions.
func (s *Session) canLoad(ctx context.Context) error {
	if err := s.initialize(ctx); err != nil {
		return err
	}
	if !s.About.Capabilities.LoadSession {
		return fault.New("unsupported", "{{agent}} can't load earlier sessions.", s.opt.Config.Name)
	}
	return nil
}

// expectReplay sets up the filter for the new part of a replay. During a turn there is none, because new messages would
// end up after the turn's prompt.
func (s *Session) expectReplay(ctx context.Context) error {
	texts, err := s.opt.Store.Prompts(ctx, s.opt.SpaceID, MaxPrompt)
	if err != nil {
		return err
	}
	f := NewReplayFilter(texts)
	s.opt.Space.Step(func() {
		if !s.opt.Space.InTurn() {
			s.Expect(f)
		}
	})
	return nil
}

// IsNew reports whether an update in a replay is new to the space and must be folded. It is called with each update
// between Discard and the end of the replay, in order. The lock is held.
func (s *Session) IsNew(u *transcript.Update) bool {
	isNew, first := s.Next(u, s.opt.Space.InTurn())
	if first {
		s.opt.Space.Replay(true)
	}
	return isNew
}

// endDiscard ends a replay that began with Discard.
func (s *Session) endDiscard() {
	s.opt.Space.Step(func() {
		if s.Replayed(s.opt.Space.InTurn()) {
			s.opt.Space.Replay(false)
			s.opt.Space.Flush()
		}
	})
}
