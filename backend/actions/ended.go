package actions

import (
	"path/filepath"
	"slices"
	"strings"

	"weft/backend/permission"
	"weft/backend/permission/files"
	"weft/backend/transcript"
)

// Ended is a call of an agent that has ended, with what tells whether the agent should have asked about it.
type Ended struct {
	Status   transcript.Status
	Exited   bool                // its result has an exit code in it
	Vouched  bool                // Weft was asked about it, or had a hand in it
	Boxed    bool                // the agent runs in a sandbox
	Replayed bool                // it is of an earlier turn, or outside of one
	About    *permission.Subject // as rules read it
	Bare     bool                // see [Bare]
	Verdict  permission.Verdict  // of the rules and the mode, had the agent asked
	Chosen   bool                // the user lets the agent do this without asking
	Kept     bool                // it changed only what the agent keeps for itself
}

// Ran reports whether the call certainly did what it says, and Weft had no say in that. A call that failed or was canceled may never have begun,
// unless a command has left its exit code.
func (e *Ended) Ran() bool {
	return (e.Status == transcript.StatusCompleted || e.Status == transcript.StatusFailed && e.Exited) && !e.Vouched && !e.Boxed && !e.Replayed
}

// ReadAgainst reports whether the agent has read, by a call of its own, what a rule rejects: a file that the call names, or one that a command reads. Whatever
// else a search may have opened isn't known.
func (e *Ended) ReadAgainst(d permission.Decision) bool {
	return e.Ran() && !e.Kept && d.Verdict == permission.Rejected && d.Rule != nil
}

// Unasked reports whether an agent has acted by the call without asking, although it would have had to ask, or to leave it.
func (e *Ended) Unasked() bool { return e.Acted() && !e.Chosen }

// Acted is Unasked whatever the user lets the agent do.
func (e *Ended) Acted() bool {
	switch sub := e.About; {
	case !e.Ran() || e.Kept || e.Verdict == permission.Allowed || !Acts(sub.Kind):
		return false
	case sub.Line != "":
		return !sub.OnlyReads()
	default:
		// Some agents give a to-do list, which runs and changes nothing, the kind of a command or an edit. So the kind alone counts only if the
		// call names a file, or has nothing but a title.
		return len(sub.Files) > 0 || e.Bare
	}
}

// MayChange reports whether the call may have changed files.
func (e *Ended) MayChange() bool {
	switch e.About.Kind {
	case Execute:
		return !e.About.OnlyReads()
	case Edit, "delete", "move", Other:
		return !e.Kept
	}
	return false
}

// Against reports whether the user should have been asked about a call: by a rule that rejects, a read-only space, or a space that asks about everything.
// Chosen reports that the user lets the agent do this, which counts for the last one.
func Against(d permission.Decision, mode permission.Mode, chosen bool) bool {
	return d.Verdict == permission.Rejected || d.Verdict == permission.Ask && mode == permission.AskAlways && !chosen
}

// Bare reports whether a call came without arguments.
func Bare(c *permission.Call) bool {
	input := strings.TrimSpace(string(c.Input))
	return !c.Long && (input == "" || input == "{}" || input == "null")
}

// Name returns what a call was about in a few words: its command, its file, or else its title.
func Name(sub *permission.Subject, title string) string {
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

// OnlyIn reports whether a call touches files, and only such in these folders.
func OnlyIn(sub *permission.Subject, dirs []string) bool {
	if sub.Line != "" || len(sub.Files) == 0 {
		return false
	}
	return !slices.ContainsFunc(sub.Reading().Files, func(f files.Target) bool {
		path := f.Path
		if f.Real != "" {
			path = f.Real
		}
		return !slices.ContainsFunc(dirs, func(dir string) bool {
			rest, ok := strings.CutPrefix(filepath.Clean(path), dir)
			return ok && (rest == "" || rest[0] == filepath.Separator)
		})
	})
}
