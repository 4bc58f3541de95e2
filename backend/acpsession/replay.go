package acpsession

import (
	"context"
	"sync/atomic"
	"time"
)

// How long the agent may take with a replay that it did not send before its answer.
const (
	replayStart = time.Second            // to begin it, where the space has the conversation already
	importStart = 30 * time.Second       // to begin it, where nothing else has it
	replayQuiet = 250 * time.Millisecond // without an update, after which it is over
)

// Replay follows what an agent sends in a session, so that the end of a replay is seen. Whoever handles the updates of the session tells it about them, in their
// order. It is safe for concurrent use.
type Replay struct {
	heard atomic.Int64
	come  chan struct{} // gets a value when an update of a replay has come
	begun atomic.Bool   // one has come
	first atomic.Bool   // one had come before the answer to session/load
	needs atomic.Bool   // nothing else has the conversation
}

// NewReplay returns one that has heard nothing.
func NewReplay() *Replay { return &Replay{come: make(chan struct{}, 1)} }

// Hear counts an update of the session.
func (r *Replay) Hear() { r.heard.Add(1) }

// Heard returns how many updates there were.
func (r *Replay) Heard() int64 { return r.heard.Load() }

// Need says that nothing else has the conversation: it is waited for longer.
func (r *Replay) Need() { r.needs.Store(true) }

// Begun reports whether an update of the replay has come.
func (r *Replay) Begun() bool { return r.begun.Load() }

// Update notes an update of a replay.
func (r *Replay) Update() {
	r.begun.Store(true)
	select {
	case r.come <- struct{}{}:
	default:
	}
}

// Answered notes the answer to session/load.
func (r *Replay) Answered() { r.first.Store(r.begun.Load()) }

// wait waits for the end of a replay that comes after the answer to session/load, for that of the connection, or of ctx. An agent that replayed before its
// answer, as the protocol wants it, is not waited for.
func (r *Replay) wait(ctx context.Context, left <-chan struct{}) {
	if r.first.Load() {
		return
	}
	start := replayStart
	if r.needs.Load() {
		start = importStart
	}
	wait := time.NewTimer(start)
	defer wait.Stop()
	for {
		select {
		case <-r.come:
			wait.Reset(replayQuiet)
		case <-wait.C:
			return
		case <-left:
			return
		case <-ctx.Done():
			return
		}
	}
}
