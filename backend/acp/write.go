package acp

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	maxUnwritten      = 256      // messages, and as many answers, that wait to be written
	maxUnwrittenBytes = 16 << 20 // of answers
	writeSlice        = 64 << 10 // bytes that must be taken within the write timeout
)

// message is a line to the agent, without its end.
type message struct {
	line   []byte
	call   *call // that fails if the line cannot be written
	lane   *lane // whose line it is
	answer bool  // to a request of the agent
	last   bool  // no line: close the agent's input
}

// outbox writes messages on a goroutine of its own.
//
// Answers never wait, since they are given in the middle of other work. What bounds them is that no further request of the agent is
// delivered while too many are unwritten (see [outbox.admit]): an agent that only asks and never reads is not read any more either.
type outbox struct {
	conn *wire
	wake chan struct{} // gets a value when there is something to write

	mu      sync.Mutex
	room    *sync.Cond // signaled when something was taken from the queue, or nothing ever will be
	queue   []message
	others  int   // messages in the queue that are no answers
	answers int   // answers in the queue
	bytes   int   // of these
	failed  error // why the agent's input is closed, nil while it is open
}

func newOutbox(c *wire) *outbox {
	o := &outbox{conn: c, wake: make(chan struct{}, 1)}
	o.room = sync.NewCond(&o.mu)
	return o
}

// send queues a message. Unless it is an answer, it waits while the queue is full, which ends with the write
// timeout at the latest.
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

// push is called with the mutex held.
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

// over reports whether nothing will be written any more. The mutex is held.
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

// admit waits until the agent has read enough of its answers to be given another one.
func (o *outbox) admit() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for (o.answers >= maxUnwritten || o.bytes >= maxUnwrittenBytes) && !o.over() {
		o.room.Wait()
	}
}

// signal wakes everybody who waits for room.
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

// closeInput closes the agent's input behind what is queued, or at once if the agent is
// so far behind that the queue is full.
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

// run writes until the connection ends or the agent's input is gone.
func (o *outbox) run() {
	defer o.signal()
	for {
		m, ok := o.next()
		if !ok {
			return
		}
		if err := o.write(m); err != nil {
			o.die(m, err)
			return
		}
	}
}

// next waits for a message; ok is false when the connection has ended.
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

// die makes later sends fail, and the calls of the message that couldn't be written and of those behind it.
func (o *outbox) die(m message, err error) {
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
			case <-o.conn.failing: // which closed it
				return o.failure()
			default:
			}
			return fmt.Errorf("%w: its input is closed (%w)", ErrClosed, err)
		}
		rest = rest[n:]
	}
	return nil
}
