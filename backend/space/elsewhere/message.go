package elsewhere

import (
	"context"

	"weft/backend/conversation/transcript"
)

// Message is a message of a run in another space (decision 0014).
type Message[T Space] struct {
	lane  *lane[T]
	guest Guest
	fold  *transcript.Fold // guarded by the lock of the other space
}

// HomeTitle returns the title of the run's own space when the message began. It may only be called within what is
// passed to Do, Change or Now.
func (m *Message[T]) HomeTitle() string { return m.guest.title }

// SpaceID returns the space that the message is in.
func (m *Message[T]) SpaceID() string { return m.lane.spaceID }

// Text queues text. It doesn't block; see [Run.Crowded]. piece identifies the text that it continues; each piece is a
// separate segment. call is the call that sends it, "" if unknown.
func (m *Message[T]) Text(piece, call, text string) {
	m.lane.add(step[T]{of: m, text: text, piece: piece, call: call})
}

// Do queues a call of do, which runs in a step of the other space with the fold of the message and must not block. Do
// doesn't block; see [Run.Crowded]. size is the approximate number of bytes that do adds. do isn't called if the
// space can't be written to.
func (m *Message[T]) Do(size int, do func(t T, f *transcript.Fold)) {
	m.lane.add(step[T]{of: m, size: size, do: do})
}

// Change is Do for changes of the message only.
func (m *Message[T]) Change(size int, do func(f *transcript.Fold)) {
	m.Do(size, func(_ T, f *transcript.Fold) { do(f) })
}

// Now is Do, and waits until the change is committed or has failed, or until ctx ends.
func (m *Message[T]) Now(ctx context.Context, do func(t T, f *transcript.Fold)) error {
	done := make(chan error, 1)
	m.lane.add(step[T]{of: m, do: do, done: done})
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// End ends the message. over means that the run has ended; its displays there still accept answers. End doesn't
// block.
func (m *Message[T]) End(stopReason string, over bool) {
	m.lane.add(step[T]{of: m, ends: true, do: func(t T, f *transcript.Fold) {
		if f != nil && stopReason == "cancelled" {
			f.CancelOpen(m.lane.home.Now())
		}
		if f != nil && !f.Ended() {
			f.End(stopReason, nil, m.lane.home.Now())
		}
		if over {
			t.Over(m.guest.RunID, stopReason)
		}
		t.Changed()
	}})
}
