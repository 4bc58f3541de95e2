package actions

import (
	"slices"

	"weft/backend/permission"
	"weft/backend/transcript"
)

// maxAnswers is how many answers of a turn are remembered.
const maxAnswers = 256

// Answer is the answer to a permission request of a turn.
type Answer struct {
	Action
	Allow  bool
	Own    bool   // the request was Weft's own: what it allowed was done
	Always bool   // the user has answered with an option that says always
	Call   string // at which it was asked

	used map[string]bool // files that were written since, asked for a request of the agent
	ran  map[Run]int     // how often its commands were run since
}

// asked is the name in [Answer.used] of a request of the agent. It is no absolute path.
const asked = "asked"

// Effect returns what the answer says.
func (a *Answer) Effect() permission.Effect {
	if a.Allow {
		return permission.Allow
	}
	return permission.Reject
}

// By returns who has answered a request that this answer covers.
func (a *Answer) By() *transcript.By {
	return &transcript.By{Who: "answered", Effect: string(a.Effect())}
}

// Answers are the latest answers of a turn, oldest first.
type Answers struct{ list []*Answer }

// Remember adds an answer.
func (l *Answers) Remember(a Answer) {
	if len(l.list) >= maxAnswers {
		l.list = slices.Delete(l.list, 0, 1)
	}
	a.used, a.ran = map[string]bool{}, map[Run]int{}
	l.list = append(l.list, &a)
}

// Covers finds the latest answer to what Weft is asked to do now. A yes is used up by a write or a command, and not by reading. Current returns
// the text that the file has.
func (l *Answers) Covers(d *Action, sensitive bool, current func() string) *Answer {
	for _, a := range slices.Backward(l.list) {
		switch {
		case a.Kind != d.Kind && (a.Kind != Edit || d.Kind != Read || !a.Allow): // an agent that may change a file may read it
			continue
		case d.Kind == Execute:
			if !a.coversRun(d.Runs) {
				continue
			}
			a.ran[d.Runs[0]]++
			return a
		case len(d.Files) != 1 || !slices.Contains(a.Files, d.Files[0]):
			continue
		case d.Kind == Read:
			return a
		}
		if a.used[d.Files[0]] || a.Own && a.Allow || !a.shows(&d.Changes[0], sensitive, current) {
			continue
		}
		if a.Allow {
			a.used[d.Files[0]] = true
		}
		return a
	}
	return nil
}

// Settles finds the answer that an agent's own request has had already, since Weft asked about the same thing before. A yes settles one request.
func (l *Answers) Settles(d *Action) *Answer {
	for _, a := range slices.Backward(l.list) {
		if !a.Own || a.used[asked] || !a.same(d) {
			continue
		}
		a.used[asked] = a.Allow
		return a
	}
	return nil
}

// coversRun reports whether an answer is about the one command of runs. A yes is good for as many times as it was asked about.
func (a *Answer) coversRun(runs []Run) bool {
	if len(runs) != 1 || a.Own && a.Allow {
		return false
	}
	asked := 0
	for _, r := range a.Runs {
		if r == runs[0] {
			asked++
		}
	}
	return asked > 0 && (!a.Allow || a.Always || a.ran[runs[0]] < asked)
}

// shows reports whether what is written now is what the request has shown. A request that has shown no change at all was about the file as such,
// which is not enough for a file of git.
func (a *Answer) shows(c *Change, sensitive bool, current func() string) bool {
	for i := range a.Changes {
		if shown := &a.Changes[i]; shown.Path == c.Path && (shown.Gives(c.New, current) || a.Allow && shown.IsDone(c.New, current)) {
			return true
		}
	}
	return len(a.Changes) == 0 && !sensitive
}
