package elsewhere

import (
	"context"
	"sync"
	"sync/atomic"

	"weft/backend/transcript"
)

// Message is the message of a run in another space than its own: one for each that it adds to (decision 0014). What is to be
// added waits in order and is added by one goroutine at a time, so that nobody holds the locks of two spaces.
type Message[T Space] struct {
	home    Home[T]
	spaceID string
	author  transcript.Author
	guest   Guest

	pending atomic.Int64 // bytes of todo, about

	mu     sync.Mutex
	todo   []step[T]
	moving bool
	failed error

	// Of the goroutine that adds.
	target T
	found  bool
	fold   *transcript.Fold // with the lock of target
}

// step is one thing to add. Adjacent texts become one.
type step[T Space] struct {
	text  string
	piece string // of which text; another one is a segment of its own
	call  string // by which the agent sends it, "" if that is not known
	size  int    // of what do adds, in bytes, about
	do    func(t T, f *transcript.Fold)
	done  chan struct{} // closed when it was added, or could not be
}

// stepSize is what a step weighs besides its text, in bytes.
const stepSize = 256

// maxPending is how much may wait to be added to another space before the agent is not read any further, in bytes.
const maxPending = 256 << 10

// SpaceID returns the space that the message is in.
func (m *Message[T]) SpaceID() string { return m.spaceID }

func (m *Message[T]) crowded() bool { return m.pending.Load() >= maxPending }

// Text adds text behind what waits. It does not block; see [Run.Crowded]. Piece is the text that it belongs to; another one is a segment of its own.
// Call is the call by which the agent sends it, "" if that is not known.
func (m *Message[T]) Text(piece, call, text string) {
	m.add(step[T]{text: text, piece: piece, call: call})
}

// Do has do add something behind what waits. It does not block; see [Run.Crowded]. Size is how many bytes that is about. do is called in a step
// of the other space, with the fold of the message there; it must not block. It is not called if the space can't be written to.
func (m *Message[T]) Do(size int, do func(t T, f *transcript.Fold)) {
	m.add(step[T]{size: size, do: do})
}

// Change is Do for what only changes the message.
func (m *Message[T]) Change(size int, do func(f *transcript.Fold)) {
	m.Do(size, func(_ T, f *transcript.Fold) { do(f) })
}

// Now is Do, and waits until that is committed, or could not be, or until ctx ends.
func (m *Message[T]) Now(ctx context.Context, do func(t T, f *transcript.Fold)) error {
	done := make(chan struct{})
	m.add(step[T]{do: do, done: done})
	select {
	case <-done:
	case <-ctx.Done():
		return ctx.Err()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.failed
}

// End ends the message. With over, the run has ended: the displays that it has shown there wait on for their answers. It does not block.
func (m *Message[T]) End(stopReason string, over bool) {
	m.Do(0, func(t T, f *transcript.Fold) {
		if stopReason == "cancelled" {
			f.CancelOpen(m.home.Now())
		}
		if !f.Ended() {
			f.End(stopReason, nil, m.home.Now())
		}
		if over {
			t.Over(f.RunID, stopReason)
		}
		t.Changed()
	})
}

func (m *Message[T]) add(s step[T]) {
	m.mu.Lock()
	s.size += stepSize
	m.pending.Add(int64(len(s.text) + s.size))
	if n := len(m.todo); n > 0 && s.do == nil && m.todo[n-1].do == nil && m.todo[n-1].piece == s.piece {
		m.todo[n-1].text += s.text
		m.todo[n-1].size += s.size
	} else {
		m.todo = append(m.todo, s)
	}
	begins := !m.moving
	m.moving = true
	m.mu.Unlock()
	if begins {
		m.home.Run(m.move)
	}
}

// move adds what waits, until nothing does.
func (m *Message[T]) move() {
	for {
		m.mu.Lock()
		todo := m.todo
		m.todo = nil
		if len(todo) == 0 {
			m.moving = false
			m.mu.Unlock()
			return
		}
		m.mu.Unlock()
		if err := m.write(todo); err != nil {
			m.mu.Lock()
			m.failed = err
			m.mu.Unlock()
			for _, s := range todo {
				if s.done != nil {
					close(s.done)
				}
			}
		}
		full := m.crowded()
		for _, s := range todo {
			m.pending.Add(-int64(len(s.text) + s.size))
		}
		if full {
			m.home.Wake()
		}
	}
}

func (m *Message[T]) write(todo []step[T]) error {
	if !m.found {
		t, err := m.home.Other(m.spaceID)
		if err != nil {
			return err
		}
		m.target, m.found = t, true
	}
	t := m.target
	if err := t.Enter(); err != nil {
		return err
	}
	defer t.Unlock()
	if m.fold == nil {
		m.fold = t.Join(&m.guest)
	}
	waits := false
	for _, s := range todo {
		if s.do != nil {
			s.do(t, m.fold)
		} else {
			m.fold.Apply(&transcript.Update{Kind: transcript.UpdateText, Text: s.text, MessageID: s.piece, Apart: true, Via: s.call}, m.home.Now())
		}
		if s.done != nil {
			waits = true
			t.After(func() { close(s.done) })
		}
	}
	if waits {
		t.Flush()
	} else {
		t.Pace(false)
	}
	return nil
}
