package mcp

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// link is the link to a server.
type link interface {
	// end ends the server, or the link to it. It returns err with more information; without err, it returns what went
	// wrong. If ctx has ended, it kills the server immediately.
	end(ctx context.Context, err error) error
	// noise returns output of the server that isn't a message.
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
	why    string // why it was lost; protected by the lock of its Standing
}

// Open connects to a server and begins a session with client. It blocks until the server has answered, at most for
// [Options.Timeout]. ctx is for the whole connection: when it ends, the server is killed. The caller must close the
// connection. Errors: *Error; nothing of the server is then left.
func Open(ctx context.Context, s Server, opt Options, client *sdk.Client) (*Connection, error) {
	limit := cmp.Or(opt.Timeout, 30*time.Second)
	life, cancel := context.WithCancel(ctx)
	timer := time.AfterFunc(limit, cancel) // not a deadline, because the connection outlives it
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

// eachProtocol tries the newest version that begins with initialize, which agents use too, and if the server refuses
// it, the newest of all. The server may support only versions that begin differently.
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

// open opens a session in one version of the protocol. The returned connection has a link even if there is an error.
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

// closeGrace is how long a server may take to process the end of the session.
const closeGrace = time.Second

// end ends the session and the server.
func (c *Connection) end(ctx context.Context, err error) error {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = c.ClientSession.Close() // the transport ends next in any case
	}()
	select {
	case <-closed:
	case <-time.After(closeGrace):
	}
	return c.link.end(ctx, err)
}

// Close ends the session and the server with all of its processes. It blocks for a few seconds at most. When ctx ends,
// the server is killed.
func (c *Connection) Close(ctx context.Context) error {
	defer c.cancel()
	return c.end(ctx, nil)
}

// Lost ends a connection that failed with err, and returns a sentence about the server: "npx exited with code 1."
func (c *Connection) Lost(ctx context.Context, err error) *Error {
	defer c.cancel()
	return failure(context.WithoutCancel(ctx), context.WithoutCancel(ctx), Server{}, 0, c.end(ctx, err))
}
