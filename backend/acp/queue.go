package acp

import (
	"context"
	"sync"
	"time"
)

const (
	maxQueued      = 1024    // things between reader and handler, in each lane
	maxQueuedBytes = 8 << 20 // bytes of their lines
	batchItems     = 256
	batchBytes     = 256 << 10

	// What all lanes together may hold when one that is full must not keep the others waiting.
	maxShared      = 32 << 10
	maxSharedBytes = 32 << 20
	// laneTimeout is how long the reader waits for full lanes, between two reads of the agent's
	// output, before it continues to the others.
	laneTimeout = 16 * time.Millisecond
)

// batch is a run of things in order of arrival.
type batch struct {
	items []Inbound
	bytes int
}

// flow bounds what waits between the reader and the handlers of all lanes.
type flow struct {
	mu   sync.Mutex
	room sync.Cond // something was handled, or the bounds have changed

	count, bytes int  // waiting or being handled, in all lanes
	sharing      bool // there is more than one lane of sessions
	lifted       bool // the bounds are: the connection is ending
}

func newFlow() *flow {
	f := &flow{}
	f.room.L = &f.mu
	return f
}

// share tells whether lanes must not wait for each other.
func (f *flow) share(on bool) { f.change(func() { f.sharing = on }) }

// lift ends the bounds, so that the reader can hand over what it has and stop.
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

// wait waits for room. With credit it waits no longer than timeout, and subtracts the time that it has
// waited. The mutex is held.
func (f *flow) wait(timeout *time.Duration, credit bool) {
	if !credit {
		f.room.Wait()
		return
	}
	began := time.Now()
	timer := time.AfterFunc(*timeout, f.wake)
	f.room.Wait()
	timer.Stop()
	*timeout -= time.Since(began)
}

// queue carries batches from the reader to the handler of one lane. It is bounded by the number of
// things and by the bytes of their lines, those being handled included; a batch larger
// than the bound passes alone. Where there are several lanes a full one holds the reader up for
// a moment only; then it gets of what all of them may hold together, and only when that is
// used up the reader waits, and the agent with it.
type queue struct {
	flow  *flow
	ready sync.Cond

	waiting []batch
	spare   [][]Inbound // emptied, to be used again

	count, bytes int    // waiting or being handled
	taken, ended uint64 // batches that were ever pushed, and those that have been handled
	closed       bool   // nothing more will come
}

func (f *flow) queue() *queue {
	q := &queue{flow: f}
	q.ready.L = &f.mu
	return q
}

func (q *queue) fits(b batch) bool {
	return q.count == 0 || q.count+len(b.items) <= maxQueued && q.bytes+b.bytes <= maxQueuedBytes
}

// hasRoom reports whether push would not wait.
func (q *queue) hasRoom(b batch) bool {
	q.flow.mu.Lock()
	defer q.flow.mu.Unlock()
	return q.flow.lifted || q.closed || q.fits(b)
}

// push adds a batch, waiting for room, where lanes share no longer than timeout. It is false if the
// lane takes nothing any more.
func (q *queue) push(b batch, timeout *time.Duration) bool {
	f := q.flow
	f.mu.Lock()
	defer f.mu.Unlock()
	for !f.lifted && !q.closed && !q.fits(b) {
		credit := f.sharing && f.fits(b)
		if credit && *timeout <= 0 {
			break
		}
		f.wait(timeout, credit)
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

// pop waits for a batch. It is false once nothing more will come. The batch stays
// accounted for until done.
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

// done gives a handled batch back.
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

// catchUp waits until what was pushed so far has been handled, or ctx ends.
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

// close says that nothing more will come; what waits is still delivered.
func (q *queue) close() {
	f := q.flow
	f.mu.Lock()
	defer f.mu.Unlock()
	q.closed = true
	q.ready.Broadcast()
	f.room.Broadcast()
}
