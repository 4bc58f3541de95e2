// Package simtest is for tests that play histories made up from seeds: which seeds ([Seeds], [Report]), and a [World]
// in which goroutines, slow operations and alarms happen one at a time, in an order that a seed chooses.
package simtest

import (
	"iter"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// World runs one thing at a time. It isn't safe for concurrent use. Rand and Clock must be set.
type World struct {
	Rand  *rand.Rand
	Clock time.Time
	// Pool keeps threads that have ended for those that come; nil: each thread has a goroutine of its own.
	Pool *Pool
	// Resumed is called each time that a thread has run, until it waits or has ended.
	Resumed func()
	// Panicked is called on a thread that panics, before it ends.
	Panicked func(p any)
	// Ends is called with the name of an operation that ends; nil: nobody wants to know.
	Ends func(name string)

	threads    []*thread // what can continue
	current    *thread
	operations []operation // slow operations
	alarms     []alarm
}

// Pool has threads of worlds that have nothing to do. Their stacks have grown already, which makes histories twice as
// fast. The zero value has none.
type Pool struct{ free []*thread }

// Close ends the threads.
func (p *Pool) Close() {
	for _, th := range p.free {
		th.stop()
	}
	p.free = nil
}

// thread is a goroutine that runs only when it is told to.
type thread struct {
	next    func() (over, more bool)
	stop    func()
	yield   func(over bool) bool
	do      func()
	of      *World
	blocked bool
}

type operation struct {
	name string
	do   func()
}

type alarm struct {
	at time.Time
	do func()
}

// Spawn runs do in a thread, once the seed chooses that.
func (w *World) Spawn(do func()) {
	if w.Pool != nil {
		if n := len(w.Pool.free); n > 0 {
			th := w.Pool.free[n-1]
			w.Pool.free = w.Pool.free[:n-1]
			th.do, th.of = do, w
			w.threads = append(w.threads, th)
			return
		}
	}
	th := &thread{do: do, of: w}
	th.next, th.stop = iter.Pull(func(yield func(bool) bool) {
		th.yield = yield
		for more := true; more; more = yield(true) {
			th.of.run(th)
		}
	})
	w.threads = append(w.threads, th)
}

func (w *World) run(th *thread) {
	defer func() {
		if p := recover(); p != nil {
			w.Panicked(p)
		}
	}()
	th.do()
}

// Pause lets others continue: the thread that runs waits for something.
func (w *World) Pause() {
	th := w.current
	th.blocked = true
	th.yield(false)
}

// Wait is [sync.Cond.Wait] in a world.
func (w *World) Wait(cond *sync.Cond) {
	cond.L.Unlock()
	w.Pause()
	cond.L.Lock()
}

// Begin begins an operation that takes time. What it does happens in a thread, once [World.End] has chosen it.
func (w *World) Begin(name string, do func()) {
	w.operations = append(w.operations, operation{name, do})
}

// After rings an alarm once the clock has moved by d: do happens in a thread.
func (w *World) After(d time.Duration, do func()) {
	w.alarms = append(w.alarms, alarm{w.Clock.Add(d), do})
}

// Pending returns how many threads, operations and alarms there are.
func (w *World) Pending() (threads, operations, alarms int) {
	return len(w.threads), len(w.operations), len(w.alarms)
}

// Resume lets one of the threads run, and reports whether there is one.
func (w *World) Resume() bool {
	if len(w.threads) == 0 {
		return false
	}
	w.resume(w.Rand.IntN(len(w.threads)))
	return true
}

// ResumeReady is [World.Resume] for threads since whose pause something may have changed.
func (w *World) ResumeReady() bool {
	var ready []int
	for i, th := range w.threads {
		if !th.blocked {
			ready = append(ready, i)
		}
	}
	if len(ready) == 0 {
		return false
	}
	w.resume(ready[w.Rand.IntN(len(ready))])
	return true
}

func (w *World) resume(i int) {
	th, before := w.threads[i], w.current
	w.current, th.blocked = th, false
	if over, more := th.next(); over || !more {
		switch {
		case !more:
		case w.Pool != nil:
			w.Pool.free = append(w.Pool.free, th)
		default:
			th.stop()
		}
		k := slices.Index(w.threads, th)
		w.threads = slices.Delete(w.threads, k, k+1)
		for _, o := range w.threads {
			o.blocked = false // something may have changed
		}
	}
	w.current = before
	w.Resumed()
}

// End ends one of the operations, and reports whether there is one.
func (w *World) End() bool {
	if len(w.operations) == 0 {
		return false
	}
	i := w.Rand.IntN(len(w.operations))
	o := w.operations[i]
	w.operations = slices.Delete(w.operations, i, i+1)
	if w.Ends != nil {
		w.Ends(o.name)
	}
	w.Spawn(o.do)
	return true
}

// Ring moves the clock to the next alarm and rings it. Without one it moves the clock by less than idle, in whole
// milliseconds, and reports false.
func (w *World) Ring(idle time.Duration) bool {
	if len(w.alarms) == 0 {
		w.Clock = w.Clock.Add(time.Duration(w.Rand.IntN(int(idle/time.Millisecond))) * time.Millisecond)
		return false
	}
	first := 0
	for i, a := range w.alarms {
		if a.at.Before(w.alarms[first].at) {
			first = i
		}
	}
	a := w.alarms[first]
	w.alarms = slices.Delete(w.alarms, first, first+1)
	if a.at.After(w.Clock) {
		w.Clock = a.at
	}
	w.Spawn(a.do)
	return true
}
