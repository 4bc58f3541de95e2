package builtin

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"

	acp "github.com/coder/acp-go-sdk"
)

// connection is the connection to the client: its capabilities, and requests to it.
type connection struct {
	// These are set by open, before the first message is handled.
	conn *acp.Connection
	in   *intake
	out  *outlet

	// asking ends when the client can't answer anymore, so that permission requests don't wait forever.
	asking        context.Context
	noMoreAnswers context.CancelFunc

	mu   sync.Mutex // protects able
	able acp.ClientCapabilities
}

// newConnection returns a connection that is not open yet. Requests end with asking, which noMoreAnswers ends.
func newConnection(asking context.Context, noMoreAnswers context.CancelFunc) *connection {
	return &connection{asking: asking, noMoreAnswers: noMoreAnswers}
}

// open starts passing the client's messages to handle.
func (c *connection) open(stdin io.Reader, stdout io.Writer, handle acp.MethodHandler, log *slog.Logger) {
	out := newOutlet(stdout)
	in := newIntake(stdin, out, c.noMoreAnswers)
	c.in, c.out = in, out
	// The SDK's connection starts reading immediately. c.conn must be set before the first message is let in.
	c.conn = acp.NewConnection(handle, out, in)
	c.conn.SetLogger(log)
	in.open()
}

// learn sets the client's capabilities.
func (c *connection) learn(able acp.ClientCapabilities) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.able = able
}

// capabilities returns the client's capabilities.
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

// askable returns a context for a request to the client, which also ends when the client can't answer anymore. The
// caller must call the returned function.
func (c *connection) askable(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(c.asking, cancel)
	return ctx, func() { stop(); cancel() }
}

// request sends a request to the client. It converts the client's errors to plain ones.
func request[R any](ctx context.Context, c *connection, method string, params any) (R, error) {
	ctx, release := c.askable(ctx)
	defer release()
	answer, err := acp.SendRequest[R](c.conn, ctx, method, params)
	if err != nil && ctx.Err() == nil {
		err = errors.New(clientError(err))
	}
	return answer, err
}

// clientError returns the message of an error from the client.
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
