package runs

import (
	"context"

	"weft/backend/prelude"
)

// history makes what the agent is to be told before the run's prompt: in a new session the conversation so far, later what others have said
// since; and who it is in a space with several members. Nil if there is nothing to tell. It blocks for reads, and for a commit.
func (l *liveSession) history(ctx context.Context, r *run, first bool) (*prelude.Prelude, error) {
	l.s.Lock()
	q, members := l.s.asking(r, first)
	l.s.Unlock()
	return prelude.Told(ctx, l.s.m.opt.Store.Pages, l.s.m.opt.Store.Meta, q, members)
}

// asking says who is told something before a run's prompt, and who else is there. The lock is held.
func (s *Session) asking(r *run, first bool) (q prelude.Query, members []prelude.Member) {
	for i := range s.spaceRuntime.space.Members {
		members = append(members, s.spaceRuntime.space.Members[i].told())
	}
	return prelude.Query{
		SpaceID: s.space.ID, Me: s.member.told(), Company: len(members) > 1, New: first, PromptID: r.promptID, RunID: r.id,
	}, members
}

func (m *Member) told() prelude.Member {
	return prelude.Member{ID: m.ID, Name: m.Name, Role: m.Role, ByTool: m.ByTool, Since: m.Since}
}

// noteTold tells the user what the agent was told. The lock is held.
func (l *liveSession) noteTold(r *run, first, forgot bool) {
	r.fold.ExpectTold(r.told.Text)
	q, _ := l.s.asking(r, first)
	if words := r.told.Notice(q, forgot); words != "" {
		r.fold.Note(words)
	}
}
