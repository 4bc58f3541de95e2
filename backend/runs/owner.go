package runs

import (
	"sync"
	"sync/atomic"
)

// owner lets one step of a space happen at a time. A step is what happens between Lock and Unlock: it changes the state of the space and does nothing
// else. It never waits. What it wants done (store, tell the agent, tell the user) it leaves as effects, which are carried out in order once it is over,
// without the lock. What comes of them comes back as another step.
//
// While a command of the user is being stored (see [command]), steps of everybody else wait for that. [Manager.State] does not: it reads the
// snapshot that the last step has left.
type owner struct {
	guard sync.Mutex
	cond  *sync.Cond // signaled when steps that wait may continue
	held  bool       // by a command

	wait     func()       // waits until steps that wait may continue; the guard is held before and after
	start    func(func()) // runs the effects in a goroutine
	panicked func(p any)  // is called when an effect panics
	begins   []func()     // what takes time: begun as soon as the step is over, in order
	effects  []func()     // to be carried out, in order
	running  bool         // a goroutine does so

	dirty    bool // what the snapshot tells has changed
	look     func() *State
	snapshot atomic.Pointer[State]
}

func (o *owner) init(start func(func()), look func() *State) {
	o.cond, o.start, o.look = sync.NewCond(&o.guard), start, look
	o.wait = o.cond.Wait
	o.snapshot.Store(&State{})
}

// Lock begins a step.
func (o *owner) Lock() {
	o.guard.Lock()
	for o.held {
		o.wait()
	}
}

// lockUntil begins a step once ready says so. It is asked with the lock held, each time that something was stored.
func (o *owner) lockUntil(ready func() bool) {
	o.guard.Lock()
	for o.held || !ready() {
		o.wait()
	}
}

// inside begins a step of what a command waits for.
func (o *owner) inside() { o.guard.Lock() }

// Unlock ends a step.
func (o *owner) Unlock() {
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
		o.start(o.carryOut)
	}
}

// step makes a step of do.
func (o *owner) step(do func()) {
	o.Lock()
	defer o.Unlock()
	do()
}

// insideStep makes a step of do, which belongs to what a command waits for.
func (o *owner) insideStep(do func()) {
	o.inside()
	defer o.Unlock()
	do()
}

// wake has those look again that wait in lockUntil.
func (o *owner) wake() {
	o.guard.Lock()
	o.cond.Broadcast()
	o.guard.Unlock()
}

// effect has something done after the step. It must not block. The lock is held.
func (o *owner) effect(do func()) { o.effects = append(o.effects, do) }

// begin begins what takes time after the step. It must not block. The lock is held.
func (o *owner) begin(do func()) { o.begins = append(o.begins, do) }

// touched notes that what the snapshot tells has changed. The lock is held.
func (o *owner) touched() { o.dirty = true }

func (o *owner) carryOut() {
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
func (o *owner) carry(do func()) {
	defer func() {
		if p := recover(); p != nil {
			o.panicked(p)
		}
	}()
	do()
}
