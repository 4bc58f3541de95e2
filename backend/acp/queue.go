package acp

import "sync"

const (
	maxQueued      = 1024    // things between reader and handler
	maxQueuedBytes = 8 << 20 // bytes of their lines
	batchItems     = 256
	batchBytes     = 256 << 10
)

// batch is a run of things in order of arrival.
type batch struct {
	items []Inbound
	bytes int
}

// queue carries batches from the reader to the handler. It is bounded by the number of
// things and by the bytes of their lines, those being handled included; a batch larger
// than the bound passes alone.
type queue struct {
	mu   sync.Mutex
	cond sync.Cond

	waiting []batch
	spare   [][]Inbound // emptied, to be used again

	count, bytes int  // waiting or being handled
	closed       bool // nothing more will come
	open         bool // the bound is lifted: the connection is ending
}

func newQueue() *queue {
	q := &queue{}
	q.cond.L = &q.mu
	return q
}

// push adds a batch, waiting for room, and returns an empty one to fill.
func (q *queue) push(b batch) batch {
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.open && q.count > 0 && (q.count+len(b.items) > maxQueued || q.bytes+b.bytes > maxQueuedBytes) {
		q.cond.Wait()
	}
	if q.closed {
		return batch{items: b.items[:0]}
	}
	q.waiting = append(q.waiting, b)
	q.count += len(b.items)
	q.bytes += b.bytes
	q.cond.Broadcast()
	if n := len(q.spare); n > 0 {
		next := batch{items: q.spare[n-1]}
		q.spare = q.spare[:n-1]
		return next
	}
	return batch{items: make([]Inbound, 0, batchItems)}
}

// pop waits for a batch. It is false once nothing more will come. The batch stays
// accounted for until done.
func (q *queue) pop() (batch, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) == 0 && !q.closed {
		q.cond.Wait()
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
	q.mu.Lock()
	defer q.mu.Unlock()
	q.count -= len(b.items)
	q.bytes -= b.bytes
	if len(q.spare) < 4 {
		q.spare = append(q.spare, b.items[:0])
	}
	q.cond.Broadcast()
}

// more reports whether a batch is waiting.
func (q *queue) more() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting) > 0
}

// lift ends the bound, so that the reader can hand over what it has and stop.
func (q *queue) lift() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.open = true
	q.cond.Broadcast()
}

// close says that nothing more will come; what waits is still delivered.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.cond.Broadcast()
}
