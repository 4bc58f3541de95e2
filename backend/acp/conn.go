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

// The directions of lines in the protocol log and in recordings.
const (
	FromAgent = "agent->client"
	ToAgent   = "client->agent"
)

// MaxLine is the maximum length of a message in bytes.
const MaxLine = 64 << 20

// Options configure a connection. The zero value is valid.
type Options struct {
	// WriteTimeout is how long the agent may take to accept 64 KiB of its input.
	// 0 means 10 s.
	WriteTimeout time.Duration
	// Tap is called with each line, without its line end, in wire order: before a line from the
	// agent is delivered, and before a line to the agent is written. Of an oversize line it gets
	// the first KiB. Calls never overlap. Tap must return quickly and must not keep line.
	Tap func(dir string, line []byte)

	maxLine int // for tests
}

// Conn is a connection to an agent, made by [New], or one of its lanes, made by [Conn.Lane].
// Both have the same methods. A response arrives in the lane that made the call. [Conn.Run]
// starts the connection. All other methods may be called before, during and after Run, from
// any goroutine.
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
	offers atomic.Bool             // the agent advertised sign-in methods
	tapMu  sync.Mutex
	lanes  sync.WaitGroup // running lanes, without the main one

	mu          sync.Mutex    // guards the fields below, and the state of lanes, calls and requests
	failure     error         // why the connection ended; nil while it is open
	failing     chan struct{} // closed when failure is set; may be read without mu
	readerEnded bool          // the reader has returned; no more input will arrive
	calls       calls
	asked       requests
	routes      routes // routes.main never changes and may be read without mu
}

// New returns a connection that reads the agent's output from r and writes its input to w.
// If they are io.Closers, the connection closes them when it ends.
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

// Run reads the agent's output and delivers it to h and to the handlers of the lanes. It ends
// when the agent closes its output, ctx ends, or [Conn.Close] is called, and then delivers what
// was read before. As soon as a lane has handled all its items, its pending calls fail with
// [ErrClosed] and the contexts of its open requests end. Run returns nil after an ordinary EOF,
// otherwise the reason why the connection ended. It must be called exactly once, on the Conn
// returned by [New].
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
	// A blocked Read or Write returns only if the stream can be closed.
	if _, ok := c.r.(io.Closer); ok {
		<-reading
	}
	if _, ok := c.w.(io.Closer); ok {
		<-writing
	}
	return c.Err()
}

// Err returns why the connection ended: nil while it is open and after an ordinary EOF.
func (c *wire) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if errors.Is(c.failure, errEOF) {
		return nil
	}
	return c.failure
}

// errEOF is the failure of a connection that ended in an ordinary way.
var errEOF = errors.New("end of the agent's output")

// Close ends the connection and all its lanes at once. It closes both sides; what was read is still delivered. It
// does not wait for [Conn.Run].
func (c *wire) Close() { c.fail(ErrClosed) }

// CloseInput closes the agent's input after everything queued before has been written.
// A well-behaved agent then exits. The connection reads the agent's output until it ends.
func (c *wire) CloseInput() { c.out.closeInput() }

// fail ends the connection. Only the first reason counts; nil means an ordinary end.
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
	c.closeQueues() // a blocked Read can't be interrupted, so don't wait for the reader to do it
}

// finish fails a lane's pending calls and cancels its open requests. It is called after the lane has handled
// everything.
func (c *wire) finish(l *lane) {
	c.mu.Lock()
	l.ended = true
	calls, asked := c.calls.removeOf(l), c.asked.removeOf(l)
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

// tap passes a line to the lane's tap function, if there is one. l may be nil.
func (c *wire) tap(l *lane, dir string, line []byte) {
	if l == nil || l.tap == nil {
		return
	}
	c.tapMu.Lock()
	defer c.tapMu.Unlock()
	l.tap(dir, line)
}
