package runs

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/permission"
	"weft/backend/transcript"
)

// outcomeUnasked is how the history and the conversation call what an agent did without asking, although the mode of the space or a rule
// says that the user is asked, or that it isn't done (decision 0025).
const outcomeUnasked = transcript.OutcomeUnasked

// against is what a run did so, and what was found on disk of it. Under the session's mutex.
type against struct {
	watched  bool            // the fields below are set
	boxed    bool            // the agent runs in a sandbox, which holds it
	mode     permission.Mode // when the agent got the prompt
	rules    *permission.Set
	agent    *link
	commands bool            // a command of it was told as not asked
	files    map[string]bool // whose change was told as not asked, as fileKey has them
	acted    bool            // a call of the agent may have changed files, and Weft had no say in it
	found    []string        // on disk, not judged yet
	alone    bool            // no other run worked in the folder, each time
	told     int             // rows about what was found
}

// The most that is kept and told of a run.
const (
	maxFound     = 1024 // files that wait to be judged
	maxFoundRows = 50
	maxFoundList = 64 // files of one row
)

// begin notes what holds when the agent gets the prompt.
func (a *against) begin(s *Session, l *link) {
	a.watched, a.alone = !l.config.Own() && l.config.Source != "", true
	a.boxed, a.mode, a.rules, a.agent = l.plan != nil, s.modeNow(), s.m.opt.Rules(), l
}

// calls notes what was told of a call.
func (a *against) calls(about *permission.Subject, s *Session) {
	a.acted = true
	if about.Line != "" || len(about.Files) == 0 {
		a.commands = true
		return
	}
	if a.files == nil {
		a.files = map[string]bool{}
	}
	for i := range about.Files {
		a.files[s.fileKey(about.Files[i].Named)] = true
	}
}

// isAgainst reports whether the user was to be asked: by a rule that rejects, a read-only space, or one that asks about everything. What the
// user lets the agent do counts for the last one.
func isAgainst(d permission.Decision, mode permission.Mode, chosen bool) bool {
	return d.Verdict == permission.Rejected || d.Verdict == permission.Ask && mode == permission.AskAlways && !chosen
}

// shouldHave tells by what the agent should have asked, or have left it. The lock is held.
func (s *Session) shouldHave(d permission.Decision, mode permission.Mode) *transcript.By {
	if d.Verdict == permission.Ask {
		d.Mode = mode
	}
	return s.byDecision(d)
}

// decider is [transcript.Turns.DecidePermission], or that of one message.
type decider func(p *transcript.ToolPatch, requestID string, options []transcript.PermissionOption, reading jsontext.Value, r transcript.Resolution, now int64)

// tellUnasked shows at a call that it was not asked about, and keeps it in the history. The lock is held.
func (s *Session) tellUnasked(decide decider, id string, call *permission.Call, about *permission.Subject, by *transcript.By) {
	a := &ask{id: s.newID("ask"), tool: id, call: *call, about: about}
	r := transcript.Resolution{Outcome: outcomeUnasked, By: by}
	decide(&transcript.ToolPatch{ID: id}, a.id, nil, a.reading(), r, s.m.now())
	s.noteDecision(a, r)
	s.changed()
}

// Found takes files of a space's folder that were found to have changed during a run; the paths are slash-separated and relative to the
// folder. Alone is true where no other run can have changed them. It does not block.
func (m *Manager) Found(spaceID, runID string, paths []string, alone bool) {
	m.tasks.Go(func() {
		for _, s := range m.here(spaceID) {
			s.Lock()
			for _, r := range []*run{s.run, s.last} {
				if r == nil || r.id != runID || !r.against.watched {
					continue
				}
				a := &r.against
				a.alone = a.alone && alone
				for _, path := range paths {
					if len(a.found) < maxFound && !slices.Contains(a.found, path) {
						a.found = append(a.found, path)
					}
				}
				s.weighFound(r, r != s.run)
				s.flush()
			}
			s.Unlock()
		}
	})
}

// weighFound tells of the files that were found, if nobody was asked about them and the user was to be. It waits for calls that may be the reason, unless
// the run is over. The lock is held.
func (s *Session) weighFound(r *run, over bool) {
	if r == nil || len(r.against.found) == 0 {
		return
	}
	a := &r.against
	if !over && s.link != nil {
		for id, call := range s.link.calls {
			if kind := consentKind(call.Kind); (acts(kind) || kind == "other" || kind == "") && !s.link.gate.Drawn(id) {
				return // its end tells more
			}
		}
	}
	found := a.found
	a.found = nil
	mode, rules := s.modeNow(), s.m.opt.Rules()
	if a.boxed || a.commands || mode != a.mode || rules != a.rules || a.told >= maxFoundRows || mode != permission.ReadOnly && !rules.Refuses() || r.excusesAll() {
		return
	}
	var call permission.Call
	var decision permission.Decision
	for _, path := range found {
		key := s.fileKey(filepath.FromSlash(path))
		if a.files[key] || r.excuses(key) || len(call.Paths) >= maxFoundList {
			continue
		}
		one := permission.Describe(&permission.Call{Kind: "edit", Paths: []string{path}}, s.place())
		d := rules.Decide(one, mode)
		if d.Verdict != permission.Rejected || decision.Rule != nil && (d.Rule == nil || d.Rule.ID != decision.Rule.ID) {
			continue
		}
		decision = d
		call.Paths = append(call.Paths, path)
		a.acted = a.acted || r.asked(key)
	}
	if len(call.Paths) == 0 {
		return
	}
	a.told++
	s.tellFound(r, &call, decision, mode)
}

// tellFound adds a row of Weft's own about files that were found. The lock is held.
func (s *Session) tellFound(r *run, call *permission.Call, d permission.Decision, mode permission.Mode) {
	slices.Sort(call.Paths)
	call.Kind, call.Title = "edit", "Changed "+call.Paths[0]
	if n := len(call.Paths); n > 1 {
		call.Title = fmt.Sprintf("Changed %d files", n)
	}
	f := r.fold
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
	by := s.shouldHave(d, mode)
	by.Found = true
	s.tellUnasked(f.DecidePermission, row.ID, call, about, by)
	if a := &r.against; a.alone && a.acted && a.agent != nil {
		a.agent.saw(about, call.Title)
	}
}

// excuses reports whether Weft was asked about a file in this run, and the answer wasn't no.
func (r *run) excuses(key string) bool {
	return slices.ContainsFunc(r.deeds, func(d *deed) bool { return !d.refused && d.kind != "read" && slices.Contains(d.files, key) })
}

// asked reports whether Weft was asked about a file in this run.
func (r *run) asked(key string) bool {
	return slices.ContainsFunc(r.deeds, func(d *deed) bool { return d.kind != "read" && slices.Contains(d.files, key) })
}

// excusesAll reports whether Weft was asked about something that may change any file, and the answer wasn't no.
func (r *run) excusesAll() bool {
	return len(r.deeds) >= maxAnswers || slices.ContainsFunc(r.deeds, func(d *deed) bool { return !d.refused && d.kind != "read" && len(d.files) == 0 })
}
