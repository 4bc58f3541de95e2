package runs

import (
	"context"

	"github.com/go-json-experiment/json"

	"weft/backend/sessionoptions"
	"weft/backend/store/spaces"
	"weft/backend/transcript"
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
func (m *Manager) Offers(ctx context.Context, spaceID, memberID, agentID string) (sessionoptions.Can, error) {
	snap, err := m.opt.Store.Pages.Snapshot(ctx, spaceID, 1)
	if err != nil {
		return sessionoptions.Can{}, err
	}
	raw, err := m.stored(ctx, snap, transcript.StateSession.Of(memberID))
	var was sessionoptions.Offered
	if err != nil || raw == nil || json.Unmarshal(raw, &was) != nil || was.AgentID != agentID {
		return sessionoptions.Can{}, err
	}
	return was.Can, nil
}

// PrepareBranch has the agent of a branch copy the session that the branch came from, if it makes copies and there is one. It blocks until that is done.
func (m *Manager) PrepareBranch(ctx context.Context, spaceID string) error {
	space, err := m.opt.Space(ctx, spaceID)
	if err != nil {
		return err
	}
	member, _ := space.Member("")
	can, err := m.Offers(ctx, spaceID, member.ID, member.AgentID)
	if err != nil || !can.Fork {
		return err
	}
	if _, ok, err := m.opt.Store.Sessions.ToFork(ctx, spaceID, member.ID, member.AgentID); err != nil || !ok {
		return err
	}
	return m.Prepare(ctx, spaceID, member.ID)
}
