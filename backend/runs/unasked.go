package runs

import (
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/actions"
	"weft/backend/agentnotes"
	"weft/backend/agentproc"
	"weft/backend/clip"
	"weft/backend/permission"
	"weft/backend/requests"
	"weft/backend/sandbox"
	"weft/backend/toolcalls"
	"weft/backend/transcript"
)

// maxUnasked is how much is kept of what an agent did, in bytes.
const maxUnasked = 160

// watched reports whether it is noted what an agent does without asking: Weft's own agent asks, and an agent that is started by hand is the user's affair.
func (l *link) watched() bool { return !l.config.Own() && l.config.Source != "" }

// judge looks whether the agent did what a call says without asking, when that call has ended. The lock is held.
func (l *link) judge(p *transcript.ToolPatch) {
	s := l.s
	if !l.watched() {
		return
	}
	known, mode, rules := s.m.notes.Seen(l.config.ID), s.desk.Mode.Now(), s.m.opt.Rules()
	if known && mode == permission.FollowRules && !rules.Refuses() {
		return // nothing new would be reported
	}
	g := l.gate.Get(p.ID)
	e := &actions.Ended{
		Status: *p.Status, Boxed: l.plan != nil,
		Vouched:  l.vouched[p.ID] || len(l.vouched) >= toolcalls.MaxCalls || g != nil && g.Taken,
		Replayed: s.turns.Replaying() || s.run == nil || s.run.stopping || !s.run.prompted,
	}
	if !e.Ran() {
		return
	}
	turn := &s.run.actions
	call := actions.Spelled(l.calls.With(p))
	e.About = permission.Describe(&call, s.place())
	about := actions.About(&call, e.About)
	e.Vouched, e.Bare = turn.Knows(about), actions.Bare(&call)
	d := rules.Decide(e.About, mode)
	e.Verdict = d.Verdict
	kind := actions.Kind(e.About.Kind)
	e.Chosen = s.options.Trusts(kind) != "" || s.m.notes.Lets(l.config.ID, kind)
	e.Kept = l.keeps(e.About)
	turn.Found.Ended(e)
	if e.About.Line == "" && !actions.Acts(e.About.Kind) {
		e.Vouched = e.Vouched || turn.HasRead(about)
	}
	acted := e.Acted() && actions.Against(d, mode, e.Chosen)
	if acted {
		turn.Found.Reported(e.About)
	}
	if acted || e.ReadAgainst(d) {
		s.tellUnasked(s.turns.DecidePermission, p.ID, &call, e.About, s.shouldHave(d, mode))
	}
	if e.Unasked() {
		l.saw(e.About, call.Title)
	}
}

// saw notes that the agent acts without asking.
func (l *link) saw(about *permission.Subject, title string) {
	m := l.s.m
	m.notes.Saw(l.config.ID, agentnotes.Unasked{
		Kind: about.Kind, About: clip.Text(m.redactor().Text(actions.Name(about, title)), maxUnasked), SpaceID: l.s.space.ID, At: m.now(),
	})
}

// keeps reports whether a call only changed files that the agent keeps for itself in the home folder, such as its plans. A sandbox would let it.
func (l *link) keeps(sub *permission.Subject) bool {
	home, err := os.UserHomeDir()
	return err == nil && actions.OnlyIn(sub, sandbox.Own(agentproc.Known(l.config), home))
}

// shouldHave returns the rule or the mode by which the agent should have asked, or have left it. The lock is held.
func (s *Session) shouldHave(d permission.Decision, mode permission.Mode) *transcript.By {
	if d.Verdict == permission.Ask {
		d.Mode = mode
	}
	return s.desk.Permissions.Policy().By(d)
}

// decider is [transcript.Turns.DecidePermission], or that of one message.
type decider func(p *transcript.ToolPatch, requestID string, options []transcript.PermissionOption, reading jsontext.Value, r transcript.Resolution, now int64)

// tellUnasked shows at a call that it was not asked about, and keeps it in the history. The lock is held.
func (s *Session) tellUnasked(decide decider, id string, call *permission.Call, about *permission.Subject, by *transcript.By) {
	a := &requests.Permission{ID: s.newID("ask"), Tool: id, Call: *call, About: about}
	r := transcript.Resolution{Outcome: transcript.OutcomeUnasked, By: by}
	decide(&transcript.ToolPatch{ID: id}, a.ID, nil, a.Reading(), r, s.m.now())
	s.desk.Permissions.Record(a, r)
	s.changed()
}

// Found takes files of a space's folder that were found to have changed during a run; the paths are slash-separated and relative to the
// folder. Alone is true where no other run can have changed them. It does not block.
func (m *Manager) Found(spaceID, runID string, paths []string, alone bool) {
	m.tasks.Go(func() {
		for _, s := range m.here(spaceID) {
			s.Lock()
			for _, r := range []*run{s.run, s.last} {
				if r == nil || r.id != runID || r.sent == nil || !r.sent.watched() {
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

// weighFound shows the files that were found, if nobody was asked about them and the user should have been. It waits for calls that may be the reason, unless
// the run is over. The lock is held.
func (s *Session) weighFound(r *run, over bool) {
	if r == nil || !r.actions.Found.Waiting() {
		return
	}
	if !over && s.link != nil {
		for id, call := range s.link.calls {
			if kind := call.Kind; (actions.Acts(kind) || kind == actions.Other || kind == "") && !s.link.gate.Drawn(id) {
				return // its end tells more
			}
		}
	}
	mode := s.desk.Mode.Now()
	if g, ok := r.actions.Weigh(s.place(), s.m.opt.Rules(), mode); ok {
		s.tellFound(r, &g, mode)
	}
}

// tellFound adds a row of Weft's own about files that were found. The lock is held.
func (s *Session) tellFound(r *run, g *actions.FoundGroup, mode permission.Mode) {
	f, call := r.fold, &g.Call
	if s.run == r {
		f = s.part(r)
	}
	done, locations := transcript.StatusCompleted, make([]transcript.Location, len(call.Paths))
	for i, path := range call.Paths {
		locations[i].Path = filepath.Join(s.space.Folder, filepath.FromSlash(path))
	}
	row := &transcript.ToolPatch{ID: s.newID("tool"), Announced: true, Title: &call.Title, Kind: &call.Kind, Status: &done, Locations: &locations}
	f.Apply(&transcript.Update{Kind: transcript.UpdateTool, Tool: row}, s.m.now())
	about := permission.Describe(call, s.place())
	by := s.shouldHave(g.Decision, mode)
	by.Found = true
	s.tellUnasked(f.DecidePermission, row.ID, call, about, by)
	if g.Certain {
		r.sent.saw(about, call.Title)
	}
}

// vouch notes that Weft was asked about a call, or may have had a hand in it. The lock is held.
func (l *link) vouch(call string) {
	if l.vouched == nil {
		l.vouched = map[string]bool{}
	}
	if len(l.vouched) < toolcalls.MaxCalls {
		l.vouched[call] = true
	}
}

// vouchShown vouches for a call that shows a terminal of Weft's. The lock is held.
func (l *link) vouchShown(p *transcript.ToolPatch) {
	if p.Content == nil {
		return
	}
	for i := range *p.Content {
		if id := (*p.Content)[i].Terminal; id != "" && l.live[id] != nil {
			l.vouch(p.ID)
		}
	}
}

// vouchFor vouches for the calls that an operation may belong to: those that show it, else all open ones that could. The lock is held.
// It returns what the run keeps of it, nil for reading.
func (l *link) vouchFor(o *requests.Operation) *actions.Action {
	if o.Kind == actions.Read {
		if r := l.s.run; r != nil {
			r.actions.NoteReads(o.Files)
		}
		return nil
	}
	noted := &actions.Action{Kind: o.Kind, Files: o.Files, Command: o.Command}
	l.s.noteAction(noted)
	found := false
	for id, call := range l.calls {
		if o.ShownBy(&call.Call, l.shown[id], l.s.space.Folder) {
			l.vouch(id)
			found = true
		}
	}
	if found {
		return noted
	}
	for id, call := range l.calls {
		if kind := actions.Kind(call.Kind); !actions.Acts(kind) || kind == o.Kind {
			l.vouch(id)
		}
	}
	return noted
}

// noteAction keeps what Weft was asked about, or asked to do, in this turn. The lock is held.
func (s *Session) noteAction(a *actions.Action) {
	if s.run != nil {
		s.run.actions.Note(a)
	}
}
