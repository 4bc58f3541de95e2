// Package unasked detects what an agent did without asking the user although it should have asked (decision 0025).
//
// A session has a [Watch]. The session reports which calls Weft was asked about, and the Watch judges calls as they
// end, and files that were found to have changed. It returns what must be reported. It has no lock and doesn't wait.
package unasked

import (
	"path/filepath"

	"weft/backend/conversation/transcript"
	"weft/backend/permission"
	"weft/backend/permission/actions"
	"weft/backend/space/requests"
	"weft/backend/space/toolcalls"
)

// Agent describes the agent that is watched. Its functions are called in [Watch.Ended] and don't block.
type Agent struct {
	// Trusted means that unasked actions aren't recorded.
	Trusted   bool
	Sandboxed bool // it runs in a sandbox
	// Keeps returns the agent's own folders, for example for its plans. A sandbox lets it write there.
	Keeps func() []string
	// Seen reports whether the agent is already known to act without asking.
	Seen func() bool
	// Lets reports whether the user allows actions of this kind without asking.
	Lets func(kind string) bool
}

// Watch tracks the calls of one session. It is not safe for concurrent use.
type Watch struct {
	agent   Agent
	calls   toolcalls.Open
	vouched map[string]bool // calls that Weft was asked about, or may have been part of
}

// New returns a watch. calls has all open calls of the agent; the caller updates it.
func New(agent Agent, calls toolcalls.Open) *Watch {
	return &Watch{agent: agent, calls: calls, vouched: map[string]bool{}}
}

// Trusted reports whether unasked actions aren't recorded.
func (w *Watch) Trusted() bool { return w.agent.Trusted }

// Now has the settings by which an action is judged.
type Now struct {
	Place permission.Place
	Rules *permission.Set
	Mode  permission.Mode
}

// Finding is the result for a call that has ended.
type Finding struct {
	Call     permission.Call
	About    *permission.Subject
	Decision permission.Decision // what the rules and the mode would have decided
	// Report means that the user should have been asked, and must be told.
	Report bool
	// Unasked means that the agent must be recorded as acting without asking.
	Unasked bool
}

// Judges reports whether calls that end are judged. Otherwise nothing new would be reported.
func (w *Watch) Judges(now *Now) bool {
	return !w.agent.Trusted && (!w.agent.Seen() || now.Mode != permission.FollowRules || now.Rules.Refuses())
}

// Ended judges a call that ends with the update p. The earlier updates are still in the open calls. turn is the
// prompt's turn that made the call, or nil if there is none or it was stopped. exited means that the result contains
// an exit code, arrived that it is a call of one of Weft's own tools.
func (w *Watch) Ended(p *transcript.ToolPatch, turn *actions.Turn, exited, arrived bool, now Now) (f Finding) {
	if !w.Judges(&now) {
		return f
	}
	e := &actions.Ended{
		Status: *p.Status, Exited: exited, Sandboxed: w.agent.Sandboxed, Vouched: w.vouched[p.ID] || len(w.vouched) >= toolcalls.MaxCalls || arrived, Replayed: turn == nil,
	}
	if !e.Ran() {
		return f
	}
	f.Call = actions.CommandFromTitle(w.calls.With(p))
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
	acted := e.Acted() && actions.ShouldHaveAsked(f.Decision, now.Mode, e.Chosen)
	if acted {
		turn.Found.Reported(f.About)
	}
	f.Report, f.Unasked = acted || e.ReadRejected(f.Decision), e.Unasked()
	return f
}

// Vouch records that Weft was asked about a call, or may have been part of it.
func (w *Watch) Vouch(call string) {
	if len(w.vouched) < toolcalls.MaxCalls {
		w.vouched[call] = true
	}
}

// VouchShown vouches for a call that shows one of Weft's terminals.
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

// VouchFor vouches for the calls that an operation may belong to: those that show it, or else all open calls that
// could include it. turn is the current turn, or nil. It returns the action that was recorded for the turn, or nil
// for a read.
func (w *Watch) VouchFor(o *requests.Operation, turn *actions.Turn, shown actions.Shown, at permission.Place) *actions.Action {
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
		if o.FitOf(&call.Call, shown[id], at) >= actions.IsAbout {
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

// MayChange reports whether an open call may still explain changed files that were found. drawn reports whether a
// call is a display.
func (w *Watch) MayChange(drawn func(call string) bool) bool {
	for id, call := range w.calls {
		if kind := call.Kind; (actions.Acts(kind) || kind == actions.Other || kind == "") && !drawn(id) {
			return true
		}
	}
	return false
}

// Forget drops the calls of a run at its end.
func (w *Watch) Forget() { clear(w.vouched) }

// Row returns a call that shows files of a folder that were found to have changed.
func Row(id, folder string, g *actions.FoundGroup) *transcript.ToolPatch {
	done, locations := transcript.StatusCompleted, make([]transcript.Location, len(g.Call.Paths))
	for i, path := range g.Call.Paths {
		locations[i].Path = filepath.Join(folder, filepath.FromSlash(path))
	}
	return &transcript.ToolPatch{ID: id, Announced: true, Title: &g.Call.Title, Kind: &g.Call.Kind, Status: &done, Locations: &locations}
}
