package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"weft/backend/acp"
	"weft/backend/agentproc"
	"weft/backend/quantity"
	"weft/backend/store/spaces"
)

// Load continues a session that the space's agent has kept from elsewhere: what the agent
// replays of it (session/load) is folded into the space. It blocks until the replay is over and
// committed; prompts that are sent meanwhile wait. Errors: busy while a turn is in progress,
// unsupported, and those of starting an agent.
func (m *Manager) Load(ctx context.Context, spaceID, sessionID string) error {
	return m.loading(ctx, spaceID, func(l *link, ctx context.Context) error { return l.load(ctx, sessionID) })
}

// loading opens a session anew, while prompts that are sent wait.
func (m *Manager) loading(ctx context.Context, spaceID string, open openFunc) error {
	s, err := m.session(ctx, spaceID, "")
	if err != nil {
		return err
	}
	err = s.opens(ctx, toLoad, open)
	return cmp.Or(err, s.settled(ctx))
}

// load initializes the connection and loads session id, folding what is replayed.
func (l *link) load(ctx context.Context, id string) error {
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
	res, err := l.loadSession(ctx, id)
	if errors.Is(err, acp.ErrSessionTaken) {
		return &agentproc.ExclusiveError{Err: err}
	}
	if err != nil {
		return err
	}
	l.s.Lock()
	l.sessionState(res)
	l.settled = true
	l.s.offerChanged(l)
	l.s.Unlock()
	return l.s.m.opt.Store.Sessions.Add(ctx, spaces.Session{SpaceID: l.s.space.ID, MemberID: l.s.member.ID, AgentID: l.config.ID, SessionID: id, Cwd: l.s.space.Folder, CreatedAt: l.s.m.now()})
}

// loadSession returns when the agent has loaded the session and its replay has been
// handled. However long that is: it gives up when nothing came for Limits.Session.
func (l *link) loadSession(ctx context.Context, id string) (acp.SessionResult, error) {
	patience, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	l.s.m.tasks.Go(func() {
		tick := time.NewTicker(l.s.m.opt.Limits.Session)
		defer tick.Stop()
		for heard := l.heard.Load(); ; heard = l.heard.Load() {
			select {
			case <-tick.C:
				if l.heard.Load() == heard {
					cancel(context.DeadlineExceeded)
					return
				}
			case <-patience.Done():
				return
			}
		}
	})
	res, err := l.conn.LoadSession(patience, sdk.LoadSessionRequest{SessionId: sdk.SessionId(id), Cwd: l.s.space.Folder, McpServers: l.servers()})
	if err == nil {
		l.awaitReplay(patience)
	}
	return res, l.openError(ctx, err)
}

// openError makes a sentence of a session that was not opened in time. ctx is the
// caller's, which may have given up by itself.
func (l *link) openError(ctx context.Context, err error) error {
	l.wantsSignIn(err)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return &Error{Code: "agent_silent", Message: fmt.Sprintf("%s did not open a session within %s.", l.config.Name, quantity.Seconds(l.s.m.opt.Limits.Session)), Err: err}
	}
	return err
}
