package acp

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	maxUnwritten      = 256      // queued messages, and as many queued answers
	maxUnwrittenBytes = 16 << 20 // of queued answers
	writeSlice        = 64 << 10 // bytes that the agent must read within the write timeout
)

// message is a line to the agent, without its line end.
type message struct {
	line   []byte
	call   *call // fails if the line can't be written; may be nil
	lane   *lane // the lane that sends it
	answer bool  // it answers a request from the agent
	last   bool  // close the agent's input instead of writing a line
}

// outbox queues messages and writes them in one goroutine.
//
// Sending an answer never blocks, because answers are given in the middle of other work. Instead, no further request is
// delivered while too many answers are unwritten (see [outbox.awaitReader]), so Weft stops reading an agent that sends
// requests and never reads.
type outbox struct {
	conn *wire
	wake chan struct{} // receives a value when the queue has a message

	mu      sync.Mutex
	room    *sync.Cond // signaled when a message left the queue, or the outbox ended
	queue   []message
	others  int   // queued messages that aren't answers
	answers int   // queued answers
	bytes   int   // size of the queued answers
	failed  error // why the agent's input is closed; nil while it is open
}

func newOutbox(c *wire) *outbox {
	o := &outbox{conn: c, wake: make(chan struct{}, 1)}
	o.room = sync.NewCond(&o.mu)
	return o
}

// send queues a message. It blocks while the queue is full, unless the message is an answer: at most until the write
// timeout ends the connection, or ctx ends.
func (o *outbox) send(ctx context.Context, m message) error {
	o.mu.Lock()
	if !m.answer && o.others >= maxUnwritten {
		stop := context.AfterFunc(ctx, o.signal)
		defer stop()
	}
	for !m.answer && o.others >= maxUnwritten && !o.over() && ctx.Err() == nil {
		o.room.Wait()
	}
	switch {
	case o.over():
		o.mu.Unlock()
		return o.failure()
	case ctx.Err() != nil && !m.answer:
		o.mu.Unlock()
		return context.Cause(ctx)
	}
	o.push(m)
	o.mu.Unlock()
	return nil
}

// push appends to the queue. The caller holds o.mu.
func (o *outbox) push(m message) {
	o.queue = append(o.queue, m)
	o.count(m, 1)
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

func (o *outbox) count(m message, by int) {
	if m.answer {
		o.answers += by
		o.bytes += by * len(m.line)
	} else {
		o.others += by
	}
}

// over reports whether writing has ended. The caller holds o.mu.
func (o *outbox) over() bool {
	if o.failed != nil {
		return true
	}
	select {
	case <-o.conn.failing:
		return true
	default:
		return false
	}
}

// awaitReader blocks until the agent has read enough answers for another one to be queued, or writing has ended.
func (o *outbox) awaitReader() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for (o.answers >= maxUnwritten || o.bytes >= maxUnwrittenBytes) && !o.over() {
		o.room.Wait()
	}
}

// signal wakes all goroutines that wait for room.
func (o *outbox) signal() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.room.Broadcast()
}

func (o *outbox) failure() error {
	if err := o.conn.Err(); err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failed != nil {
		return o.failed
	}
	return ErrClosed
}

// closeInput closes the agent's input after the queued messages, or at once if the queue is full.
func (o *outbox) closeInput() {
	o.mu.Lock()
	full := o.others >= maxUnwritten
	if !full {
		o.push(message{last: true})
	}
	o.mu.Unlock()
	if w, ok := o.conn.w.(io.Closer); ok && full {
		_ = w.Close()
	}
}

// run writes queued messages until the connection ends or a write fails.
func (o *outbox) run() {
	defer o.signal()
	for {
		m, ok := o.next()
		if !ok {
			return
		}
		if err := o.write(m); err != nil {
			o.abort(m, err)
			return
		}
	}
}

// next waits for a message. ok is false if the connection has ended.
func (o *outbox) next() (m message, ok bool) {
	for {
		select {
		case <-o.conn.failing:
			return m, false
		default:
		}
		o.mu.Lock()
		if len(o.queue) > 0 {
			m = o.queue[0]
			o.queue[0] = message{}
			if o.queue = o.queue[1:]; len(o.queue) == 0 {
				o.queue = nil
			}
			o.count(m, -1)
			o.room.Broadcast()
			o.mu.Unlock()
			return m, true
		}
		o.mu.Unlock()
		select {
		case <-o.conn.failing:
			return m, false
		case <-o.wake:
		}
	}
}

// abort fails m, which couldn't be written, all queued messages and all later sends with err.
func (o *outbox) abort(m message, err error) {
	o.mu.Lock()
	left := append([]message{m}, o.queue...)
	o.failed, o.queue, o.others, o.answers, o.bytes = err, nil, 0, 0, 0
	o.room.Broadcast()
	o.mu.Unlock()
	for _, m := range left {
		if m.call != nil {
			o.conn.drop(m.call, err)
		}
	}
}

func (o *outbox) write(m message) error {
	if m.last {
		if w, ok := o.conn.w.(io.Closer); ok {
			_ = w.Close()
		}
		return fmt.Errorf("the agent's input was closed: %w", ErrClosed)
	}
	o.conn.tap(m.lane, ToAgent, m.line)
	d := o.conn.opts.WriteTimeout
	for rest := append(m.line, '\n'); len(rest) > 0; {
		n := min(len(rest), writeSlice)
		watch := time.AfterFunc(d, func() { o.conn.fail(stalled(d)) })
		_, err := o.conn.w.Write(rest[:n])
		watch.Stop()
		if err != nil {
			select {
			case <-o.conn.failing: // the connection closed the input itself
				return o.failure()
			default:
			}
			return fmt.Errorf("%w: its input is closed (%w)", ErrClosed, err)
		}
		rest = rest[n:]
	}
	return nil
}
