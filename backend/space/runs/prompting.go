package runs

import (
	"context"

	sdk "github.com/coder/acp-go-sdk"

	"weft/backend/acp"
	"weft/backend/space/acpsession"
	"weft/backend/space/prelude"
	"weft/backend/space/prompt"
	"weft/backend/space/turn"
)

// prepare builds a run's prompt: the context prelude, the text and the attachments. It blocks for reads, for a commit
// and for the file watch, or until r.ctx ends. If the folder was replaced (see [workspace.Replaced]), it returns before
// it has changed the conversation.
func (l *liveSession) prepare(r *run) ([]sdk.ContentBlock, error) {
	if err := l.conn.Files.Current(r.ctx, ""); err != nil {
		return nil, err
	}
	if err := l.enforce(r); err != nil {
		return nil, err
	}
	l.s.Lock()
	unsaid, lost := l.session.Unused(), l.session.Lost()
	q, members := l.s.asking(r, unsaid)
	l.s.Unlock()
	told, err := prelude.Told(r.ctx, l.s.m.opt.Store.Pages, l.s.m.opt.Store.Meta, q, members)
	if err != nil {
		return nil, err
	}
	if err := l.session.StoreUnused(r.ctx); err != nil {
		return nil, err
	}
	l.s.Step(func() {
		l.session.MarkUsed()
		q, _ = l.s.asking(r, unsaid)
		r.draft.Precede(told, q, lost, r.fold)
		l.noteServers(r)
		if lost != prelude.NoLoss && r.draft.Remind(r.fold) {
			l.s.Pace(false)
		}
	})
	blocks, missing, err := r.draft.Blocks(r.ctx, l.reader(), l.conn.Files, l.s.m.opt.Store.Blobs)
	if len(missing) > 0 {
		l.s.Step(func() {
			prompt.NoteMissing(missing, r.fold)
			l.s.Pace(false)
		})
	}
	if err != nil {
		return nil, err
	}
	l.session.AwaitGreeting(r.ctx)
	select {
	case <-r.watched:
		r.ready(r.ctx)
	case <-r.ctx.Done():
		return nil, context.Cause(r.ctx)
	}
	return blocks, nil
}

// noteServers adds a note about the MCP servers that the agent refused, if they have changed since the last note. The
// lock is held.
func (l *liveSession) noteServers(r *run) {
	note := turn.WithoutServers(l.config.Name, l.session.RefusedServers())
	if note != l.s.without && note != "" {
		r.fold.Note(note)
		l.s.Pace(false)
	}
	l.s.without = note
}

// asking returns the query for the context prelude of a run's prompt, and the members of the space. The lock is held.
func (s *Session) asking(r *run, first bool) (q prelude.Query, members []prelude.Member) {
	for i := range s.spaceRuntime.space.Members {
		members = append(members, s.spaceRuntime.space.Members[i].Told())
	}
	return prelude.Query{
		SpaceID: s.space.ID, Me: s.member().Told(), Company: len(members) > 1, New: first, PromptID: r.promptID, RunID: r.id,
	}, members
}

// runTurn sends a prompt and blocks until the agent has ended its turn or the session has left the process. See
// [acpsession.Connection.Prompt].
func (l *liveSession) runTurn(r *run, prompt []sdk.ContentBlock) (acp.PromptResult, error) {
	return l.conn.Prompt(r.ctx, prompt, func(release func()) acpsession.Send {
		l.s.Lock()
		defer l.s.Unlock()
		if !r.markSending(l, release) {
			return nil
		}
		return l.conn.BeginTurn(l.session.ID())
	})
}

// Part is an attachment of a prompt.
type Part = prompt.Attachment

// admit returns an error if the agent doesn't support an attachment of a prompt. If a part has a blob, it
// starts the agent and blocks until the agent's capabilities are known.
func (s *Session) admit(ctx context.Context, parts []Part) error {
	blobs := false
	for _, p := range parts {
		blobs = blobs || p.Blob != nil
	}
	s.Lock()
	loading := s.life.Busy() && s.run == nil
	s.Unlock()
	if !blobs || loading { // while loading, attachments are checked when the prompt is sent
		return nil
	}
	l, err := s.life.Session(ctx)
	if err != nil {
		return err
	}
	return l.reader().Check(parts)
}

// reader describes the session's agent for building prompts.
func (l *liveSession) reader() prompt.Agent {
	can := l.session.About.Capabilities
	return prompt.Agent{Name: l.config.Name, Program: l.session.About.Name, Image: can.Image, Audio: can.Audio, Embedded: can.EmbeddedContext}
}

// QueuedBlobs returns the hashes of the attachments of a space's queued prompts.
func (ps Prompts) QueuedBlobs(ctx context.Context, spaceID string) (map[string]bool, error) {
	was, err := ps.m.saved.State(ctx, spaceID)
	if err != nil {
		return map[string]bool{}, err
	}
	queue, err := was.Queue(ctx)
	return queue.Blobs(), err
}
