package actions

import (
	"path/filepath"
	"slices"
	"strings"

	"weft/backend/conversation/transcript"
	"weft/backend/permission"
	"weft/backend/permission/files"
)

// Ended is an agent's call that has ended, with everything that tells whether the agent should have asked about it.
type Ended struct {
	Status    transcript.Status
	Exited    bool                // its result contains an exit code
	Vouched   bool                // Weft was asked about it or took part in it
	Sandboxed bool                // the agent runs in a sandbox
	Replayed  bool                // it belongs to an earlier turn, or to none
	About     *permission.Subject // as rules read it
	Bare      bool                // see [Bare]
	Verdict   permission.Verdict  // of the rules and the mode, if the agent had asked
	Chosen    bool                // the user lets the agent do this without asking
	Kept      bool                // it changed only the agent's own files
}

// Ran reports whether the call was certainly carried out without Weft having a say. A call that failed or was canceled
// may never have started, unless there is an exit code.
func (e *Ended) Ran() bool {
	return (e.Status == transcript.StatusCompleted || e.Status == transcript.StatusFailed && e.Exited) && !e.Vouched && !e.Sandboxed && !e.Replayed
}

// ReadRejected reports whether the agent has read, with a call of its own, what a rule rejects: a file that the call
// names, or one that a command reads. What else a search may have opened isn't known.
func (e *Ended) ReadRejected(d permission.Decision) bool {
	return e.Ran() && !e.Kept && d.Verdict == permission.Rejected && d.Rule != nil
}

// Unasked reports whether the agent acted by the call without asking, although it should have asked or not acted.
func (e *Ended) Unasked() bool { return e.Acted() && !e.Chosen }

// Acted is like Unasked, but ignores what the user lets the agent do.
func (e *Ended) Acted() bool {
	switch sub := e.About; {
	case !e.Ran() || e.Kept || e.Verdict == permission.Allowed || !Acts(sub.Kind):
		return false
	case sub.Line != "":
		return !sub.OnlyReads()
	default:
		// Some agents report a to-do list as a command or an edit, although it runs and changes nothing. So the kind
		// alone counts only if the call names a file, or has nothing but a title.
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

// ShouldHaveAsked reports whether the user should have been asked about a call, because of a reject rule, a read-only
// space, or a space that asks about everything. chosen reports that the user lets the agent do this, which matters only
// for the last case.
func ShouldHaveAsked(d permission.Decision, mode permission.Mode, chosen bool) bool {
	return d.Verdict == permission.Rejected || d.Verdict == permission.Ask && mode == permission.AskAlways && !chosen
}

// Bare reports whether a call has no arguments.
func Bare(c *permission.Call) bool {
	input := strings.TrimSpace(string(c.Input))
	return !c.Long && (input == "" || input == "{}" || input == "null")
}

// Name returns what a call is about in a few words: its command, its file, or its title.
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

// OnlyIn reports whether a call touches files, and only files in these folders.
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
