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

	"weft/backend/clip"
	"weft/backend/fault"
)

// StandingOptions say how a server is kept in use.
type StandingOptions struct {
	Options
	Client string // what Weft calls itself
	// Server tells how the server is reached, with its secrets. It is called for each connection and may block.
	Server func(ctx context.Context) (Server, error)
	// Changed is called, from any goroutine, when the server has told its tools again, was lost, or is connected again. It
	// may be nil.
	Changed func()
}

// Standing is a server that stays in use: it is connected when it is needed, its tools are known, also while it is
// away, and one that is lost is connected again by the next call. Its methods may be called from any goroutine.
type Standing struct {
	opt    StandingOptions
	life   context.Context //nolint:containedctx // of all connections
	client *sdk.Client

	connecting sync.Mutex // held while a connection is made or ended

	mu        sync.Mutex
	conn      *Connection // nil if there is none now
	before    bool        // there has been one
	closed    bool
	tools     []*sdk.Tool
	why       string               // there is no connection
	followers map[string]*follower // of calls, by their tokens
	tokens    int

	changed chan struct{}  // the server says that its tools have changed
	work    sync.WaitGroup // of connections
}

// ErrClosed is the error of a [Standing] that was closed, or whose life has ended.
var ErrClosed = fault.New("closed", "It is no longer used.")

// closeTime is how long a server may take to end.
const closeTime = 5 * time.Second

// maxToolName is how long a tool's name may be, in bytes; those with longer ones are left out.
const maxToolName = 1000

// NewStanding connects to nobody yet. When life ends, so does the connection, without grace. Whoever makes one has to
// close it.
func NewStanding(life context.Context, opt StandingOptions) *Standing {
	opt.Timeout = cmp.Or(opt.Timeout, 30*time.Second)
	s := &Standing{opt: opt, life: life, followers: map[string]*follower{}, changed: make(chan struct{}, 1)}
	s.client = sdk.NewClient(&sdk.Implementation{Name: opt.Client, Title: "Weft", Version: opt.Version}, &sdk.ClientOptions{
		Capabilities:                &sdk.ClientCapabilities{}, // it offers nothing
		ToolListChangedHandler:      func(context.Context, *sdk.ToolListChangedRequest) { s.listAgain() },
		ProgressNotificationHandler: func(_ context.Context, req *sdk.ProgressNotificationClientRequest) { s.progressed(req.Params) },
	})
	return s
}

// Connected is the open connection; it makes one if there is none, and waits for another caller who does. Errors: ctx's,
// [ErrClosed], *Error, those of [StandingOptions.Server].
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
	// The connection outlives the call that needs it, unless that ends before it is there.
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

// list asks the server for its tools. Of those that have one name the first counts.
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

// listAgain lets the tools be listed.
func (s *Standing) listAgain() {
	select {
	case s.changed <- struct{}{}:
	default: // they will be
	}
}

// watch lists the tools again when the server says that they have changed, for as long as a connection lasts.
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
		case !current: // it was another connection that said so
			s.listAgain()
			return
		case err == nil && s.opt.Changed != nil:
			s.opt.Changed()
		}
	}
}

// Tools are those that the server has told last. They have names of at most 1000 bytes, each another one.
func (s *Standing) Tools() []*sdk.Tool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tools
}

// Trouble is why there is no connection, in a sentence: it could not be made, or was lost. It is empty if there is
// one, or if none was needed yet.
func (s *Standing) Trouble() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn != nil {
		return ""
	}
	return s.why
}

// Lost takes a connection out of use of which err was the last that was heard, and says why in a sentence. It blocks
// until nothing is left of the server, for some seconds at most.
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

// tell calls Changed. The standing is connecting, and not closed.
func (s *Standing) tell() {
	if s.opt.Changed != nil && s.life.Err() == nil {
		s.work.Go(s.opt.Changed)
	}
}

// Close ends the server with everything that it has started. It blocks for some seconds at most. Without grace it is
// where life has ended before.
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
	case <-time.After(closeTime): // nothing of the server is left all the same
	}
}

// Said is what an error says to a user, in sentences, with the end of what the server said itself.
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
