package runs

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/agent/agentauth"
	"weft/backend/agent/failure"
	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
	"weft/backend/space/owner"
	"weft/backend/space/sessionoptions"
)

// offerChanged publishes the session's options if they have changed, and resets those with a wrong value. The lock is
// held.
func (s *Session) offerChanged(l *liveSession) {
	if s.options.Settled() {
		s.publishOptions(l, false)
		l.optionsChanged()
		if !l.adjusts.pending {
			l.adjusted() // no option needs to be set, or none helps
		}
	}
}

// publishOptions publishes the session's options, capabilities and sign-in methods if they have changed. Before the
// options are settled, it publishes the previous options. The lock is held.
func (s *Session) publishOptions(l *liveSession, signIn bool) {
	about := sessionoptions.Offered{
		AgentID: l.config.ID, Can: sessionoptions.CanOf(l.session.About.Capabilities), Auth: agentauth.Methods(l.config, l.session.About.AuthMethods), SignIn: signIn, Servers: l.session.Servers.All(),
	}
	news, err := s.options.Offer(about, l.session.About.Raw != nil)
	if err != nil {
		s.m.opt.Log.Error().Err(err).Msg("couldn't encode the options of a session")
	}
	if news.Model != nil {
		s.turns.Model = *news.Model
	}
	if news.State != nil {
		s.Box.SetState(transcript.StateSession, s.member().ID, news.State)
	}
}

// Choose sets an option in the session of a member ("": the default member). It starts the agent if necessary and
// blocks until the agent has answered. Errors: not_found if there is no such option, invalid if the option doesn't have
// the value, refused, those of the store, and those of starting an agent.
func (ss Sessions) Choose(ctx context.Context, spaceID, memberID, optionID string, value jsontext.Value) error {
	s, err := ss.m.session(ctx, spaceID, memberID)
	if err != nil {
		return err
	}
	l, err := s.life.Session(ctx)
	if err != nil {
		return err
	}
	l.updateRequirements()
	if err := ss.chooseIn(ctx, l, optionID, value); err != nil {
		return err // at once: on a full disk, events that wait to be stored would hold it up
	}
	return s.Settled(ctx)
}

// chooseIn is [Sessions.Choose] for an open session.
func (ss Sessions) chooseIn(ctx context.Context, l *liveSession, optionID string, value jsontext.Value) error {
	s := l.s
	s.Lock()
	option := s.options.Find(optionID)
	breaks, why := option != nil && s.options.Breaks(option, value), l.why
	s.Unlock()
	if err := s.Do(owner.Command{Final: true, Change: func() (then, undo func(), err error) { return nil, nil, nil }}); err != nil {
		return err // fail before the agent gets a request that can't be undone
	}
	if option == nil {
		return newError("not_found", "{{agent}} no longer offers this.", l.config.Name)
	}
	if !option.Offers(value) {
		return newError("invalid", "{{agent}} doesn't offer this value for {{name}}.", l.config.Name, option.Name)
	}
	if breaks {
		return fault.Saying("refused", why.Forbids(l.config.Name))
	}
	var takeBack func()
	s.Step(func() { takeBack = s.options.Choose(optionID, value) })
	if err := l.session.Choose(ctx, *option, value); err != nil {
		s.Step(takeBack)
		l.session.CheckSignIn(err)
		var refused *acp.RPCError
		if errors.As(err, &refused) && !errors.Is(err, acp.ErrAuthRequired) {
			return newError("refused", "{{agent}} didn't accept this value for {{name}}: {{reason}}", l.config.Name, option.Name, failure.WithPeriod(refused.Message)).Because(err)
		}
		return err
	}
	return ss.m.notes.Choose(ctx, l.config.ID, optionID, value)
}
