package turn

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/agent/failure"
	"weft/backend/conversation/transcript"
)

// Result is how a run ended.
type Result struct {
	StopReason string         // as reported by the agent, if Err is nil
	Usage      jsontext.Value // nil if unknown
	Err        error          // why the agent didn't end its turn
	Refused    bool           // a request of the agent was refused during the turn
	Prompt     string         // the user's prompt
	// Empty returns what to show for a turn that ended without output. Nil: nothing.
	Empty func() transcript.Failure
}

// Complete ends the message of a run at now, in unix ms, and returns the event that completes the run. The error in
// that event has no detail.
func (t *Turn) Complete(turns *transcript.Turns, f *transcript.Fold, r Result, now int64) *transcript.RunCompleted {
	done := &transcript.RunCompleted{RunID: f.RunID, Model: turns.Model}
	switch {
	case r.Err == nil:
		if r.StopReason == "cancelled" && !t.stopping { // the user didn't stop it
			if r.StopReason = "ended"; r.Refused {
				r.StopReason = "refused"
			}
		}
		if t.stopping {
			f.CancelOpen(now) // some agents end a stopped turn like any other
		}
		done.StopReason, done.Usage = r.StopReason, r.Usage
		if t.empty(r) {
			if command(r.Prompt) {
				f.Note(Wordless(turns.Agent.Name))
			} else {
				failed := r.Empty()
				done.Error = &failed
				f.Trouble(failed)
			}
		}
		turns.EndRun(f, r.StopReason, r.Usage, now)
	case t.stopping:
		done.StopReason = "cancelled"
		turns.EndRun(f, "cancelled", nil, now)
	default:
		why := failure.Of(r.Err)
		done.StopReason, done.Error = "error", &why
		f.Fail(why, now)
	}
	if done.Error != nil {
		trimmed := *done.Error
		trimmed.Detail = ""
		done.Error = &trimmed
	}
	return done
}

// empty reports whether a turn ended without output, and without a stop reason that explains it.
func (t *Turn) empty(r Result) bool {
	return r.Empty != nil && !t.shows && !t.stopping && (r.StopReason == "end_turn" || r.StopReason == "")
}

// command reports whether a prompt is a command of the agent, such as "/compact", which may produce no output. A path
// such as "/etc/hosts" isn't one.
func command(prompt string) bool {
	first, _, _ := strings.Cut(strings.Join(strings.Fields(prompt), " "), " ")
	name, ok := strings.CutPrefix(first, "/")
	return ok && name != "" && !strings.Contains(name, "/")
}
