package relay

import "sync"

// Subscription buffers the events of one topic. Only one goroutine at a time may call Next.
type Subscription struct {
	r     *Relay
	topic string
	limit int
	onAdd func()        // called after a batch or a gap was added; may be nil
	more  chan struct{} // receives a value when a batch was added
	room  chan struct{} // receives a value when a batch was taken

	mu    sync.Mutex
	queue []queued
	bytes int
	gap   bool // the buffer was dropped; nothing is added until the gap is taken

	once sync.Once
	done chan struct{}
}

type queued struct {
	batch Batch
	size  int
}

// Topic returns the topic of the subscription.
func (s *Subscription) Topic() string { return s.topic }

// Close ends the subscription and drops its buffer.
func (s *Subscription) Close() {
	s.once.Do(func() {
		s.r.drop(s)
		select {
		case <-s.done: // closed by the relay
		default:
			close(s.done)
		}
		s.mu.Lock()
		s.queue, s.bytes = nil, 0
		s.mu.Unlock()
	})
}

// put adds a batch. It waits for room until the deadline, and then replaces the buffer by a gap.
func (s *Subscription) put(b Batch, size int, w *deadline) {
	for {
		added, full := s.add(b, size)
		if added {
			signal(s.more)
			if s.onAdd != nil {
				s.onAdd()
			}
		}
		if !full {
			return
		}
		select {
		case <-s.room:
		case <-s.done:
			return
		case <-w.expired():
			w.timer.Reset(0) // don't wait for other subscribers either
			s.dropBuffer()
			return
		}
	}
}

// add adds a batch if there is room. An empty buffer also takes a batch above the limit.
func (s *Subscription) add(b Batch, size int) (added, full bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.done:
		return false, false
	default:
	}
	if s.gap {
		return false, false // covered by the gap
	}
	if len(s.queue) > 0 && s.bytes+size > s.limit {
		return false, true
	}
	s.queue = append(s.queue, queued{b, size})
	s.bytes += size
	return true, false
}

// dropBuffer drops all batches and adds a gap.
func (s *Subscription) dropBuffer() {
	s.mu.Lock()
	s.queue, s.bytes, s.gap = nil, 0, true
	s.mu.Unlock()
	signal(s.more)
	if s.onAdd != nil {
		s.onAdd()
	}
}

// putBackGap undoes taking a gap.
func (s *Subscription) putBackGap() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue, s.bytes, s.gap = nil, 0, true
}

// take removes and returns the oldest batch, if there is one.
func (s *Subscription) take() (Batch, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gap {
		s.gap = false
		return Batch{Topic: s.topic, Gap: true}, true
	}
	if len(s.queue) == 0 {
		return Batch{}, false
	}
	q := s.queue[0]
	s.queue[0] = queued{}
	s.queue = s.queue[1:]
	s.bytes -= q.size
	signal(s.room)
	return q.batch, true
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
