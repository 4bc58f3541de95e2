package runs

import (
	"context"

	sdk "github.com/coder/acp-go-sdk"

	"weft/backend/prompt"
)

// Part is an attachment of a prompt.
type Part = prompt.Attachment

// Prompt is what the user said in one message.
type Prompt struct {
	Text  string
	Parts []Part
}

// remind puts what was said last into a prompt for an agent that has forgotten it.
func (l *liveSession) remind(r *run) {
	l.s.Lock()
	defer l.s.Unlock()
	if r.told != nil && r.told.Messages && len(r.again.Parts) == 0 {
		return // it has been told
	}
	if r.again.Text != "" {
		r.prompt += "\n\n" + r.again.Text
	}
	r.parts = append(r.parts, r.again.Parts...)
	r.fold.ExpectEcho(r.prompt)
	r.fold.ExpectEchoes(len(r.parts))
	r.fold.Note("Your last prompt was sent along once more.")
	l.s.Pace(false)
}

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
	return l.refuses(parts)
}

// reader is the session's agent as the reader of prompts.
func (l *liveSession) reader() prompt.Agent {
	can := l.session.About.Capabilities
	return prompt.Agent{Name: l.config.Name, Program: l.session.About.Name, Image: can.Image, Audio: can.Audio, Embedded: can.EmbeddedContext}
}

// refuses returns an error if the agent says that it can't take an attachment.
func (l *liveSession) refuses(list []Part) error {
	if why := l.reader().Refuses(list); why != "" {
		return &Error{Code: "unsupported", Message: why}
	}
	return nil
}

// blocks returns a prompt as the agent gets it, with what it is told before. What no longer exists is left out, and a note in the answer says so.
// It blocks for reads.
func (l *liveSession) blocks(ctx context.Context, r *run) ([]sdk.ContentBlock, error) {
	if err := l.refuses(r.parts); err != nil {
		return nil, err
	}
	out, missing, err := l.reader().Blocks(ctx, r.prompt, r.parts, l.conn.Files, l.s.m.opt.Store.Blobs)
	if err != nil {
		return nil, err
	}
	for _, p := range missing {
		l.leftOut(r, p)
	}
	if len(out) == 0 {
		return nil, &Error{Code: "not_found", Message: "Nothing of this prompt is there any more, so there was nothing to send."}
	}
	if r.told != nil {
		out = l.reader().WithPrelude(r.told.Text, r.prompt, out)
	}
	return out, nil
}

func (l *liveSession) leftOut(r *run, p Part) {
	l.s.Lock()
	defer l.s.Unlock()
	r.fold.Note(p.Shown() + " was not there any more when the prompt was sent, so it did not go along.")
	l.s.Pace(false)
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
