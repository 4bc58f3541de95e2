package runs

import (
	"context"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/transcript"
)

// Post adds a text to a space, as a part of the message of the run that goes on in from. What was shown of it while it was written
// is not shown again. It blocks until it is stored, and answers the message's id. Errors: *Error (no_run, not_member, no_space).
func (m *Manager) Post(ctx context.Context, from, to, text string, sent jsontext.Value) (messageID string, err error) {
	s, r, err := m.runIn(from)
	if err != nil {
		return "", err
	}
	if to != from {
		if err := m.member(s.space.AgentID, to); err != nil {
			return "", err
		}
	}
	s.mu.Lock()
	g := s.link.claimed(postTool, sent, false)
	if to == from {
		defer s.mu.Unlock()
		r.fold.Apply(&transcript.Update{Kind: transcript.UpdateText, Text: text, MessageID: newID("part")}, m.now())
		s.flush()
		return r.fold.ID, nil
	}
	c := r.in(s, to)
	part, rest := newID("part"), text
	if g != nil && g.to == c && g.sent > 0 {
		if unseen, ok := strings.CutPrefix(text, g.text.String()[:g.sent]); ok {
			part, rest = g.id, unseen
		}
		g.sent, g.text = 0, strings.Builder{}
	}
	s.mu.Unlock()
	if rest != "" {
		c.add(step{text: rest, part: part})
	}
	err = c.now(ctx, func(_ *Session, f *transcript.Fold) { messageID = f.ID })
	m.opt.OnChange(to)
	return messageID, err
}

// Composed is a run and its messages, one for each space that it has added to.
type Composed struct {
	ID        string
	StartedAt int64 // unix ms
	Messages  []ComposedMessage
}

// ComposedMessage is a run's message in a space.
type ComposedMessage struct{ SpaceID, MessageID string }

// Composites answers the run that goes on in a space with its messages; ok is false if none does.
func (m *Manager) Composites(spaceID string) (c Composed, ok bool) {
	s, r, err := m.runIn(spaceID)
	if err != nil {
		return c, false
	}
	s.mu.Lock()
	c = Composed{ID: r.id, StartedAt: r.started, Messages: []ComposedMessage{{spaceID, r.fold.ID}}}
	elsewhere := make([]*composite, 0, len(r.elsewhere))
	for _, e := range r.elsewhere {
		elsewhere = append(elsewhere, e)
	}
	s.mu.Unlock()
	for _, e := range elsewhere {
		e.mu.Lock()
		t := e.target
		e.mu.Unlock()
		if t == nil {
			continue
		}
		t.mu.Lock()
		if e.fold != nil {
			c.Messages = append(c.Messages, ComposedMessage{e.space, e.fold.ID})
		}
		t.mu.Unlock()
	}
	return c, true
}
