package runs

import (
	"cmp"
	"context"

	"weft/backend/lifecycle"
)

// Load continues a session that the space's agent has kept from elsewhere: what the agent
// replays of it (session/load) is folded into the space. It blocks until the replay is over and
// committed; prompts that are sent meanwhile wait. Errors: busy while a turn is in progress,
// unsupported, and those of starting an agent.
func (ss Sessions) Load(ctx context.Context, spaceID, sessionID string) error {
	return ss.loading(ctx, spaceID, func(l *liveSession, ctx context.Context) error { return l.session.Load(ctx, sessionID) })
}

// loading opens a session again, while prompts that are sent wait.
func (ss Sessions) loading(ctx context.Context, spaceID string, open func(*liveSession, context.Context) error) error {
	s, err := ss.m.session(ctx, spaceID, "")
	if err != nil {
		return err
	}
	err = s.life.Open(ctx, lifecycle.ToLoad, open)
	return cmp.Or(err, s.Settled(ctx))
}

// CatchUp has the agent of a space replay its session (session/load), and adds what was said elsewhere since, where it can
// be told apart. It blocks until the replay is over and does nothing while a turn is in progress, or where the agent cannot, or the
// space continues in another session. Errors are those of starting an agent.
func (ss Sessions) CatchUp(ctx context.Context, spaceID, sessionID string) error {
	space, err := ss.m.opt.Space(ctx, spaceID)
	if err != nil {
		return err
	}
	member, _ := space.Member("")
	last, ok, err := ss.m.opt.Store.Sessions.Last(ctx, spaceID, member.ID, member.AgentID)
	if err != nil || !ok || last.SessionID != sessionID || last.Cwd != space.Folder || len(ss.m.State(spaceID).Runs) > 0 {
		return err
	}
	return ss.loading(ctx, spaceID, func(l *liveSession, ctx context.Context) error { return l.session.CatchUp(ctx, sessionID) })
}
