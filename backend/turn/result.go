package turn

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/failure"
	"weft/backend/transcript"
)

// Result is what has become of a run.
type Result struct {
	StopReason string         // as the agent says, if Err is nil
	Usage      jsontext.Value // nil if nothing is known of it
	Err        error          // why the agent has not ended its turn
	Refused    bool           // a request of the agent was refused during the turn
	Prompt     string         // what the agent was asked
	// Empty returns what the user reads about a turn that has ended with nothing to show for it. Nil: nothing.
	Empty func() transcript.Failure
}

// Complete ends the message of a run, at now in unix ms, and returns the event that completes the run, whose error has no detail.
func (t *Turn) Complete(turns *transcript.Turns, f *transcript.Fold, r Result, now int64) *transcript.RunCompleted {
	done := &transcript.RunCompleted{RunID: f.RunID, Model: turns.Model}
	switch {
	case r.Err == nil:
		if r.StopReason == "cancelled" && !t.stopping { // nobody has stopped it
			if r.StopReason = "ended"; r.Refused {
				r.StopReason = "refused"
			}
		}
		if t.stopping {
			f.CancelOpen(now) // some agents end their turn as if nothing had been stopped
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

// empty reports whether a turn has ended with nothing to show for it, and without a reason that says why.
func (t *Turn) empty(r Result) bool {
	return r.Empty != nil && !t.shows && !t.stopping && (r.StopReason == "end_turn" || r.StopReason == "")
}

// command reports whether a prompt is a command of the agent, such as "/compact", which may have nothing to say. A path such as "/etc/hosts" is none.
func command(prompt string) bool {
	first, _, _ := strings.Cut(strings.Join(strings.Fields(prompt), " "), " ")
	name, ok := strings.CutPrefix(first, "/")
	return ok && name != "" && !strings.Contains(name, "/")
}
