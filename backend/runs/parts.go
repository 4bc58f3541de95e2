package runs

import (
	"context"

	"weft/backend/prompt"
)

// Part is an attachment of a prompt.
type Part = prompt.Attachment

// admit refuses, before a prompt is sent or queued, what its agent cannot take. What an agent can
// take is known once it runs, so it is started if need be.
func (s *Session) admit(ctx context.Context, parts []Part) error {
	blobs := false
	for _, p := range parts {
		blobs = blobs || p.Blob != nil
	}
	s.Lock()
	loading := s.life.Busy() && s.run == nil
	s.Unlock()
	if !blobs || loading { // then it is looked at when its turn comes
		return nil
	}
	l, err := s.life.Session(ctx)
	if err != nil {
		return err
	}
	return l.reader().Check(parts)
}

// reader is the session's agent as the reader of prompts.
func (l *liveSession) reader() prompt.Agent {
	can := l.session.About.Capabilities
	return prompt.Agent{Name: l.config.Name, Program: l.session.About.Name, Image: can.Image, Audio: can.Audio, Embedded: can.EmbeddedContext}
}

// QueuedBlobs are the hashes of what goes along with the prompts that wait in a space.
func (ps Prompts) QueuedBlobs(ctx context.Context, spaceID string) (map[string]bool, error) {
	was, err := ps.m.saved.State(ctx, spaceID)
	if err != nil {
		return map[string]bool{}, err
	}
	queue, err := was.Queue(ctx)
	return queue.Blobs(), err
}
