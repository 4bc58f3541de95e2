// Package openspaces knows which spaces are open: have a runtime, which keeps their state in memory. What is set or asked about a space while it is
// being read from the database isn't lost.
package openspaces

import (
	"iter"
	"maps"
	"slices"
	"sync"

	"weft/backend/fault"
	"weft/backend/pending"
	"weft/backend/permission"
)

// Set is the runtimes of the spaces that are open; R is a pointer to one. Its methods may be called from any goroutine and block for each other only:
// no lock of a space is taken while its own is held. The zero value is an empty set.
type Set[R comparable] struct {
	mu       sync.Mutex
	spaces   map[string]R                 // by space
	recalled map[string][]pending.Request // what waits in spaces without a runtime
	coming   map[string]coming            // spaces that are being read
	closed   bool
}

// coming is a space that is being read.
type coming struct {
	readers int
	mode    *permission.Mode // as it was set meanwhile
}

// errClosing is the error of what comes after [Set.Close].
var errClosing = fault.New("closing", "Weft is closing.")

// Get returns the runtime of a space, the zero value if there is none.
func (s *Set[R]) Get(spaceID string) R {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.spaces[spaceID]
}

// Begin returns the runtime of a space; or reports that there is none, and notes that it is about to be read: [Set.End] must follow. Error: closing.
func (s *Set[R]) Begin(spaceID string) (r R, found bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, found = s.spaces[spaceID]; found {
		return r, true, nil
	}
	if s.closed {
		return r, false, errClosing
	}
	if s.coming == nil {
		s.coming = map[string]coming{}
	}
	c := s.coming[spaceID]
	c.readers++
	s.coming[spaceID] = c
	return r, false, nil
}

// End notes that a space was read, or could not be.
func (s *Set[R]) End(spaceID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.coming[spaceID]
	if c.readers--; c.readers == 0 {
		delete(s.coming, spaceID)
	} else {
		s.coming[spaceID] = c
	}
}

// Add adds the runtime of a space that was read, and returns it; or the one that someone else has added meanwhile. Make is called with the lock of the
// set. Mode is the one that was set while the space was read, nil if none was. Error: closing.
func (s *Set[R]) Add(spaceID string, make func(mode *permission.Mode) R) (r R, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, found := s.spaces[spaceID]; found {
		return r, nil
	}
	if s.closed {
		return r, errClosing
	}
	if s.spaces == nil {
		s.spaces = map[string]R{}
	}
	r = make(s.coming[spaceID].mode)
	s.spaces[spaceID] = r
	delete(s.recalled, spaceID)
	return r, nil
}

// SetMode keeps the mode of a space that is being read for its runtime, and returns the runtime of one that was, the zero value if there is none.
func (s *Set[R]) SetMode(spaceID string, mode permission.Mode) R {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, is := s.coming[spaceID]; is {
		c.mode = &mode
		s.coming[spaceID] = c
	}
	return s.spaces[spaceID]
}

// Recall keeps what waits in a space, unless it has a runtime, which knows.
func (s *Set[R]) Recall(spaceID string, waits []pending.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, open := s.spaces[spaceID]; open || len(waits) == 0 {
		return
	}
	if s.recalled == nil {
		s.recalled = map[string][]pending.Request{}
	}
	s.recalled[spaceID] = waits
}

// Recalled is what waits in a space without a runtime.
func (s *Set[R]) Recalled(spaceID string) []pending.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.recalled[spaceID]
}

// Take removes the runtime of a space, and returns it; the zero value if there was none.
func (s *Set[R]) Take(spaceID string) R {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.spaces[spaceID]
	delete(s.spaces, spaceID)
	return r
}

// Close removes all runtimes, and returns them in no order. No space is opened any more.
func (s *Set[R]) Close() []R {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	all := slices.Collect(maps.Values(s.spaces))
	s.spaces = nil
	return all
}

// All are the runtimes as they are when it is called, in no order.
func (s *Set[R]) All() iter.Seq[R] {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Values(slices.Collect(maps.Values(s.spaces)))
}
