package terminal

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// MaxOpen is how many terminals a session may have that it did not release.
const MaxOpen = 64

// Set is the terminals of one session. The zero value is empty.
type Set struct {
	mu       sync.Mutex
	known    map[string]*Terminal
	starting int
	closed   bool
	idle     sync.Cond // nothing is starting
}

// Add starts a command. Errors: those of [Start], and *Error with CodeTooMany or CodeClosed.
func (s *Set) Add(ctx context.Context, id string, spec Spec) (*Terminal, error) {
	s.mu.Lock()
	switch {
	case s.closed:
		s.mu.Unlock()
		return nil, &Error{CodeClosed, "This session has ended, so no command was started."}
	case len(s.known)+s.starting >= MaxOpen:
		s.mu.Unlock()
		return nil, &Error{CodeTooMany, fmt.Sprintf("This session has %d terminals. Release some of them first.", MaxOpen)}
	}
	s.starting++
	s.mu.Unlock()
	t, err := Start(ctx, id, spec)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		if s.known == nil {
			s.known = map[string]*Terminal{}
		}
		s.known[id] = t
	}
	s.starting--
	if s.idle.L != nil {
		s.idle.Broadcast()
	}
	return t, err
}

// Get answers a terminal that was not released.
func (s *Set) Get(id string) (*Terminal, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.known[id]; t != nil {
		return t, nil
	}
	return nil, unknown(id)
}

// Release forgets a terminal and ends its command. It blocks until that is gone.
func (s *Set) Release(ctx context.Context, id string) error {
	s.mu.Lock()
	t := s.known[id]
	delete(s.known, id)
	s.mu.Unlock()
	if t == nil {
		return unknown(id)
	}
	return t.Stop(ctx)
}

// Close ends all commands, waits until they are gone, and refuses new ones.
func (s *Set) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	s.idle.L = &s.mu
	for s.starting > 0 {
		s.idle.Wait()
	}
	all := s.known
	s.known = nil
	s.mu.Unlock()
	var mu sync.Mutex
	var errs []error
	var wg sync.WaitGroup
	for _, t := range all {
		wg.Go(func() {
			if err := t.Stop(ctx); err != nil {
				mu.Lock()
				errs = append(errs, err)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
