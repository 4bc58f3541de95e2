package owner

import (
	"sync"
	"sync/atomic"
	"time"
)

// Steps runs one step of a space at a time. A step is the code between Lock and Unlock: it changes the state of the
// space and never blocks. It queues slow work (storing, calls to the agent, notifications) as effects, which run in
// order after the step, without the lock. Their results arrive as further steps.
//
// While a [Command] is being stored, all other steps wait. [Steps.Snapshot] doesn't: it returns the state after the
// last step.
type Steps[S any] struct {
	world    World
	look     func() *S
	panicked func(p any) // called when an effect panics

	guard sync.Mutex
	cond  *sync.Cond // signaled when waiting steps may continue
	held  bool       // by a command

	begins  []func() // slow operations, started in order as soon as the step is over
	effects []func() // run in order after the step
	running bool     // a goroutine runs the effects

	dirty    bool // the snapshot is out of date
	snapshot atomic.Pointer[S]
}

func (o *Steps[S]) init(world World, look func() *S, panicked func(p any)) {
	o.cond, o.world, o.look, o.panicked = sync.NewCond(&o.guard), world, look, panicked
	o.snapshot.Store(look())
}

// Lock begins a step. It waits for the current step, and for a command that is being stored.
func (o *Steps[S]) Lock() {
	o.guard.Lock()
	for o.held {
		o.world.Wait(o.cond)
	}
}

// LockUntil begins a step once ready returns true. It calls ready with the lock held, again after each commit and
// each [Steps.Wake].
func (o *Steps[S]) LockUntil(ready func() bool) {
	o.guard.Lock()
	for o.held || !ready() {
		o.world.Wait(o.cond)
	}
}

// Inside begins a step even while a command is being stored: for results that the command waits for. It waits for the
// current step.
func (o *Steps[S]) Inside() { o.guard.Lock() }

// Unlock ends a step.
func (o *Steps[S]) Unlock() {
	if o.dirty {
		o.dirty = false
		o.snapshot.Store(o.look())
	}
	for _, begin := range o.begins { // after the snapshot, so that stored changes are visible at once
		begin()
	}
	o.begins = nil
	begin := len(o.effects) > 0 && !o.running
	o.running = o.running || begin
	o.guard.Unlock()
	if begin {
		o.world.Run(o.carryOut)
	}
}

// Step runs do as a step. It blocks like [Steps.Lock].
func (o *Steps[S]) Step(do func()) {
	o.Lock()
	defer o.Unlock()
	do()
}

// InsideStep runs do as a step, even while a command is being stored. It blocks like [Steps.Inside].
func (o *Steps[S]) InsideStep(do func()) {
	o.Inside()
	defer o.Unlock()
	do()
}

// Wake makes all callers of LockUntil check their condition again. The lock must not be held.
func (o *Steps[S]) Wake() {
	o.guard.Lock()
	o.cond.Broadcast()
	o.guard.Unlock()
}

// Broadcast is Wake with the lock held.
func (o *Steps[S]) Broadcast() { o.cond.Broadcast() }

// Effect queues do to run after the step, without the lock and after all earlier effects. It must not block. The lock
// is held.
func (o *Steps[S]) Effect(do func()) { o.effects = append(o.effects, do) }

// effectAll queues several effects in order, see [Steps.Effect]. The lock is held.
func (o *Steps[S]) effectAll(list []func()) { o.effects = append(o.effects, list...) }

// Later runs step as a step after d. The lock is held.
func (o *Steps[S]) Later(d time.Duration, step func()) {
	o.world.After(d, func() { o.Step(step) })
}

// begin starts a slow operation after the step. do must not block. The lock is held, also while do runs.
func (o *Steps[S]) begin(do func()) { o.begins = append(o.begins, do) }

// Touched marks the snapshot as out of date; Unlock replaces it. The lock is held.
func (o *Steps[S]) Touched() { o.dirty = true }

// Snapshot returns the state after the last step. It doesn't block. Callers must not change the snapshot.
func (o *Steps[S]) Snapshot() *S { return o.snapshot.Load() }

func (o *Steps[S]) carryOut() {
	for {
		o.guard.Lock()
		list := o.effects
		o.effects = nil
		o.running = len(list) > 0
		o.guard.Unlock()
		if len(list) == 0 {
			return
		}
		for _, do := range list {
			o.carry(do)
		}
	}
}

// carry runs one effect. If it panics, the others still run.
func (o *Steps[S]) carry(do func()) {
	defer func() {
		if p := recover(); p != nil {
			o.panicked(p)
		}
	}()
	do()
}
