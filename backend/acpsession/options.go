package acpsession

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
)

// restore sets the options of a session that was just opened back to what they were.
func (s *Session) restore(ctx context.Context) {
	for tried := map[string]bool{}; ; {
		var option *acp.Option
		var value jsontext.Value
		s.opt.Space.Step(func() { option, value = s.opt.Offered.NextToRestore(tried) })
		if option == nil {
			break
		}
		if err := s.Choose(ctx, *option, value); err != nil {
			s.opt.Log.Warn().Err(err).Str("agent", s.opt.Config.ID).Str("option", option.ID).Msg("an option of the session could not be restored")
			if ctx.Err() != nil {
				break
			}
		}
	}
	s.opt.Space.Step(func() {
		s.settle()
		s.opt.Space.Flush()
	})
}

// settle takes over the options of a session that is open as those that are in force. One that was given up leaves them for the next. The lock is held.
func (s *Session) settle() {
	if s.opt.Space.Current() {
		s.opt.Offered.Settle()
		s.opt.Space.Offers(false)
	}
}

// Choose sets an option and takes over what the agent says of it. It blocks until the agent has taken it, for as long as [Opener] has it; the lock isn't held.
// Errors: those of the agent.
func (s *Session) Choose(ctx context.Context, option acp.Option, value jsontext.Value) error {
	list, err := s.agent.Choose(ctx, s.ID(), option, value)
	if err != nil {
		return err
	}
	s.opt.Space.Step(func() {
		if !s.opt.Space.Current() {
			return
		}
		s.opt.Offered.Set(option, value, list)
		if s.opt.Offered.Settled() {
			s.opt.Space.Offers(false)
		}
		s.opt.Space.Flush()
	})
	return nil
}
