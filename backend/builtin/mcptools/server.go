package mcptools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/builtin/tool"
	"weft/backend/clip"
	"weft/backend/mcp"
)

// server is one server of a set, connected or not.
type server struct {
	to     mcp.Server
	opt    Options
	number int             // in the set
	life   context.Context //nolint:containedctx // of the set
	client *sdk.Client

	connecting sync.Mutex // held while a connection is made or ended

	mu      sync.Mutex
	conn    *mcp.Connection // nil if there is none now
	closed  bool
	tools   []offered
	numbers map[string]int // of tools, by their names
	why     string         // the last connection was lost

	reporting sync.Mutex // of the two below, held while progress is reported
	progress  map[string]func(*sdk.ProgressNotificationParams)
	tokens    int

	changed chan struct{} // the server says that its tools have changed
	watched sync.WaitGroup
	unwatch context.CancelFunc
}

// offered is a tool that a server has.
type offered struct {
	*sdk.Tool
	number int // in its server, for as long as the session lasts
}

func newServer(life context.Context, to mcp.Server, opt Options, number int) *server {
	s := &server{
		to: to, opt: opt, number: number, life: life,
		numbers: map[string]int{}, progress: map[string]func(*sdk.ProgressNotificationParams){}, changed: make(chan struct{}, 1),
	}
	s.client = sdk.NewClient(&sdk.Implementation{Name: "weft-agent", Title: "Weft", Version: opt.Version}, &sdk.ClientOptions{
		Capabilities: &sdk.ClientCapabilities{}, // it offers nothing
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) {
			select {
			case s.changed <- struct{}{}:
			default:
			}
		},
		ProgressNotificationHandler: func(_ context.Context, req *sdk.ProgressNotificationClientRequest) { s.progressed(req.Params) },
	})
	watching, cancel := context.WithCancel(life)
	s.unwatch = cancel
	s.watched.Go(func() { s.watch(watching) })
	return s
}

// begin connects for the first time. It answers why that failed, in a sentence.
func (s *server) begin(ctx context.Context) string {
	if _, err := s.connected(ctx); err != nil {
		return fmt.Sprintf("The MCP server %s cannot be used. %s", s.to.Name, said(err))
	}
	return ""
}

// said is what an error says to a person, with the end of what the server said itself.
func said(err error) string {
	var e *mcp.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	if e.Detail != "" {
		return e.Message + " It says: " + clip.Text(lastLine(e.Detail), 300)
	}
	return e.Message
}

// connected is the open connection; it makes one if there is none. Errors: *mcp.Error, ctx's.
func (s *server) connected(ctx context.Context) (*mcp.Connection, error) {
	s.connecting.Lock()
	defer s.connecting.Unlock()
	s.mu.Lock()
	conn, closed := s.conn, s.closed
	s.mu.Unlock()
	switch {
	case closed:
		return nil, errors.New("the session has ended")
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case conn != nil:
		return conn, nil
	}
	// The connection outlives the call that needs it, unless that ends before it is there.
	life, cancel := context.WithCancel(s.life)
	stop := context.AfterFunc(ctx, cancel)
	conn, err := mcp.Open(life, s.to, mcp.Options{Version: s.opt.Version, Dir: s.opt.Dir, Timeout: s.opt.ConnectTime}, s.client)
	if err == nil {
		err = s.list(ctx, conn)
		if err != nil {
			_ = conn.Close(life)
		}
	}
	if !stop() && err == nil {
		_ = conn.Close(life)
		err = ctx.Err()
	}
	if err != nil {
		cancel()
		return nil, err
	}
	s.mu.Lock()
	s.conn = conn
	s.mu.Unlock()
	s.watched.Go(func() {
		defer cancel()
		s.lost(s.life, conn, cmp.Or(conn.Wait(), io.EOF))
	})
	return conn, nil
}

// list asks a server for its tools.
func (s *server) list(ctx context.Context, conn *mcp.Connection) error {
	hello := conn.InitializeResult()
	if hello.Capabilities != nil && hello.Capabilities.Tools == nil {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, s.opt.ConnectTime)
	defer cancel()
	tools, _, err := mcp.ListTools(limited, conn.ClientSession)
	if err != nil {
		if limited.Err() != nil && ctx.Err() == nil {
			return &mcp.Error{Code: "timeout", Message: "It did not tell its tools within " + s.opt.ConnectTime.String() + ".", Err: err}
		}
		return &mcp.Error{Code: "mcp_error", Message: "It does not tell its tools: " + clip.Text(err.Error(), 500) + ".", Err: err}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tools = s.tools[:0:0]
	for _, one := range tools {
		if one.Name == "" || len(one.Name) > 1000 || slices.ContainsFunc(s.tools, func(o offered) bool { return o.Name == one.Name }) {
			continue
		}
		n, ok := s.numbers[one.Name]
		if !ok {
			n = len(s.numbers)
			s.numbers[one.Name] = n
		}
		s.tools = append(s.tools, offered{one, n})
	}
	return nil
}

func (s *server) offered() []offered {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tools
}

// watch lists the tools again when the server says that they have changed.
func (s *server) watch(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.changed:
		}
		s.mu.Lock()
		conn := s.conn
		s.mu.Unlock()
		if conn == nil || s.list(ctx, conn) != nil {
			continue // what it had stays
		}
		if s.opt.Changed != nil {
			s.opt.Changed()
		}
	}
}

// lost takes a connection out of use that does not answer any more, and says why in a sentence.
func (s *server) lost(ctx context.Context, conn *mcp.Connection, err error) string {
	s.connecting.Lock()
	defer s.connecting.Unlock()
	s.mu.Lock()
	own, why := s.conn == conn, s.why
	if own {
		s.conn = nil
	}
	s.mu.Unlock()
	if !own {
		return why
	}
	why = said(conn.Lost(ctx, err))
	s.mu.Lock()
	s.why = why
	s.mu.Unlock()
	return why
}

// closeTime is how long a server may take to end.
const closeTime = 5 * time.Second

func (s *server) close() {
	s.unwatch()
	s.connecting.Lock()
	s.mu.Lock()
	conn := s.conn
	s.conn, s.closed = nil, true
	s.mu.Unlock()
	s.connecting.Unlock()
	if conn != nil {
		ctx, cancel := context.WithTimeout(s.life, closeTime)
		defer cancel()
		_ = conn.Close(ctx)
	}
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		s.watched.Wait()
	}()
	select {
	case <-watched:
	case <-time.After(closeTime): // nothing of the server is left all the same
	}
}

// follow passes the progress of a call on to report until it is stopped.
func (s *server) follow(report func(*sdk.ProgressNotificationParams)) (token string, stop func()) {
	s.reporting.Lock()
	defer s.reporting.Unlock()
	s.tokens++
	token = strconv.Itoa(s.tokens)
	s.progress[token] = report
	return token, func() {
		s.reporting.Lock()
		defer s.reporting.Unlock()
		delete(s.progress, token)
	}
}

// progressed reports under the lock, so that nothing is reported of a call that has ended.
func (s *server) progressed(p *sdk.ProgressNotificationParams) {
	if p == nil {
		return
	}
	token := fmt.Sprint(p.ProgressToken)
	if f, ok := p.ProgressToken.(float64); ok {
		token = strconv.FormatFloat(f, 'f', -1, 64)
	}
	s.reporting.Lock()
	defer s.reporting.Unlock()
	if report := s.progress[token]; report != nil {
		report(p)
	}
}

// failed is an error of a call that the model is told.
func (s *server) failed(format string, args ...any) *tool.Error {
	return &tool.Error{Message: fmt.Sprintf("The MCP server %s ", s.to.Name) + fmt.Sprintf(format, args...)}
}
