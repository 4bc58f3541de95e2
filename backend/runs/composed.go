package runs

// Composed is a run and its messages, one for each space that it has added to.
type Composed struct {
	ID        string
	StartedAt int64 // unix ms
	Messages  []ComposedMessage
}

// ComposedMessage is a run's message in a space.
type ComposedMessage struct{ SpaceID, MessageID string }

// Composites answers the run of a member that goes on with the messages that are being written; ok is false if none does.
func (m *Manager) Composites(of Seat) (c Composed, ok bool) {
	s, r, err := m.runIn(of)
	if err != nil {
		return c, false
	}
	s.mu.Lock()
	c = Composed{ID: r.id, StartedAt: r.started, Messages: []ComposedMessage{{of.SpaceID, r.fold.ID}}}
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
