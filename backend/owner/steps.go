package owner

import (
	"sync"
	"sync/atomic"
	"time"
)

// Steps lets one step of a space happen at a time. A step is what happens between Lock and Unlock: it changes the state of the space and does nothing
// else. It never waits. What it wants done (store, tell the agent, tell the user) it leaves as effects, which are carried out in order once it is over,
// without the lock. What comes of them comes back as another step.
//
// While a command of the user is being stored (see [Command]), steps of everybody else wait for that. [Steps.Snapshot] does not: it is what the last
// step has left.
type Steps[S any] struct {
	world    World
	look     func() *S
	panicked func(p any) // is called when an effect panics

	guard sync.Mutex
	cond  *sync.Cond // signaled when steps that wait may continue
	held  bool       // by a command

	begins  []func() // slow operations, started in order as soon as the step is over
	effects []func() // to be carried out, in order
	running bool     // a goroutine does so

	dirty    bool // what the snapshot tells has changed
	snapshot atomic.Pointer[S]
}

func (o *Steps[S]) init(world World, look func() *S, panicked func(p any)) {
	o.cond, o.world, o.look, o.panicked = sync.NewCond(&o.guard), world, look, panicked
	o.snapshot.Store(look())
}

// Lock begins a step. It waits for the step in progress, and while a command is being stored.
func (o *Steps[S]) Lock() {
	o.guard.Lock()
	for o.held {
		o.world.Wait(o.cond)
	}
}

// LockUntil begins a step once ready says so. It is asked with the lock held, each time that something was stored, and when [Steps.Wake] is called.
func (o *Steps[S]) LockUntil(ready func() bool) {
	o.guard.Lock()
	for o.held || !ready() {
		o.world.Wait(o.cond)
	}
}

// Inside begins a step of what a command waits for. It waits for the step in progress.
func (o *Steps[S]) Inside() { o.guard.Lock() }

// Unlock ends a step.
func (o *Steps[S]) Unlock() {
	if o.dirty {
		o.dirty = false
		o.snapshot.Store(o.look())
	}
	for _, begin := range o.begins { // after the snapshot: what is stored is seen at once
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

// Step makes a step of do. It waits as [Steps.Lock] does.
func (o *Steps[S]) Step(do func()) {
	o.Lock()
	defer o.Unlock()
	do()
}

// InsideStep makes a step of do, which belongs to what a command waits for. It waits as [Steps.Inside] does.
func (o *Steps[S]) InsideStep(do func()) {
	o.Inside()
	defer o.Unlock()
	do()
}

// Wake has those look again that wait in LockUntil. The lock must not be held.
func (o *Steps[S]) Wake() {
	o.guard.Lock()
	o.cond.Broadcast()
	o.guard.Unlock()
}

// Broadcast is Wake with the lock held.
func (o *Steps[S]) Broadcast() { o.cond.Broadcast() }

// Effect has something done after the step, without the lock and behind all earlier effects. It must not block. The lock is held.
func (o *Steps[S]) Effect(do func()) { o.effects = append(o.effects, do) }

// effectAll has several things done as [Steps.Effect] does, in order. The lock is held.
func (o *Steps[S]) effectAll(list []func()) { o.effects = append(o.effects, list...) }

// Later has a step happen once d has passed. The lock is held.
func (o *Steps[S]) Later(d time.Duration, step func()) {
	o.world.After(d, func() { o.Step(step) })
}

// begin starts a slow operation after the step. do must not block. The lock is held, also while do runs.
func (o *Steps[S]) begin(do func()) { o.begins = append(o.begins, do) }

// Touched notes that what the snapshot tells has changed. The lock is held.
func (o *Steps[S]) Touched() { o.dirty = true }

// Snapshot returns what the last step has left. It waits for nothing; nobody may change it.
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

// carry carries out one effect. One that panics leaves the others be.
func (o *Steps[S]) carry(do func()) {
	defer func() {
		if p := recover(); p != nil {
			o.panicked(p)
		}
	}()
	do()
}
