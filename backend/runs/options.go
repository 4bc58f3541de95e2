package runs

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/agentauth"
	"weft/backend/failure"
	"weft/backend/sessionservers"
	"weft/backend/store/pages"
	"weft/backend/transcript"
)

// Offered is what a space's session offers, as the space's state has it.
type Offered struct {
	AgentID string       `json:"agentId"`
	Options []acp.Option `json:"options"`
	Can     Can          `json:"can"`
	// Auth is how the user can sign in; SignIn is true if the agent wants that before it continues.
	Auth   []agentauth.Method `json:"auth"`
	SignIn bool               `json:"signIn,omitzero"`
	// Servers is what became of the user's MCP servers.
	Servers []sessionservers.Handed `json:"servers"`
	// PickedMode is the mode that the user chose, "" where the agent chose the one that is in force.
	PickedMode string `json:"pickedMode,omitzero"`
}

// Can is what the agent can do besides answering text.
type Can struct {
	Image    bool `json:"image,omitzero"` // prompts may carry images
	Audio    bool `json:"audio,omitzero"`
	Embedded bool `json:"embedded,omitzero"` // prompts may carry the text of files
	Fork     bool `json:"fork,omitzero"`
	Delete   bool `json:"delete,omitzero"` // sessions that it has kept
	List     bool `json:"list,omitzero"`
	Load     bool `json:"load,omitzero"`
	Logout   bool `json:"logout,omitzero"`
}

func canOf(c acp.AgentCapabilities) Can {
	return Can{
		Image: c.Image, Audio: c.Audio, Embedded: c.EmbeddedContext,
		Fork: c.ForkSession, Delete: c.DeleteSession, List: c.ListSessions, Load: c.LoadSession, Logout: c.Logout,
	}
}

// maxRestored is how many options are set back when a session is opened.
const maxRestored = 32

// choices are values of options by id.
type choices map[string]jsontext.Value

// storedOffer returns what the member's session last offered with its agent, nil if nothing was, and
// what was in force then: or else what the user last chose for the agent anywhere.
func (m *Manager) storedOffer(ctx context.Context, member Member, snap *pages.Snapshot) (offered []byte, c, picked choices, err error) {
	raw, err := m.stored(ctx, snap, transcript.StateSession.Of(member.ID))
	if err != nil {
		return nil, nil, nil, err
	}
	var was Offered
	if raw != nil && json.Unmarshal(raw, &was) == nil && was.AgentID == member.AgentID && len(was.Options) > 0 {
		return raw, chosenIn(was.Options), pickedIn(was), nil
	}
	c, err = m.notes.Choices(ctx, member.AgentID)
	return nil, c, maps.Clone(c), err
}

func chosenIn(options []acp.Option) choices {
	c := choices{}
	for _, o := range options {
		c[o.ID] = o.Current
	}
	return c
}

// restore sets the options of a session that was just opened back to what they were. Setting one
// may change what others offer, so that each is looked at again.
func (l *link) restore(ctx context.Context) {
	tried := map[string]bool{}
	for len(tried) < maxRestored {
		l.s.Lock()
		option, value := l.differing(tried)
		l.s.Unlock()
		if option == nil {
			break
		}
		tried[option.ID] = true
		if err := l.choose(ctx, *option, value); err != nil {
			l.s.m.opt.Log.Warn().Err(err).Str("agent", l.config.ID).Str("option", option.ID).Msg("an option of the session could not be restored")
			if ctx.Err() != nil {
				break
			}
		}
	}
	l.s.Lock()
	defer l.s.Unlock()
	if l.s.link != l {
		return // it was given up: the next session gets the options back
	}
	l.settled = true
	l.s.offerChanged(l)
	l.s.flush()
}

// differing returns an option that is not what it was, if the agent offers that value. The lock is held.
func (l *link) differing(tried map[string]bool) (*acp.Option, jsontext.Value) {
	for _, o := range l.s.offer.List() {
		want, ok := l.s.chosen[o.ID]
		if ok && !tried[o.ID] && !o.Is(want) && o.Offers(want) {
			return &o, want
		}
	}
	return nil, nil
}

// choose sets an option and takes over what the agent says of it.
func (l *link) choose(ctx context.Context, option acp.Option, value jsontext.Value) error {
	cctx, cancel := context.WithTimeout(ctx, l.s.m.opt.Limits.Session)
	defer cancel()
	list, err := l.conn.Choose(cctx, l.acpID, option, value)
	if err != nil {
		return err
	}
	l.s.Lock()
	defer l.s.Unlock()
	if l.s.link != l {
		return nil
	}
	switch {
	case list != nil:
		l.s.offer.SetConfig(list)
	default:
		l.s.offer.Set(option, value)
	}
	l.s.offerChanged(l)
	l.s.flush()
	return nil
}

// offerChanged tells what the session offers now, if that is news. The lock is held.
func (s *Session) offerChanged(l *link) {
	if l.settled {
		s.tellOffer(l, false)
	}
}

// tellOffer is offerChanged, also before the options are settled: then they stay what they were.
func (s *Session) tellOffer(l *link, signIn bool) {
	var was Offered
	_ = json.Unmarshal(s.offered, &was) // there may be none yet
	now := Offered{PickedMode: s.pickedMode(), AgentID: l.config.ID, Options: was.Options, Can: canOf(l.caps.Capabilities), Auth: agentauth.Methods(l.config, l.caps.AuthMethods), SignIn: signIn, Servers: l.handed}
	if l.caps.Raw == nil { // it has not said yet what it can do
		now.Can, now.Servers = was.Can, was.Servers
	}
	if now.Servers == nil {
		now.Servers = []sessionservers.Handed{}
	}
	if l.settled {
		now.Options = s.offer.List()
	}
	if now.Options == nil {
		now.Options = []acp.Option{}
	}
	for _, o := range now.Options {
		if o.Category == "model" || o.ID == "model" {
			s.turns.Model, _ = textOf(o.Current)
		}
	}
	if l.settled {
		s.chosen = chosenIn(now.Options)
	}
	raw, err := json.Marshal(now)
	if err != nil {
		s.m.opt.Log.Error().Err(err).Msg("what a session offers cannot be written")
		return
	}
	if bytes.Equal(raw, s.offered) {
		return
	}
	s.offered = raw
	s.box.SetState(transcript.StateSession, s.member.ID, raw)
}

func textOf(v jsontext.Value) (string, bool) {
	var s string
	err := json.Unmarshal(v, &s)
	return s, err == nil
}

// Choose sets an option of a member's session ("": of the default member), starting the agent if need be, and blocks until the
// agent has taken it. Errors: not_found where the agent does not offer the option, invalid where
// it does not offer the value, refused, those of the store, and those of starting an agent.
func (m *Manager) Choose(ctx context.Context, spaceID, memberID, optionID string, value jsontext.Value) error {
	s, err := m.session(ctx, spaceID, memberID)
	if err != nil {
		return err
	}
	l, err := s.linked(ctx)
	if err != nil {
		return err
	}
	s.Lock()
	var option *acp.Option
	for _, o := range s.offer.List() {
		if o.ID == optionID {
			option = &o
		}
	}
	s.Unlock()
	if err := s.do(command{final: true, change: func() (then, undo func(), err error) { return nil, nil, nil }}); err != nil {
		return err // what the agent has been told can't be taken back
	}
	if option == nil {
		return &Error{Code: "not_found", Message: l.config.Name + " does not offer this any more."}
	}
	if !option.Offers(value) {
		return &Error{Code: "invalid", Message: l.config.Name + " does not offer this value for " + option.Name + "."}
	}
	restore := s.pick(optionID, value)
	if err := l.choose(ctx, *option, value); err != nil {
		restore()
		l.wantsSignIn(err)
		var refused *acp.RPCError
		if errors.As(err, &refused) && !errors.Is(err, acp.ErrAuthRequired) {
			return &Error{Code: "refused", Message: l.config.Name + " did not take this for " + option.Name + ": " + failure.WithPeriod(refused.Message), Err: err}
		}
		return err
	}
	return cmp.Or(m.notes.Choose(ctx, l.config.ID, optionID, value), s.settled(ctx))
}
