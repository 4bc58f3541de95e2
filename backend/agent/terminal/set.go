package terminal

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"weft/backend/base/fault"
)

// MaxOpen is the maximum number of unreleased terminals per session. Beyond that, the oldest one whose command has
// ended is forgotten; if all are running, no more can be started.
const MaxOpen = 64

// Set has the terminals of one session. The zero value is empty.
type Set struct {
	max int // MaxOpen if 0

	mu       sync.Mutex
	known    map[string]*Terminal
	order    []string // their ids, oldest first
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
		return nil, fault.New(CodeClosed, "This session has ended, so no command was started.")
	case !s.room():
		s.mu.Unlock()
		return nil, fault.New(CodeTooMany, "This session already runs {{limit}} commands. Stop some of them first.", s.limit())
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
		s.order = append(s.order, id)
	}
	s.starting--
	if s.idle.L != nil {
		s.idle.Broadcast()
	}
	return t, err
}

func (s *Set) limit() int { return cmp.Or(s.max, MaxOpen) }

// room makes room for one more terminal, and reports whether there is any.
func (s *Set) room() bool {
	if len(s.known)+s.starting < s.limit() {
		return true
	}
	for _, id := range s.order {
		if s.known[id].Exit() != nil {
			s.forget(id)
			return true
		}
	}
	return false
}

func (s *Set) forget(id string) {
	delete(s.known, id)
	if i := slices.Index(s.order, id); i >= 0 {
		s.order = slices.Delete(s.order, i, i+1)
	}
}

// Get returns a terminal that hasn't been released.
func (s *Set) Get(id string) (*Terminal, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.known[id]; t != nil {
		return t, nil
	}
	return nil, unknown(id)
}

// Release ends a terminal's command and forgets the terminal. It blocks until the command is gone.
func (s *Set) Release(ctx context.Context, id string) error {
	s.mu.Lock()
	t := s.known[id]
	s.forget(id)
	s.mu.Unlock()
	if t == nil {
		return unknown(id)
	}
	return t.Stop(ctx)
}

// Close ends all commands, waits until they are gone, and rejects new ones.
func (s *Set) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	s.idle.L = &s.mu
	for s.starting > 0 {
		s.idle.Wait()
	}
	all := s.known
	s.known, s.order = nil, nil
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
