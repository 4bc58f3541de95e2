package mcp

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// link is the way to a server.
type link interface {
	// end ends the server, or the way to it, and answers err with what can be said of it; without err, what went wrong
	// while it was ended. When ctx has ended there is no grace.
	end(ctx context.Context, err error) error
	// noise is what a server wrote that is no message.
	noise() string
}

type noLink struct{}

func (noLink) end(_ context.Context, err error) error { return err }
func (noLink) noise() string                          { return "" }

// Connection is an open session with a server.
type Connection struct {
	*sdk.ClientSession
	link   link
	cancel context.CancelFunc
	why    string // it was lost; under the lock of the Standing that it belongs to
}

// Open connects to a server and begins a session, for client's handlers too. It blocks until the server has answered, at
// most for [Options.Timeout]. ctx is that of the whole connection: when it ends, the server is ended without grace.
// Whoever opens it has to close it. Errors: *Error; then nothing is left of the server.
func Open(ctx context.Context, s Server, opt Options, client *sdk.Client) (*Connection, error) {
	limit := cmp.Or(opt.Timeout, 30*time.Second)
	life, cancel := context.WithCancel(ctx)
	timer := time.AfterFunc(limit, cancel) // no deadline: the connection outlives it
	var c *Connection
	err := eachProtocol(life, func(version string) (err error) {
		c, err = open(life, s, opt, client, version, true)
		return err
	})
	if err == nil && !timer.Stop() {
		err = c.end(life, context.DeadlineExceeded)
	}
	if err != nil {
		failed := failure(ctx, life, s, limit, err)
		timer.Stop()
		cancel()
		return nil, failed
	}
	c.cancel = cancel
	return c, nil
}

// eachProtocol tries the newest version that begins with initialize, as agents do it, and, where the server refuses
// that, the newest of all: it may know only those, which begin in another way.
func eachProtocol(ctx context.Context, try func(version string) error) error {
	err := try(protocol)
	var refused *jsonrpc.Error
	if errors.As(err, &refused) && ctx.Err() == nil {
		if try("") == nil {
			return nil
		}
	}
	return err
}

// open opens a session in one version of the protocol. The connection has a link also beside an error.
func open(ctx context.Context, s Server, opt Options, client *sdk.Client, version string, listen bool) (*Connection, error) {
	c := &Connection{link: noLink{}, cancel: func() {}}
	var l link
	var t sdk.Transport
	var err error
	if s.Type == "stdio" {
		l, t, err = dialStdio(ctx, s, opt)
	} else {
		l, t, err = dialHTTP(ctx, s, listen)
	}
	if err != nil {
		return c, err
	}
	c.link = l
	c.ClientSession, err = client.Connect(ctx, t, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		return c, l.end(ctx, err)
	}
	return c, nil
}

// closeGrace is how long a server has to hear that the session ends.
const closeGrace = time.Second

// end ends the session and the server.
func (c *Connection) end(ctx context.Context, err error) error {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = c.ClientSession.Close() // whatever it says, the transport ends next
	}()
	select {
	case <-closed:
	case <-time.After(closeGrace):
	}
	return c.link.end(ctx, err)
}

// Close ends the session and the server, with everything that it has started. It blocks for some seconds at most; when
// ctx ends there is no more grace.
func (c *Connection) Close(ctx context.Context) error {
	defer c.cancel()
	return c.end(ctx, nil)
}

// Lost ends a connection of which err was the last that was heard, and answers in a sentence what became of the
// server: "npx exited with code 1."
func (c *Connection) Lost(ctx context.Context, err error) *Error {
	defer c.cancel()
	return failure(context.WithoutCancel(ctx), context.WithoutCancel(ctx), Server{}, 0, c.end(ctx, err))
}
