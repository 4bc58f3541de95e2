package mentions

import (
	"slices"
	"sync"
)

// ReplyWaiter waits for the reply of a run.
type ReplyWaiter struct {
	done  chan struct{}
	reply string
	err   error
}

// NewReplyWaiter returns a waiter without a reply.
func NewReplyWaiter() *ReplyWaiter { return &ReplyWaiter{done: make(chan struct{})} }

// Give ends the wait. It must be called at most once, and does nothing if w is nil.
func (w *ReplyWaiter) Give(reply string, err error) {
	if w == nil {
		return
	}
	w.reply, w.err = reply, err
	close(w.done)
}

// Done returns a channel that is closed when there is a reply or an error.
func (w *ReplyWaiter) Done() <-chan struct{} { return w.done }

// Waits is the graph of who (A) waits for whose run to end. The zero value is empty. It is safe for concurrent use.
type Waits[A comparable] struct {
	mu sync.Mutex
	by map[A][]*Wait[A]
}

// Wait is an edge of the graph: from waits for on.
type Wait[A comparable] struct {
	from, on A
	asked    []string // refused questions to from while it waits
}

// Begin records that from waits for on. ok is false if on already waits for from, directly or indirectly, because
// neither would ever continue. In that case, the agent that waits for from gets text when its wait ends (see
// [Waits.End]).
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

// path returns the last wait on a path between two agents, or nil if there is no path.
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

// End ends a wait and returns the questions that were refused in the meantime. It may be called more than once.
func (g *Waits[A]) End(w *Wait[A]) (asked []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.by[w.from] = slices.DeleteFunc(g.by[w.from], func(x *Wait[A]) bool { return x == w })
	if len(g.by[w.from]) == 0 {
		delete(g.by, w.from)
	}
	return w.asked
}
