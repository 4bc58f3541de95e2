package elsewhere

import "weft/backend/conversation/transcript"

// Space is a space that runs of other spaces write to. Enter is called without a lock, all other methods between
// Enter and Unlock.
type Space interface {
	// Enter begins a step. It blocks until the space accepts more. Error: *fault.Error (closing); then no step has
	// begun.
	Enter() error
	// Unlock ends the step.
	Unlock()
	// Join begins a message of a run, as the member that may write for the run's agent, and adds the run to the guests
	// if necessary. Error: the agent has no such member.
	Join(g *Guest) (*transcript.Fold, error)
	// Over records that a run that writes there has ended. Its displays still accept answers.
	Over(runID, stopReason string)
	// Changed marks the snapshot of the space as out of date.
	Changed()
	// After queues do for when everything so far is stored.
	After(do func())
	// Flush stores everything so far as soon as possible.
	Flush()
	// Pace stores urgent events now, and others a little later.
	Pace(more bool)
}

// Home is the space that a run belongs to. Its methods are called without a lock, except Run and Now, which may be
// called with the lock of the run's space.
type Home[T Space] interface {
	// Other returns another space. It blocks for a database read.
	Other(spaceID string) (T, error)
	// Title returns the title of this space. It blocks for a database read.
	Title() string
	// Run runs do, which may wait for another space, in a goroutine.
	Run(do func())
	// Wake makes those who wait for [Run.Crowded] check it again.
	Wake()
	// Now returns the time in unix ms.
	Now() int64
}
