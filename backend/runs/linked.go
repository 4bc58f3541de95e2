package runs

import (
	"context"
)

// opening is a start of the agent that is under way. It serves everybody who waits for it.
type opening struct {
	cancel  context.CancelFunc
	done    chan struct{} // closed when the rest is known
	link    *link
	err     error
	waiting int  // callers; guarded by the session's mutex
	dead    bool // given up; likewise
}

// linked answers the link to the running agent with a session open, starting the agent if
// need be. Whoever asks meanwhile waits for the same start, which is given up when nobody does any
// more. It blocks until then, or until ctx ends.
func (s *Session) linked(ctx context.Context) (*link, error) {
	for {
		s.Lock()
		if s.left {
			s.Unlock()
			return nil, errClosing
		}
		o := s.opening
		if l := s.link; o == nil && l != nil {
			if !l.outgrown() && !l.boxedAnew() && l.host.wake(l) {
				s.Unlock()
				return l, nil
			}
			s.link = nil
			s.m.tasks.Go(l.stop)
		}
		if o == nil {
			o = s.startOpening()
		}
		if o.dead { // its processes are on their way out; then a new start
			s.Unlock()
			select {
			case <-o.done:
				continue
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
		o.waiting++
		s.Unlock()
		select {
		case <-o.done:
			return o.link, o.err
		case <-ctx.Done():
		}
		s.Lock()
		if o.waiting--; o.waiting == 0 {
			o.dead = true
			o.cancel()
		}
		last := o.dead
		s.Unlock()
		if last {
			<-o.done
		}
		return nil, context.Cause(ctx)
	}
}

// startOpening is called with the mutex held.
func (s *Session) startOpening() *opening {
	ctx, cancel := context.WithCancel(context.Background())
	o := &opening{cancel: cancel, done: make(chan struct{})}
	s.opening = o
	s.idle.Stop()
	s.m.tasks.Go(func() {
		defer cancel()
		o.link, o.err = s.connect(ctx, (*link).open)
		s.Lock()
		s.opening = nil
		if s.run == nil {
			s.idle.Reset(idleAfter)
		}
		s.Unlock()
		close(o.done)
	})
	return o
}

// abandon gives up a start that is under way and waits until its processes are gone.
func (s *Session) abandon() {
	s.Lock()
	o := s.opening
	if o != nil {
		o.dead = true
		o.cancel()
	}
	s.Unlock()
	if o != nil {
		<-o.done
	}
}

// Prepare starts the agent of a member ("": the default member) and opens a session, so that it can tell what it offers before
// the first prompt. It blocks until then; if ctx ends first and nobody else waits, the start is given up.
func (m *Manager) Prepare(ctx context.Context, spaceID, memberID string) error {
	s, err := m.session(ctx, spaceID, memberID)
	if err != nil {
		return err
	}
	s.Lock()
	busy := s.run != nil || s.loading
	s.Unlock()
	if busy {
		return nil // it is being started, or runs
	}
	_, err = s.linked(ctx)
	return err
}

var errClosing = &Error{Code: "closing", Message: "This space is being closed."}
