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

// MaxLine is the longest line, in bytes, that is read as a message.
const MaxLine = 64 << 20

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

// Conn is one connection to an agent, as [New] makes it, or a lane of it, as [Conn.Lane] does:
// both have the same methods, and the answer to a call comes in the lane that it was made in.
// [Conn.Run] makes it live; all other methods may be called before, during and after, from any
// goroutine.
type Conn struct {
	*wire
	lane *lane
}

// wire is what all lanes of a connection share.
type wire struct {
	r    io.Reader
	w    io.Writer
	opts Options

	flow   *flow
	out    *outbox
	speaks atomic.Pointer[version] // nil before initialize has been answered
	offers atomic.Bool             // the agent has told ways to sign in
	tapMu  sync.Mutex
	lanes  sync.WaitGroup // those that deliver, besides the main one

	mu          sync.Mutex    // guards what follows, and the state of lanes, calls and requests
	failure     error         // why the connection ended; nil while it lives
	failing     chan struct{} // closed with failure; may be read without mu
	readerEnded bool          // the reader has ended: nothing more will come
	calls       calls
	asked       requests
	routes      routes // its main never changes, and may be read without mu
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
	c := &wire{
		r: r, w: w, opts: opts, flow: newFlow(), failing: make(chan struct{}),
		calls: calls{byID: map[string]*call{}}, asked: requests{},
	}
	c.routes = routes{main: &lane{queue: c.flow.queue(), tap: opts.Tap}, sessions: map[string]*lane{}, left: map[string]bool{}}
	c.out = newOutbox(c)
	return &Conn{wire: c, lane: c.routes.main}
}

// Run delivers to h, and to the handlers of the lanes, until the agent closes its output, ctx
// ends or [Conn.Close] is called, and everything that was read has been handled. Then calls that
// are still pending fail with [ErrClosed], and contexts of open requests end: those of each lane
// as soon as it has handled all that was its own. Run returns nil after an ordinary EOF, else why
// the connection ended. It must be called exactly once, and not of a lane.
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
	c.routes.main.handler = h
	c.deliver(c.routes.main)
	c.fail(nil)
	c.finish(c.routes.main)
	c.lanes.Wait()
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
func (c *wire) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if errors.Is(c.failure, errEOF) {
		return nil
	}
	return c.failure
}

// errEOF marks the ordinary end.
var errEOF = errors.New("end of the agent's output")

// Close ends the connection, with all its lanes, at once: both sides are closed, what was read is still
// delivered. It does not wait for [Conn.Run].
func (c *wire) Close() { c.fail(ErrClosed) }

// CloseInput closes the agent's input once everything queued before has been written,
// which asks a well-behaved agent to end. Output of the agent is read until it does.
func (c *wire) CloseInput() { c.out.closeInput() }

// fail ends the connection with the first reason given; nil is the ordinary end.
func (c *wire) fail(why error) {
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
	c.flow.lift()
	c.out.signal()
	if w, ok := c.w.(io.Closer); ok {
		_ = w.Close()
	}
	if r, ok := c.r.(io.Closer); ok {
		_ = r.Close()
		return
	}
	c.closeQueues() // the reader cannot be woken
}

// finish fails what is still pending in a lane once everything of it was delivered.
func (c *wire) finish(l *lane) {
	c.mu.Lock()
	l.ended = true
	calls, asked := c.calls.takeOf(l), c.asked.takeOf(l)
	why := c.failure
	c.mu.Unlock()
	left := why == nil
	if left || errors.Is(why, errEOF) {
		why = ErrClosed
	}
	for _, k := range calls {
		k.complete(nil, fmt.Errorf("%s: %w", k.method, why))
	}
	for _, r := range asked {
		r.cancel(ErrClosed)
		if left {
			_ = r.Error(CodeInternal, sessionGone)
		}
	}
}

// tap shows a line to whom a lane's lines are shown; nil is nobody.
func (c *wire) tap(l *lane, dir string, line []byte) {
	if l == nil || l.tap == nil {
		return
	}
	c.tapMu.Lock()
	defer c.tapMu.Unlock()
	l.tap(dir, line)
}
