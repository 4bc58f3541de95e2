package runs

import (
	"context"

	"weft/backend/permission"
	"weft/backend/store"
	"weft/backend/transcript"
)

// guard refuses what an agent asks Weft itself to do (files now) where the space's mode or a reject rule
// forbids it. It is called without the session's mutex; mode is the space's when the agent asked.
func (l *link) guard(mode permission.Mode, c *permission.Call) error {
	sub := permission.Describe(c, l.s.place())
	d := l.s.m.opt.Rules().Decide(sub, mode)
	if d.Verdict != permission.Rejected {
		return nil
	}
	r, _ := (&ask{}).decided(d)
	note := store.Decision{
		At: l.s.m.now(), SpaceID: l.s.space.ID, AgentID: l.config.ID, AgentName: l.config.Name,
		Kind: sub.Kind, Title: c.Title, About: sub.About(),
	}
	decide(&note, r, "")
	if err := l.s.m.opt.Store.AddDecision(context.Background(), note); err != nil {
		l.s.m.opt.Log.Warn().Err(err).Str("space", l.s.space.ID).Msg("a refusal could not be noted")
	}
	return refusal(r.By)
}

func refusal(by *transcript.By) error {
	if by.Who == "mode" {
		return &Error{Code: "read_only", Message: "This space is read-only, so nothing was changed. The person can change that below the prompt."}
	}
	return &Error{Code: "refused", Message: "A rule of the person refuses this, so it was not done."}
}
