package acpsession

import (
	"context"
	"sync/atomic"
	"time"
)

// Timeouts for a replay that follows the response to session/load.
const (
	replayStart = time.Second            // until its first update, if the space already has the conversation
	importStart = 30 * time.Second       // until its first update, if it is the only source of the conversation
	replayQuiet = 250 * time.Millisecond // the replay is over after this time without an update
)

// Replay detects the end of a session's replay. The handler of the session calls it for each update, in order. It is
// safe for concurrent use.
type Replay struct {
	count   atomic.Int64
	updates chan struct{} // receives a value at each update of a replay
	begun   atomic.Bool   // an update of the replay has arrived
	early   atomic.Bool   // it arrived before the response to session/load
	patient atomic.Bool   // wait importStart for the first update
}

// NewReplay returns a Replay without updates.
func NewReplay() *Replay { return &Replay{updates: make(chan struct{}, 1)} }

// CountUpdate counts an update of the session, in a replay or not.
func (r *Replay) CountUpdate() { r.count.Add(1) }

// UpdateCount returns the number of updates so far.
func (r *Replay) UpdateCount() int64 { return r.count.Load() }

// WaitLonger extends the wait for the first update, for a replay that is the only source of the conversation.
func (r *Replay) WaitLonger() { r.patient.Store(true) }

// Begun reports whether an update of the replay has arrived.
func (r *Replay) Begun() bool { return r.begun.Load() }

// Update notes an update that belongs to a replay.
func (r *Replay) Update() {
	r.begun.Store(true)
	select {
	case r.updates <- struct{}{}:
	default:
	}
}

// Answered notes the response to session/load.
func (r *Replay) Answered() { r.early.Store(r.begun.Load()) }

// wait blocks until the replay has ended, left is closed, or ctx ends. It returns at once if the replay began before
// the response to session/load, because the protocol requires the agent to finish it before responding.
func (r *Replay) wait(ctx context.Context, left <-chan struct{}) {
	if r.early.Load() {
		return
	}
	start := replayStart
	if r.patient.Load() {
		start = importStart
	}
	wait := time.NewTimer(start)
	defer wait.Stop()
	for {
		select {
		case <-r.updates:
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
