package runs

import (
	"context"

	"weft/backend/acpsession"
	"weft/backend/store/spaces"
	"weft/backend/transcript"
)

// expectNews prepares for a replay. What is told while a turn is in progress is never new: it would stand behind its prompt.
func (l *liveSession) expectNews(ctx context.Context) error {
	texts, err := l.s.m.opt.Store.Pages.Prompts(ctx, l.s.space.ID, acpsession.MaxPrompt)
	if err != nil {
		return err
	}
	n := acpsession.NewNews(texts)
	l.s.Lock()
	defer l.s.Unlock()
	if l.s.run == nil {
		l.updates.Expect(n)
	}
	return nil
}

// isNews reports whether an update of a replay must be folded. The lock is held.
func (l *liveSession) isNews(u *transcript.Update) bool {
	isNew, first := l.updates.Next(u, l.s.run != nil)
	if first {
		l.s.turns.Replay()
	}
	return isNew
}

// endDiscard ends a replay that was not folded, or only in part.
func (l *liveSession) endDiscard() {
	l.s.Lock()
	defer l.s.Unlock()
	if l.updates.Replayed(l.s.run != nil) {
		l.s.turns.EndReplay()
		l.s.Flush()
	}
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
	return ss.loading(ctx, spaceID, func(l *liveSession, ctx context.Context) error { return l.catchUp(ctx, last) })
}

// catchUp initializes the connection and loads the session of the space. Where the agent refuses, the session stays for a resume.
func (l *liveSession) catchUp(ctx context.Context, se spaces.Session) error {
	if err := l.initialize(ctx); err != nil {
		return err
	}
	if !l.caps.Capabilities.LoadSession {
		return &Error{Code: "unsupported", Message: l.config.Name + " cannot load earlier sessions."}
	}
	l.s.Lock()
	l.updates.Discard()
	l.known(se.SessionID)
	l.s.Unlock()
	defer l.endDiscard()
	if err := l.expectNews(ctx); err != nil {
		return err
	}
	res, err := l.opener().Load(ctx, se.SessionID, l.replay)
	if err != nil {
		l.wantsSignIn(err)
		return err
	}
	l.s.Lock()
	l.sessionState(res)
	l.s.Unlock()
	l.restore(ctx)
	return nil
}
