package owner

import (
	"sync"
	"time"

	"weft/backend/store/events"
)

// World runs a space's slow operations. Only Wait blocks: every other method returns at once and reports its result exactly once, by calling a
// function without holding a lock.
type World interface {
	// Append stores a batch. It is called with the lock held.
	Append(req events.Append, done func(error))
	// Probe finds out whether the store takes anything. It is called with the lock held.
	Probe(done func(error))
	// After calls do after d. It is called with the lock held.
	After(d time.Duration, do func())
	// Run runs do, which may have to wait, in a goroutine of its own. It may be called with the lock held.
	Run(do func())
	// Wait is cond.Wait: it waits until cond is signaled. cond.L is held before and after.
	Wait(cond *sync.Cond)
	// Panicked is told what an effect of a space has panicked with, while it does. It is called without the lock.
	Panicked(spaceID string, p any)
}
