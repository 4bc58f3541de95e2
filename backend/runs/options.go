package runs

import (
	"cmp"
	"context"
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/agentauth"
	"weft/backend/failure"
	"weft/backend/owner"
	"weft/backend/sessionoptions"
	"weft/backend/transcript"
)

// offerChanged tells what the session offers now, if that is news. The lock is held.
func (s *Session) offerChanged(l *liveSession) {
	if s.options.Settled() {
		s.tellOffer(l, false)
		l.optionsChanged()
		if !l.adjusts.pending {
			l.adjusted() // nothing that it offers now is what the space needs
		}
	}
}

// tellOffer is offerChanged, also before the options are settled: then they stay what they were. The lock is held.
func (s *Session) tellOffer(l *liveSession, signIn bool) {
	about := sessionoptions.Offered{
		AgentID: l.config.ID, Can: sessionoptions.CanOf(l.session.About.Capabilities), Auth: agentauth.Methods(l.config, l.session.About.AuthMethods), SignIn: signIn, Servers: l.session.Servers.All(),
	}
	news, err := s.options.Offer(about, l.session.About.Raw != nil)
	if err != nil {
		s.m.opt.Log.Error().Err(err).Msg("what a session offers cannot be written")
	}
	if news.Model != nil {
		s.turns.Model = *news.Model
	}
	if news.State != nil {
		s.Box.SetState(transcript.StateSession, s.member.ID, news.State)
	}
}

// Choose sets an option of a member's session ("": of the default member), starting the agent if need be, and blocks until the
// agent has taken it. Errors: not_found where the agent does not offer the option, invalid where
// it does not offer the value, refused, those of the store, and those of starting an agent.
func (ss Sessions) Choose(ctx context.Context, spaceID, memberID, optionID string, value jsontext.Value) error {
	s, err := ss.m.session(ctx, spaceID, memberID)
	if err != nil {
		return err
	}
	l, err := s.life.Session(ctx)
	if err != nil {
		return err
	}
	l.require()
	return cmp.Or(ss.chooseIn(ctx, l, optionID, value), s.Settled(ctx))
}

// chooseIn is [Sessions.Choose] for a session that is open.
func (ss Sessions) chooseIn(ctx context.Context, l *liveSession, optionID string, value jsontext.Value) error {
	s := l.s
	s.Lock()
	option := s.options.Find(optionID)
	breaks := option != nil && s.options.Breaks(option, value)
	s.Unlock()
	if err := s.Do(owner.Command{Final: true, Change: func() (then, undo func(), err error) { return nil, nil, nil }}); err != nil {
		return err // what the agent has been told can't be taken back
	}
	if option == nil {
		return newError("not_found", "{{agent}} no longer offers this.", l.config.Name)
	}
	if !option.Offers(value) {
		return newError("invalid", "{{agent}} doesn't offer this value for {{name}}.", l.config.Name, option.Name)
	}
	if breaks {
		return newError("refused", "{{agent}} would act without asking. This space is read-only, or a rule rejects what it could do, so it has to ask.", l.config.Name)
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
