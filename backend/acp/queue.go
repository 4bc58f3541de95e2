package acp

import (
	"context"
	"sync"
	"time"
)

const (
	maxQueued      = 1024    // items between reader and handler, in each lane
	maxQueuedBytes = 8 << 20 // bytes of their lines
	batchItems     = 256
	batchBytes     = 256 << 10

	// The limits of all lanes together, used when a full lane must not delay the others.
	maxShared      = 32 << 10
	maxSharedBytes = 32 << 20
	// laneTimeout is how long the reader waits for full lanes between two reads of the agent's output.
	laneTimeout = 16 * time.Millisecond
)

// batch is a list of items in order of arrival.
type batch struct {
	items []Inbound
	bytes int
}

// flow limits the items between the reader and the handlers of all lanes.
type flow struct {
	mu   sync.Mutex
	room sync.Cond // signaled when a batch was handled or the limits changed

	count, bytes int  // queued or being handled, in all lanes
	sharing      bool // there are several session lanes
	lifted       bool // limits are off because the connection is ending
}

func newFlow() *flow {
	f := &flow{}
	f.room.L = &f.mu
	return f
}

// share sets whether lanes share a limit, so that a full one doesn't block the others.
func (f *flow) share(on bool) { f.change(func() { f.sharing = on }) }

// lift removes the limits, so that the reader can push its remaining items and stop.
func (f *flow) lift() { f.change(func() { f.lifted = true }) }

// wake makes all waiters check their condition again.
func (f *flow) wake() { f.change(func() {}) }

func (f *flow) change(what func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	what()
	f.room.Broadcast()
}

func (f *flow) fits(b batch) bool {
	return f.count+len(b.items) <= maxShared && f.bytes+b.bytes <= maxSharedBytes
}

// wait waits for room. If limited, it waits at most *timeout and subtracts the elapsed time from it. The caller holds
// f.mu.
func (f *flow) wait(timeout *time.Duration, limited bool) {
	if !limited {
		f.room.Wait()
		return
	}
	began := time.Now()
	timer := time.AfterFunc(*timeout, f.wake)
	f.room.Wait()
	timer.Stop()
	*timeout -= time.Since(began)
}

// queue carries batches from the reader to the handler of one lane. It limits the number of items
// and the bytes of their lines, including those being handled; a batch above the limit passes
// alone. If there are several lanes, the reader waits for a full one at most [laneTimeout]. Then the
// lane may exceed its limit until all lanes together reach theirs; only then does the reader
// wait, and with it the agent.
type queue struct {
	flow  *flow
	ready sync.Cond

	waiting []batch
	spare   [][]Inbound // empty slices to reuse

	count, bytes int    // queued or being handled
	taken, ended uint64 // numbers of batches pushed and handled so far
	closed       bool   // nothing more is pushed
}

func (f *flow) queue() *queue {
	q := &queue{flow: f}
	q.ready.L = &f.mu
	return q
}

func (q *queue) fits(b batch) bool {
	return q.count == 0 || q.count+len(b.items) <= maxQueued && q.bytes+b.bytes <= maxQueuedBytes
}

// hasRoom reports whether push would return without waiting.
func (q *queue) hasRoom(b batch) bool {
	q.flow.mu.Lock()
	defer q.flow.mu.Unlock()
	return q.flow.lifted || q.closed || q.fits(b)
}

// push adds a batch. It waits for room, at most *timeout if lanes share their limit. It returns false if the queue is
// closed.
func (q *queue) push(b batch, timeout *time.Duration) bool {
	f := q.flow
	f.mu.Lock()
	defer f.mu.Unlock()
	for !f.lifted && !q.closed && !q.fits(b) {
		limited := f.sharing && f.fits(b)
		if limited && *timeout <= 0 {
			break
		}
		f.wait(timeout, limited)
	}
	if q.closed {
		return false
	}
	q.waiting = append(q.waiting, b)
	q.taken++
	q.count += len(b.items)
	q.bytes += b.bytes
	f.count += len(b.items)
	f.bytes += b.bytes
	q.ready.Signal()
	return true
}

// fresh returns an empty batch to fill.
func (q *queue) fresh() batch {
	q.flow.mu.Lock()
	defer q.flow.mu.Unlock()
	if n := len(q.spare); n > 0 {
		b := batch{items: q.spare[n-1]}
		q.spare = q.spare[:n-1]
		return b
	}
	return batch{items: make([]Inbound, 0, 16)}
}

// pop waits for a batch. It returns false when the queue is closed and empty. The batch counts
// against the limits until done.
func (q *queue) pop() (batch, bool) {
	q.flow.mu.Lock()
	defer q.flow.mu.Unlock()
	for len(q.waiting) == 0 && !q.closed {
		q.ready.Wait()
	}
	if len(q.waiting) == 0 {
		return batch{}, false
	}
	b := q.waiting[0]
	q.waiting = append(q.waiting[:0], q.waiting[1:]...)
	return b, true
}

// done releases a batch that was handled.
func (q *queue) done(b batch) {
	clear(b.items)
	f := q.flow
	f.mu.Lock()
	defer f.mu.Unlock()
	q.ended++
	q.count -= len(b.items)
	q.bytes -= b.bytes
	f.count -= len(b.items)
	f.bytes -= b.bytes
	if len(q.spare) < 4 {
		q.spare = append(q.spare, b.items[:0])
	}
	f.room.Broadcast()
}

// catchUp waits until all batches pushed so far have been handled, or ctx ends.
func (q *queue) catchUp(ctx context.Context) {
	f := q.flow
	defer context.AfterFunc(ctx, f.wake)()
	f.mu.Lock()
	defer f.mu.Unlock()
	for until := q.taken; q.ended < until && ctx.Err() == nil; {
		f.room.Wait()
	}
}

// more reports whether a batch is waiting.
func (q *queue) more() bool {
	q.flow.mu.Lock()
	defer q.flow.mu.Unlock()
	return len(q.waiting) > 0
}

// close ends the queue. Queued batches are still delivered.
func (q *queue) close() {
	f := q.flow
	f.mu.Lock()
	defer f.mu.Unlock()
	q.closed = true
	q.ready.Broadcast()
	f.room.Broadcast()
}
