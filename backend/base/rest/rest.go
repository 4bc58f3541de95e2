// Package rest gives memory back to the system when a program has had nothing to do for a while.
package rest

import (
	"runtime/debug"
	"sync"
	"time"
)

// Watch waits for the program to have nothing to do. While that lasts it has no timer. Its methods may be called from
// any goroutine, and on nil, which does nothing.
type Watch struct {
	after time.Duration
	do    func()

	mu      sync.Mutex
	timer   *time.Timer
	last    time.Time // of Active
	now     func() time.Time
	set     bool // timer is running
	stopped bool
}

// New returns a watch that gives memory back each time nothing has happened for that long, the first time after the
// start.
func New(after time.Duration) *Watch {
	return start(after, release(startup()), time.Now, time.AfterFunc)
}

// start takes what tests replace.
func start(after time.Duration, do func(), now func() time.Time, afterFunc func(time.Duration, func()) *time.Timer) *Watch {
	w := &Watch{after: after, do: do, now: now}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last, w.set = now(), true
	w.timer = afterFunc(after, w.fired)
	return w
}

// Active says that the program does something. It takes less than a microsecond.
func (w *Watch) Active() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = w.now()
	if !w.set && !w.stopped {
		w.set = true
		w.timer.Reset(w.after)
	}
}

// fired is called by the timer, which is not moved at each Active: it looks how long ago the last one was.
func (w *Watch) fired() {
	w.mu.Lock()
	left := w.after - w.now().Sub(w.last)
	if w.stopped || left > 0 {
		if !w.stopped {
			w.timer.Reset(left)
		}
		w.mu.Unlock()
		return
	}
	w.set = false
	w.mu.Unlock()
	w.do()
}

// Stop ends the watch. Memory may still be given back after it returns.
func (w *Watch) Stop() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	w.timer.Stop()
}

// release returns what gives back the memory that the garbage collector keeps, and then the pages of the program and
// its libraries, which the system reads again when they are needed.
func release(of []mapping) func() {
	return func() {
		debug.FreeOSMemory()
		unmap(of)
	}
}
