package runs

import (
	"cmp"
	"slices"

	"weft/backend/conversation/displays"
	"weft/backend/conversation/follow"
	"weft/backend/conversation/transcript"
	"weft/backend/llm/modelproxy"
	"weft/backend/permission/actions"
	"weft/backend/permission/files"
	"weft/backend/space/agentcalls"
	"weft/backend/space/toolcalls"
)

// newCalls returns the tracker of the session's tool calls.
func (l *liveSession) newCalls() *agentcalls.Calls[*message] {
	s := l.s
	return agentcalls.New(agentcalls.Session[*message]{
		Agent: l.config, Sandboxed: l.plan != nil && !l.plan.SealOnly, Place: s.placeInSteps(), Inbox: s.inbox, Turns: s.turns, Servers: &l.session.Servers, Notes: s.m.notes, Hide: s.m.redactor(), Find: s.m.opt.GateTool,
		Rules: s.m.opt.Rules, Watch: s.m.opt.Watch.Tool,
		Step: askStep{s}, Space: draftsSpace{l}, Host: callsHost{l},
	})
}

// callsHost implements [agentcalls.Host].
type callsHost struct{ l *liveSession }

func (c callsHost) Reported(u *transcript.Update) { c.l.update(u) }
func (c callsHost) Show(u *transcript.Update)     { c.l.show(u) }
func (c callsHost) Visit(p *transcript.ToolPatch) {
	c.l.s.publishPlace(c.l.s.trail.Visit(p, c.l.s.m.now()))
}
func (c callsHost) Replayed() bool { return c.l.session.Discarding() || c.l.s.turns.Replaying() }

func (c callsHost) Prompted() bool             { return c.l.s.run != nil && c.l.s.run.turn.Prompted() }
func (c callsHost) ReadsAlong() bool           { return c.l.conn.Lease.Process.ReadsAlong() }
func (c callsHost) HasTerminal(id string) bool { return c.l.terminals.Get(id) != nil }
func (c callsHost) ReportUnasked()             { c.l.s.reportUnasked(c.l.s.run, false) }
func (c callsHost) Read(look *toolcalls.Look)  { c.l.s.perform(readFiles{l: c.l, look: look}) }
func (c callsHost) OfferChanged()              { c.l.s.offerChanged(c.l) }

// draftsSpace implements [gatedrafts.Space].
type draftsSpace struct{ l *liveSession }

func (d draftsSpace) InRun() bool                 { return d.l.s.run != nil }
func (d draftsSpace) Shows(call string) bool      { return d.l.s.turns.Current().Knows(call) }
func (d draftsSpace) Update(u *transcript.Update) { d.l.s.turns.Update(u, d.l.s.m.now()) }
func (d draftsSpace) Own() *transcript.Fold       { return d.l.s.run.currentFold() }
func (d draftsSpace) NewID(kind string) string    { return d.l.s.w.newID(kind) }
func (d draftsSpace) Now() int64                  { return d.l.s.m.now() }

func (d draftsSpace) Elsewhere(spaceID string) *message { return d.l.s.run.in(spaceID) }
func (d draftsSpace) From(call string) *displays.From   { return d.l.s.run.place(call) }

// Observe implements [agentproc.Session].
func (l *liveSession) Observe(e modelproxy.Event) {
	if l.dropped.Load() {
		return
	}
	l.put(fromModel{l, e}.step)
}

// Found notes files of a space's folder that changed during a run. The paths are slash-separated and relative to the
// folder. alone means that no other run can have changed them. It does not block.
func (m *Manager) Found(spaceID, runID string, paths []string, alone bool) {
	m.tasks.Go(func() {
		for _, s := range m.here(spaceID) {
			s.found(runID, paths, alone)
		}
	})
}

// found is [Manager.Found] for one session. It blocks on the disk; the lock isn't held.
func (s *Session) found(runID string, paths []string, alone bool) {
	s.Lock()
	r := s.finds(runID)
	judged := r != nil && r.actions.JudgesFound(s.m.opt.Rules(), s.inbox.Mode.Now())
	s.Unlock()
	var disk *files.View
	if judged {
		disk = s.foresee(actions.Edits(paths)...)
	}
	s.accept(filesFound{s, runID, paths, alone, disk})
}

// finds returns the run for which changed files are found, or nil. The lock is held.
func (s *Session) finds(runID string) *run {
	for _, r := range []*run{s.run, s.last} {
		if r != nil && r.id == runID && r.sent != nil && !r.sent.calls.Watch.Trusted() {
			return r
		}
	}
	return nil
}

// reportUnasked adds a row for files that changed without a permission request. It waits for open calls that may have
// changed them, unless the run is over. The lock is held.
func (s *Session) reportUnasked(r *run, over bool) {
	l := s.life.Live()
	if r == nil || !r.actions.Found.Waiting() || !over && l != nil && l.calls.MayChange() {
		return
	}
	r.sent.calls.ShowFound(&r.actions, func() *transcript.Fold {
		if s.run == r {
			return r.currentFold()
		}
		return r.fold
	})
}

// publishPlace publishes the agent's latest location after a frame, if now is set. The lock is held.
func (s *Session) publishPlace(now bool) {
	if now {
		s.w.After(follow.Frame, s.tellPlace)
	}
}

func (s *Session) tellPlace() {
	s.Lock()
	last, ok := s.trail.Last()
	gone := s.life.Left()
	s.Unlock()
	if tell := s.m.opt.OnPlace; tell != nil && !gone && ok {
		tell(s.space.ID, last)
	}
}

// Places returns the locations that the agents of a space have visited in their current sessions, oldest first.
func (m *Manager) Places(spaceID string) []follow.Place {
	list := []follow.Place{}
	for _, s := range m.here(spaceID) {
		s.Lock()
		list = append(list, s.trail.Places()...)
		s.Unlock()
	}
	slices.SortStableFunc(list, func(a, b follow.Place) int { return cmp.Compare(a.At, b.At) })
	return list
}
