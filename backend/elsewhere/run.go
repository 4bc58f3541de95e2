package elsewhere

import (
	"maps"
	"slices"
	"sync/atomic"

	"weft/backend/transcript"
)

// Run is what a run writes to other spaces. It belongs to whoever has the lock of the run's space.
type Run[T Space] struct {
	home    Home[T]
	id      string
	spaceID string // that it works in
	started int64  // unix ms

	stopping atomic.Bool
	lanes    map[string]*lane[T]    // by space
	open     map[string]*Message[T] // by space
	latest   map[string]*Message[T] // also those that it has ended with a mention
}

// NewRun returns a run that has written nothing yet. SpaceID is the space that it works in, started is in unix ms.
func NewRun[T Space](home Home[T], id, spaceID string, started int64) *Run[T] {
	return &Run[T]{
		home: home, id: id, spaceID: spaceID, started: started,
		lanes: map[string]*lane[T]{}, open: map[string]*Message[T]{}, latest: map[string]*Message[T]{},
	}
}

// Crowded reports whether the run has written so much to other spaces that these have not taken yet that its agent is not read any further.
func (r *Run[T]) Crowded() bool {
	for _, l := range r.lanes {
		if l.crowded() {
			return true
		}
	}
	return false
}

// In returns the run's message in another space, where its agent is that author. It has one for each, until [Run.Detach].
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

// Open returns the run's message in another space, nil if it has none there.
func (r *Run[T]) Open(spaceID string) *Message[T] { return r.open[spaceID] }

// Detach leaves the run's message in a space as it is: what the run adds there next begins another one. The space shows the run until that ends, too.
func (r *Run[T]) Detach(spaceID string) { delete(r.open, spaceID) }

// Stop notes that the run is being stopped, and returns the spaces that show it.
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
