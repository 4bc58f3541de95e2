package acpsession

import (
	"context"
	"errors"

	"weft/backend/acp"
	"weft/backend/agentproc"
	"weft/backend/fault"
	"weft/backend/transcript"
)

// Load initializes the connection and loads session id; what is replayed is folded into the conversation. It blocks; ctx gives up. Errors: unsupported,
// not_found where the agent sends nothing of the conversation, those of [Opener] and of the store.
func (s *Session) Load(ctx context.Context, id string) error {
	if err := s.canLoad(ctx); err != nil {
		return err
	}
	s.opt.Space.Step(func() {
		s.opt.Space.Replay(true)
		s.Is(id)
	})
	s.Replay.Need()
	res, err := s.agent.Load(ctx, id, s.Replay)
	if errors.Is(err, acp.ErrSessionTaken) {
		return &agentproc.ExclusiveError{Err: err}
	}
	if err != nil {
		s.WantsSignIn(err)
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

// CatchUp initializes the connection and loads the last session of the space, of which only what is new is folded. Where the agent refuses, the session
// stays for a resume. It blocks; ctx gives up. Errors: unsupported, those of [Opener] and of the store.
func (s *Session) CatchUp(ctx context.Context, id string) error {
	if err := s.canLoad(ctx); err != nil {
		return err
	}
	s.opt.Space.Step(func() {
		s.Discard()
		s.Is(id)
	})
	defer s.endDiscard()
	if err := s.expectNews(ctx); err != nil {
		return err
	}
	res, err := s.agent.Load(ctx, id, s.Replay)
	if err != nil {
		s.WantsSignIn(err)
		return err
	}
	s.opt.Space.Step(func() { s.opened(res) })
	s.options.restore(ctx, s.ID())
	return nil
}

// canLoad initializes the connection. Error: unsupported where the agent can't load sessions.
func (s *Session) canLoad(ctx context.Context) error {
	if err := s.initialize(ctx); err != nil {
		return err
	}
	if !s.About.Capabilities.LoadSession {
		return fault.New("unsupported", "{{agent}} can't load earlier sessions.", s.opt.Config.Name)
	}
	return nil
}

// expectNews prepares for a replay. What is told while a turn is in progress is never new: it would stand behind its prompt.
func (s *Session) expectNews(ctx context.Context) error {
	texts, err := s.opt.Store.Prompts(ctx, s.opt.SpaceID, MaxPrompt)
	if err != nil {
		return err
	}
	n := NewNews(texts)
	s.opt.Space.Step(func() {
		if !s.opt.Space.InTurn() {
			s.Expect(n)
		}
	})
	return nil
}

// IsNews reports whether an update of a replay of what is already here must be folded. The lock is held.
func (s *Session) IsNews(u *transcript.Update) bool {
	isNew, first := s.Next(u, s.opt.Space.InTurn())
	if first {
		s.opt.Space.Replay(true)
	}
	return isNew
}

// endDiscard ends a replay that was not folded, or only in part.
func (s *Session) endDiscard() {
	s.opt.Space.Step(func() {
		if s.Replayed(s.opt.Space.InTurn()) {
			s.opt.Space.Replay(false)
			s.opt.Space.Flush()
		}
	})
}
