// Package turn tracks the phase of a run, from the stored prompt to its end, and translates its end into the
// conversation.
//
// A [Turn] belongs to one run. It has no lock: its methods are called in a step of the run's space.
//
// result.go says what an end means, pulse.go and progress.go watch a turn that shows nothing, notes.go has the
// sentences, and hold.go what must hold before a prompt is sent (decision 0063).
package turn

import (
	"fmt"
	"slices"
)

// Phase is the state of a run.
type Phase int

const (
	// New means that the run is being stored.
	New Phase = iota
	// Waiting means that it waits for a session.
	Waiting
	// Preparing means that its prompt is being assembled.
	Preparing
	// Sent means that the agent has the prompt.
	Sent
	// Over means that the run has ended.
	Over
)

var phaseNames = [...]string{"new", "waiting", "preparing", "sent", "over"}

func (p Phase) String() string { return phaseNames[p] }

// phases lists the allowed transitions.
var phases = [...][]Phase{
	New:       {Waiting, Over},
	Waiting:   {Preparing, Over},
	Preparing: {Waiting, Sent, Over},
	Sent:      {Waiting, Over},
	Over:      {},
}

// Turn is the state of a run. The zero value is a run that is being stored.
type Turn struct {
	// Started is when it began, in unix ms.
	Started int64
	// Progress records what the agent has sent so far.
	Progress Progress

	phase    Phase
	stopping bool
	reopened bool // it has waited for another session once
	prompted bool // the prompt was sent to the agent
	shows    bool // the agent has said or done something
}

// to changes the phase. It panics if the transition isn't allowed, which is a bug in Weft.
func (t *Turn) to(next Phase) {
	if !slices.Contains(phases[t.phase], next) {
		panic(fmt.Sprintf("a run that is %s can't become %s", t.phase, next))
	}
	t.phase = next
}

// Phase returns the phase of the run.
func (t *Turn) Phase() Phase { return t.phase }

// Start records that the run is stored and waits for a session. It returns false if the run was stopped before.
func (t *Turn) Start() bool {
	if t.phase != New {
		return false
	}
	t.to(Waiting)
	return true
}

// Prepare records that the run has a session and its prompt is being assembled.
func (t *Turn) Prepare() { t.to(Preparing) }

// Reopen makes the run wait for another session instead of its current one. It returns false if it did so before.
func (t *Turn) Reopen() bool {
	if t.reopened {
		return false
	}
	t.reopened = true
	t.to(Waiting)
	return true
}

// Send records that the prompt is sent to the agent.
func (t *Turn) Send() {
	t.to(Sent)
	t.prompted = true
}

// Again makes the run wait for another session because the current one couldn't take its prompt. The run must not be
// stopped.
func (t *Turn) Again() { t.to(Waiting) }

// Prompted reports whether the prompt was sent to the agent.
func (t *Turn) Prompted() bool { return t.prompted }

// Shows reports whether the agent has said or done something.
func (t *Turn) Shows() bool { return t.shows }

// Show records that the agent has said or done something.
func (t *Turn) Show() { t.shows = true }

// Stop records that the run is being stopped. It returns false if it already was.
func (t *Turn) Stop() bool {
	if t.stopping {
		return false
	}
	t.stopping = true
	return true
}

// Stopping reports whether the run was stopped.
func (t *Turn) Stopping() bool { return t.stopping }

// End records that the run is over. It returns false if it already was.
func (t *Turn) End() bool {
	if t.phase == Over {
		return false
	}
	t.to(Over)
	return true
}
