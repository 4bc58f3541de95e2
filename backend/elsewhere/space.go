package elsewhere

import "weft/backend/transcript"

// Space is a space that runs of others write to. A message calls Enter without a lock, and all others between Enter and Unlock.
type Space interface {
	// Enter begins a step, as soon as the space takes more. It blocks until then. Error: *fault.Error (closing); then no step has begun.
	Enter() error
	// Unlock ends the step.
	Unlock()
	// Join begins a message of a run. If the run isn't among the guests of the space, it is added.
	Join(g *Guest) *transcript.Fold
	// Over tells the space that a run that writes there is over. What the run has shown there still takes answers.
	Over(runID, stopReason string)
	// Changed notes that what the space is doing has changed.
	Changed()
	// After has something done once everything that has happened until now is stored.
	After(do func())
	// Flush has what has happened stored as soon as possible.
	Flush()
	// Pace has what is urgent stored now, and the rest a little later.
	Pace(more bool)
}

// Home is the space that a run works in. None of its methods is called with a lock, except Run and Now: those may be called with the lock of the run's space.
type Home[T Space] interface {
	// Other returns another space. It blocks for a read.
	Other(spaceID string) (T, error)
	// Run runs do, which may have to wait for another space, in a goroutine of its own.
	Run(do func())
	// Wake has those look again that wait until the run isn't crowded any more.
	Wake()
	// Now returns the time in unix ms.
	Now() int64
}
