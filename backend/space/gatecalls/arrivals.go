package gatecalls

import (
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
)

// Wait is how long a call that has arrived at the gateway waits for its line, so that it appears where the agent
// shows it. Only calls without a line wait.
const Wait = 300 * time.Millisecond

// Arrival is a call that has arrived at the gateway.
type Arrival[S any] struct {
	Tool string
	Sent jsontext.Value // its arguments
	// Call is its line; nil while it is unknown. It may still be found after the arrival is settled.
	Call *Call[S]
	// Patch is an update to show at its line, or nil.
	Patch *transcript.ToolPatch
	// Settled means that the caller can continue, with or without a line.
	Settled bool
	// Until is when [Calls.Tick] settles the call at the latest.
	Until time.Time
	// Drawn is set by the caller if the call is drawn in the session's own space without a line: a line that is found
	// later is then hidden.
	Drawn bool
}

// fits returns how certain it is that a new line of tool, with the arguments shown so far, is this call.
func (a *Arrival[S]) fits(tool string, shown jsontext.Value) int {
	switch {
	case a.Tool != tool:
		return no
	case SameJSON(shown, a.Sent):
		return same
	case !HasArguments(shown):
		return unknown
	case holds(shown, a.Sent):
		return within
	}
	n, differs := likeness(shown, a.Sent, !a.Settled)
	switch {
	case n == 0:
		return no
	case !differs:
		return alike
	case a.Settled:
		return unknown
	}
	return no // until the wait is over, it may still be shown as it was sent
}

// isWithin returns how certain it is that a new line with an unknown tool is this call.
func (a *Arrival[S]) isWithin(input jsontext.Value) int {
	if HasArguments(a.Sent) && holds(input, a.Sent) {
		return within
	}
	return no
}

// arrivals are the calls at the gateway without a line, oldest first.
type arrivals[S any] struct{ list []*Arrival[S] }

// add adds a call. It returns false if there are too many.
func (l *arrivals[S]) add(a *Arrival[S]) bool {
	if len(l.list) >= MaxCalls {
		return false
	}
	l.list = append(l.list, a)
	return true
}

// remove removes a call whose line was found.
func (l *arrivals[S]) remove(a *Arrival[S]) {
	l.list = slices.DeleteFunc(l.list, func(other *Arrival[S]) bool { return other == a })
}

// due returns the calls that aren't settled and whose wait is over.
func (l *arrivals[S]) due(now time.Time) (due []*Arrival[S]) {
	for _, a := range l.list {
		if !a.Settled && !a.Until.After(now) {
			due = append(due, a)
		}
	}
	return due
}

// end settles and removes all calls, and returns those that weren't settled.
func (l *arrivals[S]) end() (waited []*Arrival[S]) {
	for _, a := range l.list {
		if !a.Settled {
			a.Settled = true
			waited = append(waited, a)
		}
	}
	l.list = nil
	return waited
}

// best returns the call with the highest fit, the oldest of several; nil if none is above 0.
func (l *arrivals[S]) best(fit func(*Arrival[S]) int) (found *Arrival[S]) {
	better := 0
	for _, a := range l.list {
		if fits := fit(a); fits > better {
			found, better = a, fits
		}
	}
	return found
}
