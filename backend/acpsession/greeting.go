package acpsession

import (
	"context"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp/scan"
	"weft/backend/transcript"
)

// How long an agent may take with what it says by itself once it has opened a session, such as its banner.
const (
	greetingQuiet = 250 * time.Millisecond // without an update, after which nothing follows
	greetingMost  = time.Second            // in all
)

// greeting is what an agent says by itself in a session that it has just opened. It belongs to whoever has the lock of the space.
type greeting struct {
	opened time.Time       // when the session was opened
	texts  map[string]bool // that it has put into its answer, and may say besides
}

// opens begins with the answer of the agent that has opened the session.
func (g *greeting) opens(answer jsontext.Value) {
	g.opened, g.texts = time.Now(), map[string]bool{}
	g.add(scan.Member(answer, "_meta"), 0)
}

// add adds the texts of a value. A word may be anything, also in an answer.
func (g *greeting) add(v []byte, depth int) {
	const deepest, shortest, most = 4, 8, 100
	if text, ok := scan.Text(v); ok && len(text) >= shortest && strings.ContainsAny(text, " \n") && len(g.texts) < most {
		g.texts[text] = true
	}
	if depth == deepest || len(v) == 0 {
		return
	}
	switch v[0] {
	case '{':
		for _, member := range scan.Fields(v) {
			g.add(member, depth+1)
		}
	case '[':
		for _, element := range scan.Elements(v) {
			g.add(element, depth+1)
		}
	}
}

// Greets reports whether an update is a text that the agent had put into its answer when it opened the session. Each is said once, before anything else.
// The lock is held.
func (s *Session) Greets(u *transcript.Update) bool {
	if len(s.greeting.texts) == 0 || u.Kind == transcript.UpdateState || u.Kind == transcript.UpdateUser {
		return false
	}
	greets := u.Kind == transcript.UpdateText && u.Block == nil && s.greeting.texts[u.Text]
	if greets {
		delete(s.greeting.texts, u.Text)
	} else {
		s.greeting.texts = nil
	}
	return greets
}

// AwaitGreeting blocks until the agent has sent nothing for a moment in a session that it has just opened, so that what it says by itself isn't taken for
// an answer; or until ctx ends. It doesn't block where the session was opened before. The lock isn't held.
func (s *Session) AwaitGreeting(ctx context.Context) {
	var opened time.Time
	s.opt.Space.Step(func() { opened = s.greeting.opened })
	if s.opt.Config.Own() {
		return // it says nothing by itself
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	<-timer.C
	for since := opened; time.Since(opened) < greetingMost && time.Since(since) < greetingQuiet; {
		heard := s.Replay.Heard()
		timer.Reset(greetingQuiet - time.Since(since))
		select {
		case <-timer.C:
		case <-ctx.Done():
			return
		}
		if s.Replay.Heard() != heard {
			since = time.Now()
		}
	}
}
