package runs

import (
	"cmp"
	"context"

	"weft/backend/space/lifecycle"
	"weft/backend/space/sessionoptions"
)

// Load imports a session that was started in another program: the agent replays it (session/load), and the replay is
// folded into the space. It blocks until the replay is committed; prompts sent meanwhile wait. Errors: busy while a
// turn is in progress, unsupported, and those of starting an agent.
func (ss Sessions) Load(ctx context.Context, spaceID, sessionID string) error {
	return ss.loading(ctx, spaceID, func(l *liveSession, ctx context.Context) error { return l.session.Load(ctx, sessionID) })
}

// loading reopens the session with open. Prompts sent meanwhile wait.
func (ss Sessions) loading(ctx context.Context, spaceID string, open func(*liveSession, context.Context) error) error {
	s, err := ss.m.session(ctx, spaceID, "")
	if err != nil {
		return err
	}
	err = s.life.Open(ctx, lifecycle.ToLoad, open)
	return cmp.Or(err, s.Settled(ctx))
}

// CatchUp adds messages that were added to the session in another program: the agent replays the session
// (session/load), and the new part is folded into the space. It blocks until the replay is committed. It does nothing
// while a turn is in progress, or if sessionID is no longer the last session of the space. Errors: those of
// [acpsession.Session.CatchUp] and of starting an agent.
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

// Offers returns the last known capabilities of a member's agent. They are zero if it has never run in the space.
func (ss Sessions) Offers(ctx context.Context, spaceID, memberID, agentID string) (sessionoptions.Can, error) {
	was, err := ss.m.saved.State(ctx, spaceID)
	if err != nil {
		return sessionoptions.Can{}, err
	}
	return was.Offered(ctx, memberID, agentID)
}

// PrepareBranch opens the session of a branch as a copy of the original session, if there is one and the agent supports
// it. It blocks until then.
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
