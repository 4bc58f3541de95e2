package runs

import (
	"context"
	"slices"
	"strings"

	"weft/backend/store/spaces"
	"weft/backend/transcript"
)

// news finds what of a replay is not in the space yet. A replay that tells the person's prompts just as the
// space has them, and then others, has gone on elsewhere: from the first of those on it is new. Of one that tells anything else
// nothing is.
type news struct {
	prompts []string // of the space, oldest first, as [plain] has them
	at      int      // so many were told

	prompt  strings.Builder // that is being told
	telling bool
	begun   bool
	lost    bool // the replay is of something else
}

// maxPrompt is how much of a prompt is compared, in bytes.
const maxPrompt = 64 << 10

// next takes the next update of the replay and reports whether it is new.
func (n *news) next(u *transcript.Update) bool {
	switch {
	case n.lost || n.begun:
	case u.Kind == transcript.UpdateUser && !n.telling && n.at == len(n.prompts):
		n.begun = true
	case u.Kind == transcript.UpdateUser:
		n.telling = true
		if u.Block == nil && n.prompt.Len() < maxPrompt {
			n.prompt.WriteString(u.Text)
		}
	case n.telling:
		n.lost = plain(n.prompt.String()) != n.prompts[n.at]
		n.prompt.Reset()
		n.telling = false
		n.at++
	}
	return n.begun && !n.lost
}

// plain is a prompt without what an agent may change of it.
func plain(text string) string {
	return strings.Join(strings.Fields(transcript.WithoutTold(text)), " ")
}

// expectNews prepares for a replay. What is told while a turn is in progress is never new: it would stand behind its prompt.
func (l *link) expectNews(ctx context.Context) error {
	texts, err := l.s.m.opt.Store.Pages.Prompts(ctx, l.s.space.ID, maxPrompt)
	if err != nil {
		return err
	}
	n := &news{}
	for _, text := range texts {
		n.prompts = append(n.prompts, plain(text))
	}
	l.s.Lock()
	defer l.s.Unlock()
	if l.s.run == nil && len(n.prompts) > 0 && !slices.Contains(n.prompts, "") {
		l.news = n
	}
	return nil
}

// isNews reports whether an update of a replay is to be folded. The lock is held.
func (l *link) isNews(u *transcript.Update) bool {
	if l.news == nil || l.s.run != nil {
		l.news = nil
		return false
	}
	was := l.news.begun
	if !l.news.next(u) {
		return false
	}
	if !was {
		l.s.turns.Replay()
	}
	return true
}

// endDiscard ends a replay that was not folded, or only in part.
func (l *link) endDiscard() {
	l.s.Lock()
	defer l.s.Unlock()
	l.discard = false
	if l.news != nil && l.news.begun && l.s.run == nil {
		l.s.turns.EndReplay()
		l.s.flush()
	}
	l.news = nil
}

// CatchUp has the agent of a space replay its session (session/load), and adds what was said elsewhere since, where it can
// be told apart. It blocks until the replay is over and does nothing while a turn is in progress, or where the agent cannot, or the
// space goes on in another session. Errors are those of starting an agent.
func (m *Manager) CatchUp(ctx context.Context, spaceID, sessionID string) error {
	space, err := m.opt.Space(ctx, spaceID)
	if err != nil {
		return err
	}
	member, _ := space.Member("")
	last, ok, err := m.opt.Store.Sessions.Last(ctx, spaceID, member.ID, member.AgentID)
	if err != nil || !ok || last.SessionID != sessionID || last.Cwd != space.Folder || len(m.State(spaceID).Runs) > 0 {
		return err
	}
	return m.loading(ctx, spaceID, func(l *link, ctx context.Context) error { return l.catchUp(ctx, last) })
}

// catchUp initializes the connection and loads the session of the space. Where the agent refuses, the session stays for a resume.
func (l *link) catchUp(ctx context.Context, se spaces.Session) error {
	if err := l.initialize(ctx); err != nil {
		return err
	}
	if !l.caps.Capabilities.LoadSession {
		return &Error{Code: "unsupported", Message: l.config.Name + " cannot load earlier sessions."}
	}
	l.s.Lock()
	l.discard = true
	l.known(se.SessionID)
	l.s.Unlock()
	defer l.endDiscard()
	if err := l.expectNews(ctx); err != nil {
		return err
	}
	res, err := l.loadSession(ctx, se.SessionID)
	if err != nil {
		return err
	}
	l.s.Lock()
	l.sessionState(res)
	l.s.Unlock()
	l.restore(ctx)
	return nil
}
