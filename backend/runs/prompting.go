package runs

import (
	"context"

	sdk "github.com/coder/acp-go-sdk"

	"weft/backend/acp"
	"weft/backend/acpsession"
	"weft/backend/prelude"
	"weft/backend/prompt"
	"weft/backend/turn"
)

// prepare puts a run's prompt together: what the agent learns of the conversation, the text, and what goes along. It blocks for reads and for a
// commit, and for whoever watches the files; r.ctx gives up. Nothing is said and noted yet where the error is one that [workspace.Replaced] knows.
func (l *liveSession) prepare(r *run) ([]sdk.ContentBlock, error) {
	if err := l.conn.Files.Current(r.ctx, ""); err != nil {
		return nil, err
	}
	if err := l.obey(r); err != nil {
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

// noteServers tells the user which MCP servers the agent has refused, if that is news. The lock is held.
func (l *liveSession) noteServers(r *run) {
	note := turn.WithoutServers(l.config.Name, l.session.RefusedServers())
	if note != l.s.without && note != "" {
		r.fold.Note(note)
		l.s.Pace(false)
	}
	l.s.without = note
}

// asking says who is told something before a run's prompt, and who else is there. The lock is held.
func (s *Session) asking(r *run, first bool) (q prelude.Query, members []prelude.Member) {
	for i := range s.spaceRuntime.space.Members {
		members = append(members, s.spaceRuntime.space.Members[i].Told())
	}
	return prelude.Query{
		SpaceID: s.space.ID, Me: s.member.Told(), Company: len(members) > 1, New: first, PromptID: r.promptID, RunID: r.id,
	}, members
}

// runTurn gives the agent its prompt and blocks until it has ended its turn, or the session has left the process, where the agent may continue.
func (l *liveSession) runTurn(r *run, prompt []sdk.ContentBlock) (acp.PromptResult, error) {
	return l.conn.Prompt(r.ctx, prompt, func(release func()) acpsession.Send {
		l.s.Lock()
		defer l.s.Unlock()
		if !r.sends(l, release) {
			return nil
		}
		return l.conn.BeginTurn(l.session.ID())
	})
}

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
