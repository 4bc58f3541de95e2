// Package unasked tells what an agent has done without asking the user, although it should have (decision 0025).
//
// A session has a [Watch]. It is told which calls Weft had a say in, judges calls as they end, and files that were found to have changed. What is to be
// reported is returned. It has no lock and doesn't wait.
package unasked

import (
	"path/filepath"

	"weft/backend/actions"
	"weft/backend/permission"
	"weft/backend/requests"
	"weft/backend/toolcalls"
	"weft/backend/transcript"
)

// Agent is what is known of the agent that is watched. Its functions are called in [Watch.Ended] and don't block.
type Agent struct {
	// Trusted: it isn't noted what the agent does without asking.
	Trusted bool
	Boxed   bool // it runs in a sandbox
	// Keeps returns the folders that the agent keeps for itself, for instance for its plans. A sandbox would let it.
	Keeps func() []string
	// Seen reports whether it is known already that the agent acts without asking.
	Seen func() bool
	// Lets reports whether the user lets the agent do things of a kind without asking.
	Lets func(kind string) bool
}

// Watch is what is known of the calls of one session. It is not safe for concurrent use.
type Watch struct {
	agent   Agent
	calls   toolcalls.Open
	vouched map[string]bool // calls that Weft was asked about, or may have had a hand in
}

// New returns a watch. Calls has what the agent has reported of all its open calls; the caller keeps it.
func New(agent Agent, calls toolcalls.Open) *Watch {
	return &Watch{agent: agent, calls: calls, vouched: map[string]bool{}}
}

// Trusted reports whether it isn't noted what the agent does without asking.
func (w *Watch) Trusted() bool { return w.agent.Trusted }

// Now is what holds when something is judged.
type Now struct {
	Place permission.Place
	Rules *permission.Set
	Mode  permission.Mode
}

// Finding is something that an agent has done.
type Finding struct {
	Call     permission.Call
	About    *permission.Subject
	Decision permission.Decision // of the rules and the mode, had the agent asked
	// Report: the user should have been asked, and is told.
	Report bool
	// Unasked: it is noted of the agent that it acts without asking.
	Unasked bool
}

// Ended judges a call that ends with the report p; what was reported of it before is still among the open calls. Turn is the turn in which it was made, nil
// if that isn't one of a prompt, or was stopped. Exited reports that its result has an exit code in it, and arrived that it is a call of one of Weft's own tools.
func (w *Watch) Ended(p *transcript.ToolPatch, turn *actions.Turn, exited, arrived bool, now Now) (f Finding) {
	if w.agent.Trusted || w.agent.Seen() && now.Mode == permission.FollowRules && !now.Rules.Refuses() {
		return f // nothing new would be reported
	}
	e := &actions.Ended{
		Status: *p.Status, Exited: exited, Boxed: w.agent.Boxed, Vouched: w.vouched[p.ID] || len(w.vouched) >= toolcalls.MaxCalls || arrived, Replayed: turn == nil,
	}
	if !e.Ran() {
		return f
	}
	f.Call = actions.Spelled(w.calls.With(p))
	f.About = permission.Describe(&f.Call, now.Place)
	e.About = f.About
	about := actions.About(&f.Call, f.About)
	e.Vouched, e.Bare = turn.Knows(about), actions.Bare(&f.Call)
	f.Decision = now.Rules.Decide(f.About, now.Mode)
	e.Verdict = f.Decision.Verdict
	e.Chosen = w.agent.Lets(actions.Kind(f.About.Kind))
	e.Kept = actions.OnlyIn(f.About, w.agent.Keeps())
	turn.Found.Ended(e)
	if f.About.Line == "" && !actions.Acts(f.About.Kind) {
		e.Vouched = e.Vouched || turn.HasRead(about)
	}
	acted := e.Acted() && actions.Against(f.Decision, now.Mode, e.Chosen)
	if acted {
		turn.Found.Reported(f.About)
	}
	f.Report, f.Unasked = acted || e.ReadAgainst(f.Decision), e.Unasked()
	return f
}

// Vouch notes that Weft was asked about a call, or may have had a hand in it.
func (w *Watch) Vouch(call string) {
	if len(w.vouched) < toolcalls.MaxCalls {
		w.vouched[call] = true
	}
}

// VouchShown vouches for a call that shows a terminal of Weft's.
func (w *Watch) VouchShown(p *transcript.ToolPatch, ours func(terminal string) bool) {
	if p.Content == nil {
		return
	}
	for i := range *p.Content {
		if id := (*p.Content)[i].Terminal; id != "" && ours(id) {
			w.Vouch(p.ID)
		}
	}
}

// VouchFor vouches for the calls that an operation may belong to: those that show it, else all open ones that could. Turn is the one in progress, nil if there
// is none. It returns what the turn keeps of the operation, nil for reading.
func (w *Watch) VouchFor(o *requests.Operation, turn *actions.Turn, shown actions.Shown, folder string) *actions.Action {
	if o.Kind == actions.Read {
		if turn != nil {
			turn.NoteReads(o.Files)
		}
		return nil
	}
	noted := &actions.Action{Kind: o.Kind, Files: o.Files, Runs: o.Runs}
	if turn != nil {
		turn.Note(noted)
	}
	found := false
	for id, call := range w.calls {
		if o.FitOf(&call.Call, shown[id], folder) >= actions.IsAbout {
			w.Vouch(id)
			found = true
		}
	}
	if found {
		return noted
	}
	for id, call := range w.calls {
		if kind := actions.Kind(call.Kind); !actions.Acts(kind) || kind == o.Kind {
			w.Vouch(id)
		}
	}
	return noted
}

// MayChange reports whether a call is open that may have changed files: its end tells more about files that were found. Drawn reports whether a call is a
// display.
func (w *Watch) MayChange(drawn func(call string) bool) bool {
	for id, call := range w.calls {
		if kind := call.Kind; (actions.Acts(kind) || kind == actions.Other || kind == "") && !drawn(id) {
			return true
		}
	}
	return false
}

// Forget is for the end of a run: its calls are forgotten.
func (w *Watch) Forget() { clear(w.vouched) }

// Row is a call of Weft's own that shows files of a folder that were found.
func Row(id, folder string, g *actions.FoundGroup) *transcript.ToolPatch {
	done, locations := transcript.StatusCompleted, make([]transcript.Location, len(g.Call.Paths))
	for i, path := range g.Call.Paths {
		locations[i].Path = filepath.Join(folder, filepath.FromSlash(path))
	}
	return &transcript.ToolPatch{ID: id, Announced: true, Title: &g.Call.Title, Kind: &g.Call.Kind, Status: &done, Locations: &locations}
}
