package builtin

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"

	acp "github.com/coder/acp-go-sdk"
)

// connection is the client at the other end: what it is able to do, and the requests to it.
type connection struct {
	// These are set by open, before the first message is handled.
	conn *acp.Connection
	in   *intake
	out  *outlet

	// asking ends when the client can answer no more, so that nobody waits for a permission forever.
	asking        context.Context
	noMoreAnswers context.CancelFunc

	mu   sync.Mutex // protects able
	able acp.ClientCapabilities
}

// newConnection returns a connection that is not open yet. Requests end with asking, which noMoreAnswers ends.
func newConnection(asking context.Context, noMoreAnswers context.CancelFunc) *connection {
	return &connection{asking: asking, noMoreAnswers: noMoreAnswers}
}

// open begins to pass the client's messages to handle.
func (c *connection) open(stdin io.Reader, stdout io.Writer, handle acp.MethodHandler, log *slog.Logger) {
	out := newOutlet(stdout)
	in := newIntake(stdin, out, c.noMoreAnswers)
	c.in, c.out = in, out
	// The SDK's connection starts to read at once, so it is known here before the first message is let in.
	c.conn = acp.NewConnection(handle, out, in)
	c.conn.SetLogger(log)
	in.open()
}

// learn sets what the client is able to do.
func (c *connection) learn(able acp.ClientCapabilities) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.able = able
}

// capabilities returns what the client is able to do.
func (c *connection) capabilities() acp.ClientCapabilities {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.able
}

// permits reports whether the client answers permitMethod.
func (c *connection) permits() bool {
	yes, _ := c.capabilities().Meta[permitMeta].(bool)
	return yes
}

// askable returns a context for a request to the client; it also ends when the client can answer no more.
func (c *connection) askable(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(c.asking, cancel)
	return ctx, func() { stop(); cancel() }
}

// request asks the client and makes a plain error of what it answers.
func request[R any](ctx context.Context, c *connection, method string, params any) (R, error) {
	ctx, release := c.askable(ctx)
	defer release()
	answer, err := acp.SendRequest[R](c.conn, ctx, method, params)
	if err != nil && ctx.Err() == nil {
		err = errors.New(clientError(err))
	}
	return answer, err
}

// clientError is the message of an error that the client returned.
func clientError(err error) string {
	var rerr *acp.RequestError
	if errors.As(err, &rerr) {
		if data, ok := rerr.Data.(map[string]any); ok {
			if text, ok := data["error"].(string); ok {
				return text
			}
		}
		return rerr.Message
	}
	return err.Error()
}
