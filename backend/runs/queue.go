package runs

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json"

	"weft/backend/store"
	"weft/backend/transcript"
)

// QueuedPrompt is a prompt that waits for the turn to end.
type QueuedPrompt struct {
	ID    string `json:"id"`
	Text  string `json:"text"`
	Parts []Part `json:"parts,omitempty"`
	At    int64  `json:"at"` // unix ms
}

// storedQueue reads the queue that the app's last session left.
func (m *Manager) storedQueue(ctx context.Context, spaceID string, snap *store.Snapshot) ([]QueuedPrompt, error) {
	raw, err := m.stored(ctx, snap, transcript.StateQueue)
	if err != nil || raw == nil {
		return nil, err
	}
	var queue []QueuedPrompt
	if err := json.Unmarshal(raw, &queue); err != nil {
		m.opt.Log.Warn().Err(err).Str("space", spaceID).Msg("the stored queue cannot be read")
		return nil, nil
	}
	return queue, nil
}

// stored answers a part of a space's state as it was last told, nil if it never was.
func (m *Manager) stored(ctx context.Context, snap *store.Snapshot, key transcript.StateKey) ([]byte, error) {
	if ref := snap.StateRefs[string(key)]; ref != nil {
		raw, _, err := m.opt.Store.BlobBytes(ctx, ref.Hash)
		return raw, err
	}
	return snap.State[string(key)], nil
}

// enqueue adds a prompt to the queue. The mutex is held.
func (s *Session) enqueue(text string, parts []Part) string {
	q := QueuedPrompt{ID: newID("queued"), Text: text, Parts: parts, At: s.m.now()}
	s.queue = append(s.queue, q)
	s.queueChanged()
	return q.ID
}

func (s *Session) queueChanged() {
	queue := s.queue
	if queue == nil {
		queue = []QueuedPrompt{}
	}
	raw, err := json.Marshal(queue)
	if err != nil {
		s.m.opt.Log.Error().Err(err).Msg("the queue cannot be written")
		return
	}
	s.box.SetState(transcript.StateQueue, raw)
	s.flush()
}

// next sends the first prompt that waits. The mutex is held and no run is in progress.
func (s *Session) next() {
	if len(s.queue) == 0 {
		return
	}
	q := s.queue[0]
	s.queue = slices.Clone(s.queue[1:])
	s.queueChanged()
	s.begin(q.Text, q.Parts)
}

// EditQueued changes a waiting prompt, or removes it if text is empty. Error: not_found
// where it has been sent already.
func (m *Manager) EditQueued(ctx context.Context, spaceID, promptID, text string) error {
	s, err := m.session(ctx, spaceID)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.queue, func(q QueuedPrompt) bool { return q.ID == promptID })
	if i < 0 {
		return &Error{Code: "not_found", Message: "This prompt was sent already."}
	}
	s.queue = slices.Clone(s.queue)
	if text == "" {
		s.queue = slices.Delete(s.queue, i, i+1)
	} else {
		s.queue[i].Text = text
	}
	s.queueChanged()
	return nil
}

// SendQueued sends a waiting prompt now. Errors: busy while a turn is in progress, not_found.
func (m *Manager) SendQueued(ctx context.Context, spaceID, promptID string) error {
	s, err := m.session(ctx, spaceID)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run != nil || s.loading {
		return &Error{Code: "busy", Message: "The agent is still working."}
	}
	i := slices.IndexFunc(s.queue, func(q QueuedPrompt) bool { return q.ID == promptID })
	if i < 0 {
		return &Error{Code: "not_found", Message: "This prompt was sent already."}
	}
	q := s.queue[i]
	s.queue = slices.Delete(slices.Clone(s.queue), i, i+1)
	s.queueChanged()
	s.begin(q.Text, q.Parts)
	m.opt.OnChange(spaceID)
	return nil
}
