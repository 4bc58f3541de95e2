// Package openspaces tracks which spaces are open, which means that a runtime keeps their state in memory. Settings
// and queries of a space aren't lost while it is being read from the database.
package openspaces

import (
	"iter"
	"maps"
	"slices"
	"sync"

	"weft/backend/base/fault"
	"weft/backend/permission"
	"weft/backend/space/requests"
)

// Set has the runtimes of the open spaces; R is a pointer to a runtime. Its methods are safe for concurrent use and
// block only for each other: no lock of a space is taken while its own is held. The zero value is an empty set.
type Set[R comparable] struct {
	mu       sync.Mutex
	spaces   map[string]R               // by space
	recalled map[string][]requests.Wait // pending requests of spaces without a runtime
	coming   map[string]coming          // spaces that are being read
	closed   bool
}

// coming is a space that is being read.
type coming struct {
	readers int
	mode    *permission.Mode // set in the meantime
}

// errClosing is the error after [Set.Close].
var errClosing = fault.New("closing", "Weft is closing.")

// Get returns the runtime of a space, or the zero value.
func (s *Set[R]) Get(spaceID string) R {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.spaces[spaceID]
}

// Begin returns the runtime of a space. If there is none, found is false and the space counts as being read:
// [Set.End] must follow. Error: closing.
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

// End ends a read that [Set.Begin] began, successful or not.
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

// Add adds the runtime of a space that was read and returns it, or the one that was added in the meantime. It calls
// make with the lock of the set. mode is the one that was set during the read, or nil. Error: closing.
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

// SetMode keeps the mode for the runtime of a space that is being read. It returns the space's runtime, or the zero
// value.
func (s *Set[R]) SetMode(spaceID string, mode permission.Mode) R {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, is := s.coming[spaceID]; is {
		c.mode = &mode
		s.coming[spaceID] = c
	}
	return s.spaces[spaceID]
}

// Recall keeps the pending requests of a space, unless its runtime has them.
func (s *Set[R]) Recall(spaceID string, waits []requests.Wait) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, open := s.spaces[spaceID]; open || len(waits) == 0 {
		return
	}
	if s.recalled == nil {
		s.recalled = map[string][]requests.Wait{}
	}
	s.recalled[spaceID] = waits
}

// Recalled returns the pending requests of a space without a runtime.
func (s *Set[R]) Recalled(spaceID string) []requests.Wait {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.recalled[spaceID]
}

// Take removes and returns the runtime of a space, or returns the zero value.
func (s *Set[R]) Take(spaceID string) R {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.spaces[spaceID]
	delete(s.spaces, spaceID)
	return r
}

// Close removes all runtimes and returns them in no order. No space can be opened after that.
func (s *Set[R]) Close() []R {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	all := slices.Collect(maps.Values(s.spaces))
	s.spaces = nil
	return all
}

// All returns a snapshot of the runtimes, in no order.
func (s *Set[R]) All() iter.Seq[R] {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Values(slices.Collect(maps.Values(s.spaces)))
}
