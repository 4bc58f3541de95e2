package mcp

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/base/clip"
	"weft/backend/base/fault"
)

// StandingOptions configures a [Standing].
type StandingOptions struct {
	Options
	Client string // name of the client
	// Server returns the address of the server with its secrets. It is called for each connection and may block.
	Server func(ctx context.Context) (Server, error)
	// Changed is called, from any goroutine, when the list of tools has changed, or the connection was lost or
	// restored. It may be nil.
	Changed func()
}

// Standing is a connection that is kept available. It connects when it is needed, keeps the list of tools even while
// it is disconnected, and reconnects for the next call after the connection was lost. Its methods are safe for
// concurrent use.
type Standing struct {
	opt    StandingOptions
	life   context.Context //nolint:containedctx // of all connections
	client *sdk.Client

	connecting sync.Mutex // held while connecting and disconnecting

	mu        sync.Mutex
	conn      *Connection // nil while disconnected
	before    bool        // it was connected before
	closed    bool
	tools     []*sdk.Tool
	why       string               // why it is disconnected
	followers map[string]*follower // calls by progress token
	tokens    int

	changed chan struct{}  // the server reported a change of its tools
	work    sync.WaitGroup // goroutines of connections
}

// ErrClosed reports that a [Standing] was closed, or its life context has ended.
var ErrClosed = fault.New("closed", "It is no longer used.")

// closeTime is how long a server may take to end.
const closeTime = 5 * time.Second

// maxToolName is the length limit for names of tools, in bytes. Tools with longer names are dropped.
const maxToolName = 1000

// NewStanding returns a Standing that isn't connected yet. When life ends, the server is killed. The caller must close
// it.
func NewStanding(life context.Context, opt StandingOptions) *Standing {
	opt.Timeout = cmp.Or(opt.Timeout, 30*time.Second)
	s := &Standing{opt: opt, life: life, followers: map[string]*follower{}, changed: make(chan struct{}, 1)}
	s.client = sdk.NewClient(&sdk.Implementation{Name: opt.Client, Title: "Weft", Version: opt.Version}, &sdk.ClientOptions{
		Capabilities:                &sdk.ClientCapabilities{}, // no client capabilities
		ToolListChangedHandler:      func(context.Context, *sdk.ToolListChangedRequest) { s.listAgain() },
		ProgressNotificationHandler: func(_ context.Context, req *sdk.ProgressNotificationClientRequest) { s.progressed(req.Params) },
	})
	return s
}

// Connected returns the open connection. It connects if there is none, or waits for a concurrent call that does.
// Errors: that of ctx, [ErrClosed], *Error, and those of [StandingOptions.Server].
func (s *Standing) Connected(ctx context.Context) (*Connection, error) {
	s.connecting.Lock()
	defer s.connecting.Unlock()
	s.mu.Lock()
	conn, closed := s.conn, s.closed
	s.mu.Unlock()
	switch {
	case closed || s.life.Err() != nil:
		return nil, ErrClosed
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case conn != nil:
		return conn, nil
	}
	// The connection outlives the call that opens it, unless the call ends before it is open.
	life, cancel := context.WithCancel(s.life)
	stop := context.AfterFunc(ctx, cancel)
	conn, tools, err := s.open(life)
	if !stop() && err == nil {
		_ = conn.Close(life)
		err = ctx.Err()
	}
	switch {
	case err == nil:
	case ctx.Err() != nil:
		cancel()
		return nil, ctx.Err()
	case s.life.Err() != nil:
		cancel()
		return nil, ErrClosed
	default:
		cancel()
		s.mu.Lock()
		s.why = Said(err)
		s.mu.Unlock()
		return nil, err
	}
	s.mu.Lock()
	s.conn, s.tools = conn, tools
	before := s.before
	s.before = true
	s.mu.Unlock()
	s.work.Go(func() {
		defer cancel()
		s.Lost(s.life, conn, cmp.Or(conn.Wait(), io.EOF))
	})
	if before {
		s.tell()
	}
	s.work.Go(func() { s.watch(life, conn) })
	return conn, nil
}

func (s *Standing) open(ctx context.Context) (*Connection, []*sdk.Tool, error) {
	server, err := s.opt.Server(ctx)
	if err != nil {
		return nil, nil, err
	}
	conn, err := Open(ctx, server, s.opt.Options, s.client)
	if err != nil {
		return nil, nil, err
	}
	tools, err := s.list(ctx, conn)
	if err != nil {
		_ = conn.Close(ctx)
		return nil, nil, err
	}
	return conn, tools, nil
}

// list requests the tools of the server. If several have the same name, the first one is used.
func (s *Standing) list(ctx context.Context, conn *Connection) ([]*sdk.Tool, error) {
	if hello := conn.InitializeResult(); hello.Capabilities != nil && hello.Capabilities.Tools == nil {
		return nil, nil
	}
	limited, cancel := context.WithTimeout(ctx, s.opt.Timeout)
	defer cancel()
	all, _, err := ListTools(limited, conn.ClientSession)
	if err != nil {
		if limited.Err() != nil && ctx.Err() == nil {
			return nil, fault.New("timeout", "It didn't list its tools within {{limit}}.", s.opt.Timeout).Because(err)
		}
		return nil, fault.New("mcp_error", "It couldn't list its tools: {{reason}}.", strings.TrimRight(clip.Text(err.Error(), 500), ".")).Because(err)
	}
	var tools []*sdk.Tool
	seen := map[string]bool{}
	for _, one := range all {
		if one.Name != "" && len(one.Name) <= maxToolName && !seen[one.Name] {
			seen[one.Name] = true
			tools = append(tools, one)
		}
	}
	return tools, nil
}

// listAgain requests that the tools be listed again.
func (s *Standing) listAgain() {
	select {
	case s.changed <- struct{}{}:
	default: // already requested
	}
}

// watch lists the tools again whenever the server reports a change, until the connection ends.
func (s *Standing) watch(life context.Context, conn *Connection) {
	for {
		select {
		case <-life.Done():
			return
		case <-s.changed:
		}
		tools, err := s.list(life, conn)
		s.mu.Lock()
		current := s.conn == conn
		if current && err == nil {
			s.tools = tools
		}
		s.mu.Unlock()
		switch {
		case !current: // the report came from another connection
			s.listAgain()
			return
		case err == nil && s.opt.Changed != nil:
			s.opt.Changed()
		}
	}
}

// Tools returns the latest list of tools. Their names are unique and at most 1000 bytes long.
func (s *Standing) Tools() []*sdk.Tool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tools
}

// Trouble returns a sentence that says why it is disconnected, or "" if it is connected or wasn't needed yet.
func (s *Standing) Trouble() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn != nil {
		return ""
	}
	return s.why
}

// Lost closes a connection that failed with err, and returns a sentence that says why it was lost. It blocks until
// nothing of the server is left, for a few seconds at most.
func (s *Standing) Lost(ctx context.Context, conn *Connection, err error) string {
	s.connecting.Lock()
	defer s.connecting.Unlock()
	s.mu.Lock()
	own, why := s.conn == conn, conn.why
	if own {
		s.conn = nil
	}
	s.mu.Unlock()
	if !own {
		return cmp.Or(why, ErrClosed.Message)
	}
	why = Said(conn.Lost(ctx, err))
	s.mu.Lock()
	s.why, conn.why = why, why
	s.mu.Unlock()
	s.tell()
	return why
}

// tell calls Changed. s.connecting is held, and s isn't closed.
func (s *Standing) tell() {
	if s.opt.Changed != nil && s.life.Err() == nil {
		s.work.Go(s.opt.Changed)
	}
}

// Close ends the server with all of its processes. It blocks for a few seconds at most. If the life context has ended,
// the server is killed.
func (s *Standing) Close() {
	s.connecting.Lock()
	s.mu.Lock()
	conn := s.conn
	s.conn, s.closed = nil, true
	s.mu.Unlock()
	s.connecting.Unlock()
	if conn != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(s.life), closeTime)
		defer cancel()
		_ = conn.Close(ctx)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.work.Wait()
	}()
	select {
	case <-ended:
	case <-time.After(closeTime): // nothing of the server is left anyway
	}
}

// Said returns the sentences of an error for the user, with the end of the server's own output.
func Said(err error) string {
	var e *Error
	if !errors.As(err, &e) {
		return clip.Text(err.Error(), 1000)
	}
	if detail := strings.TrimSpace(e.Detail); detail != "" {
		last := clip.Text(strings.TrimSpace(detail[strings.LastIndexByte(detail, '\n')+1:]), 300)
		return fault.Text("{{reason}} The server says: {{words}}.", e.Message, strings.TrimRight(last, "."))
	}
	return e.Message
}
