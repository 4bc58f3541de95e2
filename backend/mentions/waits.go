package mentions

import (
	"slices"
	"sync"
)

// ReplyWaiter is one that waits for what comes of a run.
type ReplyWaiter struct {
	done  chan struct{}
	reply string
	err   error
}

// NewReplyWaiter returns a waiter that was given nothing yet.
func NewReplyWaiter() *ReplyWaiter { return &ReplyWaiter{done: make(chan struct{})} }

// Give ends the wait. It must be called once at most, and does nothing if w is nil.
func (w *ReplyWaiter) Give(reply string, err error) {
	if w == nil {
		return
	}
	w.reply, w.err = reply, err
	close(w.done)
}

// Done is closed when there is a reply, or an error.
func (w *ReplyWaiter) Done() <-chan struct{} { return w.done }

// Waits are who waits for whose run to end. A is one that can wait. The zero value has none; its methods may be called from any goroutine.
type Waits[A comparable] struct {
	mu sync.Mutex
	by map[A][]*Wait[A]
}

// Wait is one that waits for another.
type Wait[A comparable] struct {
	from, on A
	asked    []string // what the one that it waits for has asked it meanwhile, and was refused
}

// Begin notes that from waits for on. ok is false if that one waits for it, directly or over others: neither would ever
// continue. Then the one that asked it first is told text when its own wait ends.
func (g *Waits[A]) Begin(from, on A, text string) (w *Wait[A], ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if last := g.path(on, from, map[A]bool{}); last != nil {
		last.asked = append(last.asked, text)
		return nil, false
	}
	if g.by == nil {
		g.by = map[A][]*Wait[A]{}
	}
	w = &Wait[A]{from: from, on: on}
	g.by[from] = append(g.by[from], w)
	return w, true
}

// path looks for a way from one to another and returns its last wait, the one for the other; nil if there is none.
func (g *Waits[A]) path(from, to A, seen map[A]bool) *Wait[A] {
	if seen[from] {
		return nil
	}
	seen[from] = true
	for _, w := range g.by[from] {
		if w.on == to {
			return w
		}
		if last := g.path(w.on, to, seen); last != nil {
			return last
		}
	}
	return nil
}

// End ends a wait and returns what was asked meanwhile. It may be called more than once.
func (g *Waits[A]) End(w *Wait[A]) (asked []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.by[w.from] = slices.DeleteFunc(g.by[w.from], func(x *Wait[A]) bool { return x == w })
	if len(g.by[w.from]) == 0 {
		delete(g.by, w.from)
	}
	return w.asked
}
