package relay

import "sync"

// Subscription collects what is published on one topic. One goroutine at a time may call Next.
type Subscription struct {
	r     *Relay
	topic string
	limit int
	told  func()
	more  chan struct{} // filled when a batch was added
	room  chan struct{} // filled when one was taken

	mu    sync.Mutex
	queue []queued
	bytes int
	gap   bool // what was held is gone; nothing is added until this is taken

	once sync.Once
	done chan struct{}
}

type queued struct {
	batch Batch
	size  int
}

// Topic is what it was subscribed to.
func (s *Subscription) Topic() string { return s.topic }

// Close ends the subscription. What it held is dropped.
func (s *Subscription) Close() {
	s.once.Do(func() {
		s.r.drop(s)
		select {
		case <-s.done: // the relay was closed before
		default:
			close(s.done)
		}
		s.mu.Lock()
		s.queue, s.bytes = nil, 0
		s.mu.Unlock()
	})
}

// put adds a batch, waiting for room until the timeout of w. Then it becomes a gap.
func (s *Subscription) put(b Batch, size int, w *waiter) {
	for {
		added, full := s.add(b, size)
		if added {
			signal(s.more)
			if s.told != nil {
				s.told()
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
			w.timer.Reset(0) // don't wait for the others either
			s.lose()
			return
		}
	}
}

// add adds a batch if there is room. What is larger than the buffer fits into an empty one.
func (s *Subscription) add(b Batch, size int) (added, full bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.done:
		return false, false
	default:
	}
	if s.gap {
		return false, false // the gap stands for it
	}
	if len(s.queue) > 0 && s.bytes+size > s.limit {
		return false, true
	}
	s.queue = append(s.queue, queued{b, size})
	s.bytes += size
	return true, false
}

// lose drops what is held, and says so in the next batch.
func (s *Subscription) lose() {
	s.mu.Lock()
	s.queue, s.bytes, s.gap = nil, 0, true
	s.mu.Unlock()
	signal(s.more)
	if s.told != nil {
		s.told()
	}
}

// again has the gap that was just taken answered once more.
func (s *Subscription) again() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue, s.bytes, s.gap = nil, 0, true
}

// take returns the oldest batch, if there is one.
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
