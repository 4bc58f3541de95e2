package acpsession

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/rs/zerolog"

	"weft/backend/acp"
	"weft/backend/space/sessionoptions"
)

// optionSetter sets the options of a session: it restores them when the session is opened and sets those that the user
// chooses.
type optionSetter struct {
	agent   Agent // nil until the session has joined a process
	agentID string
	space   Space
	offered *sessionoptions.Options // guarded by the lock of the space
	log     zerolog.Logger
}

// restore sets the options of a just opened session to the wanted values.
func (o *optionSetter) restore(ctx context.Context, sessionID string) {
	o.adjust(ctx, sessionID)
	if ctx.Err() != nil {
		return // the next session restores them
	}
	o.space.Step(func() {
		o.settle()
		o.space.Flush()
	})
}

// adjust sets all options that differ from what the user wants or the space requires. It blocks until the agent has
// answered; the lock isn't held.
func (o *optionSetter) adjust(ctx context.Context, sessionID string) {
	for tried := map[string]bool{}; ; {
		var s *sessionoptions.Setting
		o.space.Step(func() {
			if o.space.Current() {
				s = o.offered.Next(tried)
			}
		})
		if s == nil {
			return
		}
		if err := o.set(ctx, sessionID, s); err != nil {
			o.log.Warn().Err(err).Str("agent", o.agentID).Str("option", s.Option.ID).Msg("couldn't set an option of the session")
			if ctx.Err() != nil {
				return
			}
			o.space.Step(func() { o.offered.Refused(s, reason(err)) })
		}
	}
}

// reason returns the agent's message for an option that it refused.
func reason(err error) string {
	var refused *acp.RPCError
	if errors.As(err, &refused) {
		return refused.Message
	}
	return err.Error()
}

// settle makes the session's current options the member's, unless another session has replaced this one. The lock is
// held.
func (o *optionSetter) settle() {
	if o.space.Current() {
		o.offered.Settle()
		o.space.PublishOptions(false)
	}
}

// set sets an option and applies the agent's response. It blocks until the agent has answered; the lock isn't held.
func (o *optionSetter) set(ctx context.Context, sessionID string, s *sessionoptions.Setting) error {
	list, err := o.agent.Choose(ctx, sessionID, s.Option, s.Value)
	if err != nil {
		return err
	}
	o.space.Step(func() {
		if !o.space.Current() {
			return
		}
		o.offered.Took(s, list)
		if o.offered.Settled() {
			o.space.PublishOptions(false)
		}
		o.space.Flush()
	})
	return nil
}

// Choose sets an option that the user chose and applies the agent's response. It blocks until the agent has answered,
// at most Opener.Limit; the lock isn't held. Errors: those of the agent.
func (s *Session) Choose(ctx context.Context, option acp.Option, value jsontext.Value) error {
	var setting *sessionoptions.Setting
	s.opt.Space.Step(func() { setting = s.opt.Offered.Setting(option, value) })
	err := s.options.set(ctx, s.ID(), setting)
	if err != nil {
		s.opt.Space.Step(func() { s.opt.Offered.Refused(setting, reason(err)) })
	}
	return err
}

// Adjust sets all options of the open session that differ from what the user wants or the space requires. It blocks
// until the agent has answered; the lock isn't held.
func (s *Session) Adjust(ctx context.Context) { s.options.adjust(ctx, s.ID()) }
