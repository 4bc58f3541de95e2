package acp

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	maxUnwritten = 256      // messages that wait to be written
	writeSlice   = 64 << 10 // bytes that must be taken within the write timeout
)

// message is a line to the agent, without its end.
type message struct {
	line []byte
	call *call // that fails if the line cannot be written
	lane *lane // whose line it is
	last bool  // no line: close the agent's input
}

// outbox writes messages on a goroutine of its own.
type outbox struct {
	conn  *wire
	queue chan message

	mu     sync.Mutex
	failed error // the agent's input is closed
	dead   chan struct{}
}

func newOutbox(c *wire) *outbox {
	return &outbox{conn: c, queue: make(chan message, maxUnwritten), dead: make(chan struct{})}
}

// send queues a message. It waits while the queue is full, which ends with the write
// timeout at the latest.
func (o *outbox) send(ctx context.Context, m message) error {
	select {
	case <-o.dead:
		return o.failure()
	case <-o.conn.failing:
		return o.failure()
	default:
	}
	select {
	case o.queue <- m:
		return nil
	case <-o.dead:
		return o.failure()
	case <-o.conn.failing:
		return o.failure()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
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
	select {
	case o.queue <- message{last: true}:
	default:
		if w, ok := o.conn.w.(io.Closer); ok {
			_ = w.Close()
		}
	}
}

// run writes until the connection ends or the agent's input is gone.
func (o *outbox) run() {
	for {
		select {
		case <-o.conn.failing:
			return
		case m := <-o.queue:
			err := o.write(m)
			if err == nil {
				continue
			}
			o.die(err)
			if m.call != nil {
				o.conn.drop(m.call, err)
			}
			o.drain(err)
			return
		}
	}
}

// die makes later sends fail.
func (o *outbox) die(err error) {
	o.mu.Lock()
	o.failed = err
	o.mu.Unlock()
	close(o.dead)
}

// drain fails the calls that were queued behind a failed write.
func (o *outbox) drain(err error) {
	for {
		select {
		case m := <-o.queue:
			if m.call != nil {
				o.conn.drop(m.call, err)
			}
		case <-o.conn.failing:
			return
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
			return fmt.Errorf("%w: it takes no more input (%w)", ErrClosed, err)
		}
		rest = rest[n:]
	}
	return nil
}
