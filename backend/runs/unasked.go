package runs

import (
	"weft/backend/actions"
	"weft/backend/agentnotes"
	"weft/backend/agentproc"
	"weft/backend/clip"
	"weft/backend/permission"
	"weft/backend/transcript"
	"weft/backend/unasked"
)

// maxUnasked is how much is kept of what an agent did, in bytes.
const maxUnasked = 160

// newWatch makes what notes which things the agent does without asking: Weft's own agent asks, and an agent that is started by hand is the user's affair.
func (l *liveSession) newWatch() *unasked.Watch {
	notes, id := l.s.m.notes, l.config.ID
	return unasked.New(unasked.Agent{
		Trusted: l.config.Own() || l.config.Source == "", Boxed: l.plan != nil,
		Keeps: func() []string { return agentproc.OwnFolders(l.config) },
		Seen:  func() bool { return notes.Seen(id) },
		Lets:  func(kind string) bool { return l.s.options.Trusts(kind) != "" || notes.Lets(id, kind) },
	}, l.calls)
}

// judgedBy is what holds when something is judged now. The lock is held.
func (s *Session) judgedBy() unasked.Now {
	return unasked.Now{Place: s.place(), Rules: s.m.opt.Rules(), Mode: s.desk.Mode.Now()}
}

// judge looks whether the agent did what a call says without asking, when that call has ended. The lock is held.
func (l *liveSession) judge(p *transcript.ToolPatch) {
	s := l.s
	var turn *actions.Turn
	if !s.turns.Replaying() && s.run != nil && !s.run.stopping && s.run.prompted {
		turn = &s.run.actions
	}
	g := l.gate.Get(p.ID)
	f := l.watch.Ended(p, turn, g != nil && g.Taken, s.judgedBy())
	if f.Report {
		s.desk.Permissions.Unasked(s.turns, p.ID, &f.Call, f.About, f.Decision, false)
	}
	if f.Unasked {
		l.saw(f.About, f.Call.Title)
	}
}

// saw notes that the agent acts without asking.
func (l *liveSession) saw(about *permission.Subject, title string) {
	m := l.s.m
	m.notes.Saw(l.config.ID, agentnotes.Unasked{
		Kind: about.Kind, About: clip.Text(m.redactor().Text(actions.Name(about, title)), maxUnasked), SpaceID: l.s.space.ID, At: m.now(),
	})
}

// Found takes files of a space's folder that were found to have changed during a run; the paths are slash-separated and relative to the
// folder. Alone is true where no other run can have changed them. It does not block.
func (m *Manager) Found(spaceID, runID string, paths []string, alone bool) {
	m.tasks.Go(func() {
		for _, s := range m.here(spaceID) {
			s.Lock()
			for _, r := range []*run{s.run, s.last} {
				if r == nil || r.id != runID || r.sent == nil || r.sent.watch.Trusted() {
					continue
				}
				r.actions.Found.Add(paths, alone)
				s.weighFound(r, r != s.run)
				s.Flush()
			}
			s.Unlock()
		}
	})
}

// weighFound shows the files that were found, if nobody was asked about them and the user should have been, in a row of Weft's own. It waits for calls
// that may be the reason, unless the run is over. The lock is held.
func (s *Session) weighFound(r *run, over bool) {
	l := s.life.Live()
	if r == nil || !r.actions.Found.Waiting() || !over && l != nil && l.watch.MayChange(l.gate.Drawn) {
		return
	}
	now := s.judgedBy()
	g, ok := r.actions.Weigh(now.Place, now.Rules, now.Mode)
	if !ok {
		return
	}
	f := r.fold
	if s.run == r {
		f = s.part(r)
	}
	row := unasked.Row(s.newID("tool"), s.space.Folder, &g)
	f.Apply(&transcript.Update{Kind: transcript.UpdateTool, Tool: row}, s.m.now())
	about := permission.Describe(&g.Call, now.Place)
	s.desk.Permissions.Unasked(f, row.ID, &g.Call, about, g.Decision, true)
	if g.Certain {
		r.sent.saw(about, g.Call.Title)
	}
}
