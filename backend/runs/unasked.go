package runs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"weft/backend/clip"
	"weft/backend/permission"
	"weft/backend/sandbox"
	"weft/backend/toolcalls"
	"weft/backend/transcript"
)

// ended is a call of an agent that has ended, with what tells whether the agent should have asked about it.
type ended struct {
	status  transcript.Status
	vouched bool                // Weft was asked about it, or had a hand in it
	boxed   bool                // the agent runs in a sandbox
	told    bool                // it was told again, of an earlier turn, or outside of one
	about   *permission.Subject // as the broker reads it
	bare    bool                // it came without arguments
	verdict permission.Verdict  // of the broker, had it been asked
	chosen  bool                // the user lets the agent do this without asking
	kept    bool                // it changed only what the agent keeps for itself
}

// ran reports whether the call certainly did what it says, and Weft had no say in that. A call that failed or was canceled may never have begun.
func (e *ended) ran() bool {
	return e.status == transcript.StatusCompleted && !e.vouched && !e.boxed && !e.told
}

// looked reports whether the agent has read, by a call of its own, what a rule rejects: a file that the call names, or one that a command reads. What else a search
// may have opened can't be told.
func (e *ended) looked(d permission.Decision) bool {
	return e.ran() && !e.kept && d.Verdict == permission.Rejected && d.Rule != nil
}

// unasked reports whether an agent has acted by the call without asking, although it would have had to ask, or to leave it.
func (e *ended) unasked() bool { return e.acted() && !e.chosen }

// acted is unasked whatever the user lets the agent do.
func (e *ended) acted() bool {
	switch sub := e.about; {
	case !e.ran() || e.kept || e.verdict == permission.Allowed || !acts(sub.Kind):
		return false
	case sub.Line != "":
		return !sub.OnlyReads()
	default:
		// Some agents give a to-do list, which runs and changes nothing, the kind of a command or an edit. So the kind alone counts only if the
		// call names a file, or has nothing but a title.
		return len(sub.Files) > 0 || e.bare
	}
}

// mayChange reports whether the call may have changed files.
func (e *ended) mayChange() bool {
	switch e.about.Kind {
	case "execute":
		return !e.about.OnlyReads()
	case "edit", "delete", "move", "other":
		return !e.kept
	}
	return false
}

// judge looks whether the agent did what a call says without asking, when that call has ended. The lock is held.
func (l *link) judge(p *transcript.ToolPatch) {
	s := l.s
	if l.config.Own() || l.config.Source == "" {
		return
	}
	known, mode, rules := s.m.offers.known(l.config.ID), s.modeNow(), s.m.opt.Rules()
	if known && mode == permission.FollowRules && !rules.Refuses() {
		return // nothing new would be told
	}
	g := l.gate.Get(p.ID)
	e := &ended{
		status: *p.Status, boxed: l.plan != nil,
		vouched: l.vouched[p.ID] || len(l.vouched) >= toolcalls.MaxCalls || g != nil && g.Taken,
		told:    s.turns.Replaying() || s.run == nil || s.run.stopping || !s.run.prompted,
	}
	if !e.ran() {
		return
	}
	call := spelled(l.calls.With(p))
	e.about = permission.Describe(&call, s.place())
	e.vouched = s.knows(s.aboutDeed(&call, e.about))
	e.bare = bare(&call)
	d := rules.Decide(e.about, mode)
	e.verdict = d.Verdict
	kind := consentKind(e.about.Kind)
	e.chosen = s.trusts(kind) != "" || s.m.offers.mayBy(l.config.ID, kind)
	e.kept = l.keeps(e.about)
	s.run.against.acted = s.run.against.acted || e.mayChange()
	if e.about.Line == "" && !acts(e.about.Kind) {
		e.vouched = e.vouched || s.readThrough(s.aboutDeed(&call, e.about))
	}
	acted := e.acted() && isAgainst(d, mode, e.chosen)
	if acted {
		s.run.against.calls(e.about, s)
	}
	if acted || e.looked(d) {
		s.tellUnasked(s.turns.DecidePermission, p.ID, &call, e.about, s.shouldHave(d, mode))
	}
	if e.unasked() {
		l.saw(e.about, call.Title)
	}
}

// saw notes that the agent acts without asking.
func (l *link) saw(about *permission.Subject, title string) {
	m := l.s.m
	m.offers.saw(l.config.ID, Unasked{
		Kind: about.Kind, About: clip.Text(m.redactor().Text(aboutOf(about, title)), maxUnasked), SpaceID: l.s.space.ID, At: m.now(),
	})
}

// spelled is a call with its command among its arguments, where an agent tells it in the title only, as pi does.
func spelled(c permission.Call) permission.Call {
	if c.Kind != "execute" || !bare(&c) || c.Title == "" {
		return c
	}
	if input, err := json.Marshal(map[string]string{"command": strings.Trim(c.Title, "`")}); err == nil {
		c.Input = input
	}
	return c
}

// bare reports whether a call came without arguments.
func bare(c *permission.Call) bool {
	input := strings.TrimSpace(string(c.Input))
	return !c.Long && (input == "" || input == "{}" || input == "null")
}

// maxUnasked is how much is kept of what an agent did, in bytes.
const maxUnasked = 160

// aboutOf is what a call was about: its command, the file, or else its title.
func aboutOf(sub *permission.Subject, title string) string {
	switch {
	case sub.Line != "":
		return sub.Line
	case len(sub.Files) == 0:
		return title
	case sub.Files[0].Real != "":
		return sub.Files[0].Real
	}
	return sub.Files[0].Named
}

// consentKind is the kind by which the user consents to something: an edit stands for everything that changes files.
func consentKind(kind string) string {
	if kind == "delete" || kind == "move" {
		return "edit"
	}
	return kind
}

// keeps reports whether a call only changed files that the agent keeps for itself in the home, such as its plans. A sandbox would let it.
func (l *link) keeps(sub *permission.Subject) bool {
	home, err := os.UserHomeDir()
	if err != nil || sub.Line != "" || len(sub.Files) == 0 {
		return false
	}
	own := sandbox.Own(homeOf(l.config), home)
	return !slices.ContainsFunc(sub.Reading().Files, func(f permission.Target) bool {
		path := f.Path
		if f.Real != "" {
			path = f.Real
		}
		return !slices.ContainsFunc(own, func(dir string) bool {
			rest, ok := strings.CutPrefix(filepath.Clean(path), dir)
			return ok && (rest == "" || rest[0] == filepath.Separator)
		})
	})
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

// vouchWish vouches for the calls that a wish may belong to: those that show it, else all open ones that could. The lock is held.
// It returns what the run keeps of it, nil for a wish to read.
func (l *link) vouchWish(w *wish) *deed {
	if w.kind == "read" {
		l.s.noteRead(w.files)
		return nil
	}
	noted := &deed{kind: w.kind, files: w.files, command: w.command}
	l.s.noteDeed(noted)
	found := false
	for id, call := range l.calls {
		if l.shows(id, &call.Call, w) {
			l.vouch(id)
			found = true
		}
	}
	if found {
		return noted
	}
	for id, call := range l.calls {
		if kind := consentKind(call.Kind); !acts(kind) || kind == w.kind {
			l.vouch(id)
		}
	}
	return noted
}

// aboutDeed is what a call is about, for [Session.knows]: a command or files, whatever is done with these.
func (s *Session) aboutDeed(c *permission.Call, sub *permission.Subject) *deed {
	d := &deed{kind: consentKind(sub.Kind)}
	if sub.Line != "" {
		d.command, _ = commandOf(c.Input)
	}
	for i := range sub.Files {
		d.files = append(d.files, s.fileKey(sub.Files[i].Named))
	}
	return d
}

// noteDeed keeps what Weft was asked about, or asked to do, in this turn: some agents show it as a call with another id, or later. The lock is held.
func (s *Session) noteDeed(d *deed) {
	if s.run != nil && len(s.run.deeds) < maxAnswers {
		s.run.deeds = append(s.run.deeds, d)
	}
}

// maxReads is how many files are kept that were read through Weft in a turn.
const maxReads = 4096

// noteRead keeps which files Weft was asked to read in this turn: a call to read one of them shows just that. The lock is held.
func (s *Session) noteRead(files []string) {
	if s.run == nil || len(s.run.reads) >= maxReads {
		return
	}
	if s.run.reads == nil {
		s.run.reads = map[string]bool{}
	}
	for _, f := range files {
		s.run.reads[f] = true
	}
}

// readThrough reports whether Weft was asked to read the files of a call. The lock is held.
func (s *Session) readThrough(d *deed) bool {
	return len(s.run.reads) >= maxReads || slices.ContainsFunc(d.files, func(f string) bool { return s.run.reads[f] })
}

// knows reports whether Weft was asked about the same command or file in this turn, as far as that is kept. The lock is held.
func (s *Session) knows(d *deed) bool {
	return len(s.run.deeds) >= maxAnswers || slices.ContainsFunc(s.run.deeds, func(o *deed) bool {
		return o.kind == d.kind && (d.command != "" && o.command == d.command || slices.ContainsFunc(o.files, func(path string) bool { return slices.Contains(d.files, path) }))
	})
}
