package acpsession

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/rs/zerolog"

	"weft/backend/acp"
	"weft/backend/sessionoptions"
)

// optionSetter sets the options of a session: back to what they were when it is opened, and to what the user chooses.
type optionSetter struct {
	agent   Agent // nil until the session has joined a process
	agentID string
	space   Space
	offered *sessionoptions.Options // belongs to whoever has the lock of the space
	log     zerolog.Logger
}

// restore sets the options of a session that was just opened to what they should be.
func (o *optionSetter) restore(ctx context.Context, sessionID string) {
	o.adjust(ctx, sessionID)
	if ctx.Err() != nil {
		return // it is given up, and what was wanted stays so for the next
	}
	o.space.Step(func() {
		o.settle()
		o.space.Flush()
	})
}

// adjust sets the options that are not what they should be: what is wanted, or what the space needs. It blocks until the agent has answered; the lock isn't held.
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
			o.log.Warn().Err(err).Str("agent", o.agentID).Str("option", s.Option.ID).Msg("an option of the session could not be set")
			if ctx.Err() != nil {
				return
			}
			o.space.Step(func() { o.offered.Refused(s, said(err)) })
		}
	}
}

// said returns what an agent says of an option that it doesn't set.
func said(err error) string {
	var refused *acp.RPCError
	if errors.As(err, &refused) {
		return refused.Message
	}
	return err.Error()
}

// settle takes over the options of a session that is open as those that are in force. One that was given up leaves them for the next. The lock is held.
func (o *optionSetter) settle() {
	if o.space.Current() {
		o.offered.Settle()
		o.space.Offers(false)
	}
}

// set sets an option and takes over what the agent says of it. It blocks until the agent has answered; the lock isn't held.
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
			o.space.Offers(false)
		}
		o.space.Flush()
	})
	return nil
}

// Choose sets an option and takes over what the agent says of it. It blocks until the agent has taken it, for as long as [Opener] has it; the lock isn't held.
// Errors: those of the agent.
func (s *Session) Choose(ctx context.Context, option acp.Option, value jsontext.Value) error {
	var setting *sessionoptions.Setting
	s.opt.Space.Step(func() { setting = s.opt.Offered.Setting(option, value) })
	err := s.options.set(ctx, s.ID(), setting)
	if err != nil {
		s.opt.Space.Step(func() { s.opt.Offered.Refused(setting, said(err)) })
	}
	return err
}

// Adjust sets the options of a session that is open to what they should be. It blocks until the agent has answered; the lock isn't held.
func (s *Session) Adjust(ctx context.Context) { s.options.adjust(ctx, s.ID()) }
