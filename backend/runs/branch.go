package runs

import (
	"context"

	"weft/backend/sessionoptions"
	"weft/backend/store/spaces"
)

// fork opens a copy of the session of the space that this one branched from, where the agent makes copies and that
// session still stands where the branch began. It reports false where there is none to be had.
func (l *liveSession) fork(ctx context.Context) (bool, error) {
	if !l.caps.Capabilities.ForkSession {
		return false, nil
	}
	from, ok, err := l.s.m.opt.Store.Sessions.ToFork(ctx, l.s.space.ID, l.s.member.ID, l.config.ID)
	if err != nil || !ok || from.Cwd != l.s.space.Folder {
		return false, err
	}
	l.s.Lock()
	l.updates.Discard()
	l.s.Unlock()
	defer l.endDiscard()
	res, ok, err := l.opener().Fork(ctx, from.SessionID)
	if err != nil || !ok {
		l.wantsSignIn(err)
		return false, err
	}
	l.s.Lock()
	l.known(res.SessionID)
	l.sessionState(res)
	l.s.Unlock()
	// It is kept at once: later, the other session will stand elsewhere.
	if err := l.s.m.opt.Store.Sessions.Add(ctx, spaces.Session{SpaceID: l.s.space.ID, MemberID: l.s.member.ID, AgentID: l.config.ID, SessionID: res.SessionID, Cwd: from.Cwd, CreatedAt: l.s.m.now()}); err != nil {
		return false, err
	}
	l.restore(ctx)
	return true, nil
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
