package gatecalls

import (
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/transcript"
)

// Wait is how long a call that has arrived at the gateway waits for its line, so that it is where the agent shows it. Only a
// call without a line waits.
const Wait = 300 * time.Millisecond

// Arrival is a call that has arrived at the gateway.
type Arrival[S any] struct {
	Tool string
	Sent jsontext.Value // its arguments
	// Call is its line; nil while none is known. It may still be found once the arrival is settled.
	Call *Call[S]
	// Patch is what its line is to show from now on; nil for nothing.
	Patch *transcript.ToolPatch
	// Settled: the caller continues, with or without a line.
	Settled bool
	// Until is when a call that is not settled will be, at [Calls.Tick].
	Until time.Time
	// Drawn is set by the caller if the call is in the session's own space without a line: a line that comes later is not shown beside it.
	Drawn bool
}

// fits returns how certain it is that a new line of a tool, with the arguments that are known of it, is the call.
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
	return no // until its time is over it may still be shown as it was sent
}

// isWithin returns how certain it is that a new line with an unknown tool is the call.
func (a *Arrival[S]) isWithin(input jsontext.Value) int {
	if HasArguments(a.Sent) && holds(input, a.Sent) {
		return within
	}
	return no
}

// arrivals are the calls that have arrived at the gateway and whose line is not known, the oldest first.
type arrivals[S any] struct{ list []*Arrival[S] }

// add adds a call, and reports false if there are too many.
func (l *arrivals[S]) add(a *Arrival[S]) bool {
	if len(l.list) >= MaxCalls {
		return false
	}
	l.list = append(l.list, a)
	return true
}

// remove removes a call whose line is known.
func (l *arrivals[S]) remove(a *Arrival[S]) {
	l.list = slices.DeleteFunc(l.list, func(other *Arrival[S]) bool { return other == a })
}

// due returns the calls that are not settled and whose time is over.
func (l *arrivals[S]) due(now time.Time) (due []*Arrival[S]) {
	for _, a := range l.list {
		if !a.Settled && !a.Until.After(now) {
			due = append(due, a)
		}
	}
	return due
}

// end settles and removes all calls, and returns those that were not settled.
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

// best returns the call that a new line fits best, the oldest of several; nil if it fits none (0).
func (l *arrivals[S]) best(fit func(*Arrival[S]) int) (found *Arrival[S]) {
	better := 0
	for _, a := range l.list {
		if fits := fit(a); fits > better {
			found, better = a, fits
		}
	}
	return found
}
