package elsewhere

import (
	"context"

	"weft/backend/transcript"
)

// Message is the message of a run in another space than its own: one for each that it adds to (decision 0014).
type Message[T Space] struct {
	lane  *lane[T]
	guest Guest
	fold  *transcript.Fold // with the lock of the other space

	failed error // with the lock of the lane: why something of it could not be added
}

// SpaceID returns the space that the message is in.
func (m *Message[T]) SpaceID() string { return m.lane.spaceID }

// Text adds text behind what waits. It does not block; see [Run.Crowded]. Piece is the text that it belongs to; another one is a segment of its own.
// Call is the call by which the agent sends it, "" if that is not known.
func (m *Message[T]) Text(piece, call, text string) {
	m.lane.add(step[T]{of: m, text: text, piece: piece, call: call})
}

// Do has do add something behind what waits. It does not block; see [Run.Crowded]. Size is how many bytes that is about. do is called in a step
// of the other space, with the fold of the message there; it must not block. It is not called if the space can't be written to.
func (m *Message[T]) Do(size int, do func(t T, f *transcript.Fold)) {
	m.lane.add(step[T]{of: m, size: size, do: do})
}

// Change is Do for what only changes the message.
func (m *Message[T]) Change(size int, do func(f *transcript.Fold)) {
	m.Do(size, func(_ T, f *transcript.Fold) { do(f) })
}

// Now is Do, and waits until that is committed, or could not be, or until ctx ends.
func (m *Message[T]) Now(ctx context.Context, do func(t T, f *transcript.Fold)) error {
	done := make(chan struct{})
	m.lane.add(step[T]{of: m, do: do, done: done})
	select {
	case <-done:
	case <-ctx.Done():
		return ctx.Err()
	}
	m.lane.mu.Lock()
	defer m.lane.mu.Unlock()
	return m.failed
}

// End ends the message. With over, the run has ended: the displays that it has shown there wait on for their answers. It does not block.
func (m *Message[T]) End(stopReason string, over bool) {
	m.Do(0, func(t T, f *transcript.Fold) {
		if stopReason == "cancelled" {
			f.CancelOpen(m.lane.home.Now())
		}
		if !f.Ended() {
			f.End(stopReason, nil, m.lane.home.Now())
		}
		if over {
			t.Over(f.RunID, stopReason)
		}
		t.Changed()
	})
}
