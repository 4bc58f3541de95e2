package acp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// The directions of the protocol log, as recordings name them.
const (
	FromAgent = "agent->client"
	ToAgent   = "client->agent"
)

// Options are what a connection can be told. The zero value is good.
type Options struct {
	// WriteTimeout is how long the agent may take to accept 64 KiB of its input.
	// 0 means 10 s.
	WriteTimeout time.Duration
	// Tap sees every line without its end, in the order of the wire: those of the agent
	// before they are decoded, those to the agent before they are written. Of an
	// oversize line it sees the first KiB. It must be quick, must not keep line, and is
	// never called twice at once.
	Tap func(dir string, line []byte)

	maxLine int // for tests
}

// Conn is one connection to an agent. [Conn.Run] makes it live; all other methods may be
// called before, during and after, from any goroutine.
type Conn struct {
	r    io.Reader
	w    io.Writer
	opts Options

	queue  *queue
	out    *outbox
	speaks atomic.Pointer[version] // nil before initialize has been answered
	tapMu  sync.Mutex

	mu      sync.Mutex
	failure error // why the connection ended; nil while it lives
	ended   bool  // calls can no longer be answered
	lastID  int64
	calls   map[string]*call
	lost    int                 // calls that nobody waits for any more
	asked   map[string]*Request // requests of the agent without an answer
	failing chan struct{}       // closed with failure
}

// New makes a connection that reads what the agent writes from r and writes to w. If they
// are io.Closers, the connection closes them when it ends.
func New(r io.Reader, w io.Writer, opts Options) *Conn {
	if opts.WriteTimeout == 0 {
		opts.WriteTimeout = 10 * time.Second
	}
	if opts.maxLine == 0 {
		opts.maxLine = MaxLine
	}
	c := &Conn{
		r: r, w: w, opts: opts, queue: newQueue(), calls: map[string]*call{},
		asked: map[string]*Request{}, failing: make(chan struct{}),
	}
	c.out = newOutbox(c)
	return c
}

// Run delivers to h until the agent closes its output, ctx ends or [Conn.Close] is
// called, and everything that was read has been handled. Then calls that are still
// pending fail with [ErrClosed], and contexts of open requests end. It returns nil after
// an ordinary EOF, else why the connection ended. It must be called exactly once.
func (c *Conn) Run(ctx context.Context, h Handler) error {
	stop := context.AfterFunc(ctx, func() { c.fail(context.Cause(ctx)) })
	defer stop()
	reading, writing := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(reading)
		c.read()
	}()
	go func() {
		defer close(writing)
		c.out.run()
	}()
	c.deliver(h)
	c.fail(nil)
	c.finish()
	// What cannot be closed cannot be woken.
	if _, ok := c.r.(io.Closer); ok {
		<-reading
	}
	if _, ok := c.w.(io.Closer); ok {
		<-writing
	}
	return c.Err()
}

// Err is why the connection ended, nil while it lives and after an ordinary end.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if errors.Is(c.failure, errEOF) {
		return nil
	}
	return c.failure
}

// errEOF marks the ordinary end.
var errEOF = errors.New("end of the agent's output")

// Close ends the connection at once: both sides are closed, what was read is still
// delivered. It does not wait for [Conn.Run].
func (c *Conn) Close() { c.fail(ErrClosed) }

// CloseInput closes the agent's input once everything queued before has been written,
// which asks a well-behaved agent to end. Output of the agent is read until it does.
func (c *Conn) CloseInput() { c.out.closeInput() }

// fail ends the connection with the first reason given; nil is the ordinary end.
func (c *Conn) fail(why error) {
	if why == nil {
		why = errEOF
	}
	c.mu.Lock()
	if c.failure != nil {
		c.mu.Unlock()
		return
	}
	c.failure = why
	close(c.failing)
	c.mu.Unlock()
	c.queue.lift()
	if w, ok := c.w.(io.Closer); ok {
		_ = w.Close()
	}
	if r, ok := c.r.(io.Closer); ok {
		_ = r.Close()
		return
	}
	c.queue.close() // the reader cannot be woken
}

// finish fails what is still pending once everything was delivered.
func (c *Conn) finish() {
	c.mu.Lock()
	c.ended = true
	calls, asked := c.calls, c.asked
	c.calls, c.asked = map[string]*call{}, map[string]*Request{}
	why := c.failure
	c.mu.Unlock()
	if errors.Is(why, errEOF) {
		why = ErrClosed
	}
	for _, k := range calls {
		k.complete(nil, fmt.Errorf("%s: %w", k.method, why))
	}
	for _, r := range asked {
		r.cancel(ErrClosed)
	}
}

func (c *Conn) tap(dir string, line []byte) {
	if c.opts.Tap == nil {
		return
	}
	c.tapMu.Lock()
	defer c.tapMu.Unlock()
	c.opts.Tap(dir, line)
}
