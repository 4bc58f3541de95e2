package runs

import (
	"cmp"
	"context"
	"errors"

	"weft/backend/acp"
	"weft/backend/agentproc"
	"weft/backend/store/spaces"
)

// Load continues a session that the space's agent has kept from elsewhere: what the agent
// replays of it (session/load) is folded into the space. It blocks until the replay is over and
// committed; prompts that are sent meanwhile wait. Errors: busy while a turn is in progress,
// unsupported, and those of starting an agent.
func (ss Sessions) Load(ctx context.Context, spaceID, sessionID string) error {
	return ss.loading(ctx, spaceID, func(l *liveSession, ctx context.Context) error { return l.load(ctx, sessionID) })
}

// loading opens a session again, while prompts that are sent wait.
func (ss Sessions) loading(ctx context.Context, spaceID string, open openFunc) error {
	s, err := ss.m.session(ctx, spaceID, "")
	if err != nil {
		return err
	}
	err = s.opens(ctx, toLoad, open)
	return cmp.Or(err, s.Settled(ctx))
}

// load initializes the connection and loads session id, folding what is replayed.
func (l *liveSession) load(ctx context.Context, id string) error {
	if err := l.initialize(ctx); err != nil {
		return err
	}
	if !l.caps.Capabilities.LoadSession {
		return &Error{Code: "unsupported", Message: l.config.Name + " cannot load earlier sessions."}
	}
	l.s.Lock()
	l.s.turns.Replay()
	l.known(id)
	l.s.Unlock()
	res, err := l.opener().Load(ctx, id, l.replay)
	if errors.Is(err, acp.ErrSessionTaken) {
		return &agentproc.ExclusiveError{Err: err}
	}
	if err != nil {
		l.wantsSignIn(err)
		return err
	}
	l.s.Lock()
	l.sessionState(res)
	l.settle()
	l.s.Unlock()
	return l.s.m.opt.Store.Sessions.Add(ctx, spaces.Session{SpaceID: l.s.space.ID, MemberID: l.s.member.ID, AgentID: l.config.ID, SessionID: id, Cwd: l.s.space.Folder, CreatedAt: l.s.m.now()})
}
