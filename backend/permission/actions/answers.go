package actions

import (
	"slices"

	"weft/backend/conversation/transcript"
	"weft/backend/permission"
)

// maxAnswers limits how many answers of a turn are remembered.
const maxAnswers = 256

// Answer is the answer to a permission request of a turn.
type Answer struct {
	Action
	Allow  bool
	Own    bool   // a request of Weft itself: if allowed, the operation was carried out
	Always bool   // the user chose an "always" option
	Call   string // the call that asked

	used map[string]bool // files that were written since, and asked for a request of the agent
	ran  map[Run]int     // how often each command was run since
}

// asked is the key in [Answer.used] for a request of the agent. It can't be an absolute path.
const asked = "asked"

// Effect returns the effect of the answer.
func (a *Answer) Effect() permission.Effect {
	if a.Allow {
		return permission.Allow
	}
	return permission.Reject
}

// By returns who decided a request that this answer covers.
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

// Covers returns the latest answer that covers an operation of Weft, or nil. An approval is used up by a write or a
// command, but not by a read. current returns the present text of the file.
func (l *Answers) Covers(d *Action, sensitive bool, current func() string) *Answer {
	for _, a := range slices.Backward(l.list) {
		switch {
		case a.Kind != d.Kind && (a.Kind != Edit || d.Kind != Read || !a.Allow): // permission to change a file includes reading it
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

// Settles returns the answer to an agent's own request about something that Weft has already asked about, or nil. An
// approval settles one request.
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

// coversRun reports whether an answer covers the one command in runs. An approval covers it as many times as the
// request contained it.
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

// shows reports whether the request has shown what is written now. A request that showed no change was about the file
// as a whole, which isn't enough for a file of git.
func (a *Answer) shows(c *Change, sensitive bool, current func() string) bool {
	for i := range a.Changes {
		if shown := &a.Changes[i]; shown.Path == c.Path && (shown.Gives(c.New, current) || a.Allow && shown.IsDone(c.New, current)) {
			return true
		}
	}
	return len(a.Changes) == 0 && !sensitive
}
