package owner

import (
	"sync"
	"time"

	"weft/backend/store/events"
)

// World runs a space's slow operations. Only Wait blocks: every other method returns at once and reports its result
// exactly once, by calling a function without holding a lock.
type World interface {
	// Append stores a batch. It is called with the lock held.
	Append(req events.Append, done func(error))
	// Probe checks that the store accepts writes. It is called with the lock held.
	Probe(done func(error))
	// After calls do after d. It is called with the lock held.
	After(d time.Duration, do func())
	// Run runs do, which may block, in a goroutine. It may be called with the lock held.
	Run(do func())
	// Wait is cond.Wait: it waits until cond is signaled. cond.L is held before and after.
	Wait(cond *sync.Cond)
	// Panicked reports that an effect panicked with p. It is called during the panic, so the stack is still there,
	// without the lock.
	Panicked(spaceID string, p any)
}
