package runs

import (
	"cmp"
	"context"

	"weft/backend/lifecycle"
	"weft/backend/sessionoptions"
)

// Load continues a session that the space's agent has kept from elsewhere: what the agent replays of it (session/load) is folded into the space. It blocks
// until the replay is over and committed; prompts that are sent meanwhile wait. Errors: busy while a turn is in progress, unsupported, and those of
// starting an agent.
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

// Offers returns what the agent of a member can do, as it last said it; nothing if it has never run in the space.
func (ss Sessions) Offers(ctx context.Context, spaceID, memberID, agentID string) (sessionoptions.Can, error) {
	was, err := ss.m.saved.State(ctx, spaceID)
	if err != nil {
		return sessionoptions.Can{}, err
	}
	return was.Offered(ctx, memberID, agentID)
}

// PrepareBranch has the agent of a branch copy the session that the branch came from, if it makes copies and there is one. It blocks until that is done.
func (ss Sessions) PrepareBranch(ctx context.Context, spaceID string) error {
	space, err := ss.m.opt.Space(ctx, spaceID)
	if err != nil {
		return err
	}
	member, _ := space.Member("")
	can, err := ss.Offers(ctx, spaceID, member.ID, member.AgentID)
	if err != nil || !can.Fork {
		return err
	}
	if _, ok, err := ss.m.opt.Store.Sessions.ToFork(ctx, spaceID, member.ID, member.AgentID); err != nil || !ok {
		return err
	}
	return ss.Prepare(ctx, spaceID, member.ID)
}
