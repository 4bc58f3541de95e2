package acpsession

import (
	"context"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/scan"
	"weft/backend/conversation/transcript"
)

// Some agents send a greeting, such as a banner, after they have opened a session.
const (
	greetingQuiet = 250 * time.Millisecond // the greeting is over after this time without an update
	greetingMost  = time.Second            // maximum total time
)

// greeting recognizes the messages that an agent sends unprompted after opening a session. It is guarded by the lock of
// the space.
type greeting struct {
	opened time.Time       // when the session was opened
	texts  map[string]bool // texts in the result, which the agent may also send as messages
}

// start resets the greeting with the result of opening the session.
func (g *greeting) start(result jsontext.Value) {
	g.opened, g.texts = time.Now(), map[string]bool{}
	g.add(scan.Member(result, "_meta"), 0)
}

// add adds the texts in a value. It skips single words, which could be part of any answer.
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

// IsGreeting reports whether an update is a text that was also in the result of opening the session. Each text counts
// once, and only before any other message. The lock is held.
func (s *Session) IsGreeting(u *transcript.Update) bool {
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

// AwaitGreeting blocks until a just opened session has been quiet for a moment, or ctx ends, so that a greeting isn't
// taken for an answer. If the session was opened more than a second ago, it returns at once. The lock isn't held.
func (s *Session) AwaitGreeting(ctx context.Context) {
	var opened time.Time
	s.opt.Space.Step(func() { opened = s.greeting.opened })
	if s.opt.Config.Own() {
		return // Weft's own agent sends no greeting
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	<-timer.C
	for since := opened; time.Since(opened) < greetingMost && time.Since(since) < greetingQuiet; {
		count := s.Replay.UpdateCount()
		timer.Reset(greetingQuiet - time.Since(since))
		select {
		case <-timer.C:
		case <-ctx.Done():
			return
		}
		if s.Replay.UpdateCount() != count {
			since = time.Now()
		}
	}
}
