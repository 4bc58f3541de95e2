package elsewhere

import (
	"maps"
	"slices"
	"sync/atomic"

	"weft/backend/conversation/transcript"
)

// Run is what a run writes to other spaces. The lock of the run's space guards it.
type Run[T Space] struct {
	home    Home[T]
	id      string
	spaceID string // that the run belongs to
	started int64  // unix ms

	stopping atomic.Bool
	lanes    map[string]*lane[T]    // by space
	open     map[string]*Message[T] // by space
	latest   map[string]*Message[T] // including messages that a mention has ended
}

// NewRun returns a run that hasn't written anything yet. spaceID is the space that it belongs to, started is in unix
// ms.
func NewRun[T Space](home Home[T], id, spaceID string, started int64) *Run[T] {
	return &Run[T]{
		home: home, id: id, spaceID: spaceID, started: started,
		lanes: map[string]*lane[T]{}, open: map[string]*Message[T]{}, latest: map[string]*Message[T]{},
	}
}

// Crowded reports whether so much is waiting for other spaces that the run's agent must not be read further.
func (r *Run[T]) Crowded() bool {
	for _, l := range r.lanes {
		if l.crowded() {
			return true
		}
	}
	return false
}

// In returns the run's message in another space. It begins one if there is none, or after [Run.Detach]. author is the
// author of the run's messages in its own space.
func (r *Run[T]) In(spaceID string, author transcript.Author) *Message[T] {
	if m := r.open[spaceID]; m != nil {
		return m
	}
	l := r.lanes[spaceID]
	if l == nil {
		l = &lane[T]{home: r.home, spaceID: spaceID}
		r.lanes[spaceID] = l
	}
	m := &Message[T]{lane: l, guest: Guest{RunID: r.id, Home: r.spaceID, Author: author, StartedAt: r.started, stopping: &r.stopping}}
	r.open[spaceID], r.latest[spaceID] = m, m
	return m
}

// Open returns the run's message in another space, or nil.
func (r *Run[T]) Open(spaceID string) *Message[T] { return r.open[spaceID] }

// Detach closes the run's message in a space for additions: the next addition begins a new message. The space
// continues to show the run until it ends.
func (r *Run[T]) Detach(spaceID string) { delete(r.open, spaceID) }

// Stop marks the run as being stopped, and returns the spaces that show it.
func (r *Run[T]) Stop() []string {
	r.stopping.Store(true)
	return slices.Sorted(maps.Keys(r.lanes))
}

// End ends the run's messages in other spaces.
func (r *Run[T]) End(stopReason string) {
	for _, m := range r.latest {
		m.End(stopReason, true)
	}
}
