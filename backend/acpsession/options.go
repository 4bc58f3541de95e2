package acpsession

import (
	"context"

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

// restore sets the options of a session that was just opened back to what they were.
func (o *optionSetter) restore(ctx context.Context, sessionID string) {
	for tried := map[string]bool{}; ; {
		var option *acp.Option
		var value jsontext.Value
		o.space.Step(func() { option, value = o.offered.NextToRestore(tried) })
		if option == nil {
			break
		}
		if err := o.choose(ctx, sessionID, *option, value); err != nil {
			o.log.Warn().Err(err).Str("agent", o.agentID).Str("option", option.ID).Msg("an option of the session could not be restored")
			if ctx.Err() != nil {
				break
			}
		}
	}
	o.space.Step(func() {
		o.settle()
		o.space.Flush()
	})
}

// settle takes over the options of a session that is open as those that are in force. One that was given up leaves them for the next. The lock is held.
func (o *optionSetter) settle() {
	if o.space.Current() {
		o.offered.Settle()
		o.space.Offers(false)
	}
}

// choose sets an option and takes over what the agent says of it. It blocks until the agent has answered; the lock isn't held.
func (o *optionSetter) choose(ctx context.Context, sessionID string, option acp.Option, value jsontext.Value) error {
	list, err := o.agent.Choose(ctx, sessionID, option, value)
	if err != nil {
		return err
	}
	o.space.Step(func() {
		if !o.space.Current() {
			return
		}
		o.offered.Set(option, value, list)
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
	return s.options.choose(ctx, s.ID(), option, value)
}
