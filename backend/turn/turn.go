// Package turn says where a run stands, from the prompt that is stored until its end, and what its end means for the conversation.
//
// A [Turn] belongs to one run. It has no lock: its methods are called in a step of the run's space.
package turn

import (
	"fmt"
	"slices"
)

// Phase says where a run stands.
type Phase int

const (
	// New says that the run is being stored.
	New Phase = iota
	// Waiting says that it waits for a session.
	Waiting
	// Preparing says that its prompt is put together.
	Preparing
	// Sent says that the agent has the prompt.
	Sent
	// Over says that the run has ended.
	Over
)

var phaseNames = [...]string{"new", "waiting", "preparing", "sent", "over"}

func (p Phase) String() string { return phaseNames[p] }

// phases is the table of what may follow what.
var phases = [...][]Phase{
	New:       {Waiting, Over},
	Waiting:   {Preparing, Over},
	Preparing: {Waiting, Sent, Over},
	Sent:      {Waiting, Over},
	Over:      {},
}

// Turn is where a run stands. The zero value is a run that is being stored.
type Turn struct {
	// Started is when it began, in unix ms.
	Started int64
	// Progress is what has come of it so far.
	Progress Progress

	phase    Phase
	stopping bool
	reopened bool // it has waited for a second session
	prompted bool // the agent has, or had, the prompt
	shows    bool // the agent has said or done something
}

// to changes the phase. What is not in the table is a fault of Weft: it panics.
func (t *Turn) to(next Phase) {
	if !slices.Contains(phases[t.phase], next) {
		panic(fmt.Sprintf("a run that is %s can't become %s", t.phase, next))
	}
	t.phase = next
}

// Phase returns where the run stands.
func (t *Turn) Phase() Phase { return t.phase }

// Start notes that the run is stored and waits for a session. It reports false if the run was stopped before.
func (t *Turn) Start() bool {
	if t.phase != New {
		return false
	}
	t.to(Waiting)
	return true
}

// Prepare notes that the run has a session, for which its prompt is put together.
func (t *Turn) Prepare() { t.to(Preparing) }

// Reopen notes that the run waits for another session instead of the one that it has. It reports false if it has done so before.
func (t *Turn) Reopen() bool {
	if t.reopened {
		return false
	}
	t.reopened = true
	t.to(Waiting)
	return true
}

// Send notes that the agent gets the prompt.
func (t *Turn) Send() {
	t.to(Sent)
	t.prompted = true
}

// Again notes that the run waits for another session, since the one that it has could not take its prompt. The run must not be stopped.
func (t *Turn) Again() { t.to(Waiting) }

// Prompted reports whether the agent has got the prompt.
func (t *Turn) Prompted() bool { return t.prompted }

// Shows reports whether the agent has said or done something.
func (t *Turn) Shows() bool { return t.shows }

// Show notes that the agent has said or done something.
func (t *Turn) Show() { t.shows = true }

// Stop notes that the run is stopped. It reports false if that was so already.
func (t *Turn) Stop() bool {
	if t.stopping {
		return false
	}
	t.stopping = true
	return true
}

// Stopping reports whether the run was stopped.
func (t *Turn) Stopping() bool { return t.stopping }

// End notes that the run is over. It reports false if that was so already.
func (t *Turn) End() bool {
	if t.phase == Over {
		return false
	}
	t.to(Over)
	return true
}
