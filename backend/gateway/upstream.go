package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/clip"
	"weft/backend/mcp"
)

// ProxiedServer is one of the person's MCP servers whose tools are passed on.
type ProxiedServer struct {
	Name string // unique; the prefix of its tools where names collide
	// Key is different whenever the server has to be connected anew: its command, its address, a secret.
	Key string
	// Server tells how it is reached, with its secrets. It is called for each connection and may block.
	Server func(ctx context.Context) (mcp.Server, error)
	Tools  map[string]ToolSwitch // by the server's own names; those that are not in it are as Others
	Others ToolSwitch
}

// ToolSwitch is what the person decides for one tool of a server.
type ToolSwitch struct {
	Off        bool   // agents do not see it
	Display    bool   // a display tool; else internal
	Visibility string // hidden, minimal, full; "" is full
}

const (
	connectTime = 30 * time.Second
	callTime    = 10 * time.Minute // of a proxied call
	closeTime   = 5 * time.Second
)

// upstream is one such server, connected or not. A server that ends is connected again when it is next needed.
type upstream struct {
	g      *Gateway
	client *sdk.Client
	life   context.Context //nolint:containedctx // ends with the server's use
	end    context.CancelFunc
	work   sync.WaitGroup
	woken  sync.Once
	tried  chan struct{} // closed when the first attempt to connect is over

	connecting sync.Mutex // held while a connection is made or ended

	mu     sync.Mutex
	to     ProxiedServer
	conn   *mcp.Connection // nil if there is none now
	closed bool
	tools  []*sdk.Tool
	why    string // it could not be used, or was lost

	reporting sync.Mutex
	beats     map[string]*beat // of calls, by their tokens
	tokens    int

	changed chan struct{} // the server says that its tools have changed
}

func newUpstream(g *Gateway, to ProxiedServer) *upstream {
	u := &upstream{g: g, to: to, beats: map[string]*beat{}, changed: make(chan struct{}, 1), tried: make(chan struct{})}
	u.life, u.end = context.WithCancel(g.life)
	u.client = sdk.NewClient(&sdk.Implementation{Name: "weft", Title: "Weft", Version: g.opt.Version}, &sdk.ClientOptions{
		Capabilities: &sdk.ClientCapabilities{}, // it offers nothing
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) {
			select {
			case u.changed <- struct{}{}:
			default:
			}
		},
		ProgressNotificationHandler: func(_ context.Context, req *sdk.ProgressNotificationClientRequest) { u.progressed(req.Params) },
	})
	return u
}

// reconcile makes the servers those of a list. Those that are as they were keep their connections.
func (g *Gateway) reconcile(list []ProxiedServer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return
	}
	before := g.upstreams
	g.upstreams = nil
	for _, to := range list {
		if slices.ContainsFunc(g.upstreams, func(u *upstream) bool { return u.name() == to.Name }) {
			continue
		}
		i := slices.IndexFunc(before, func(u *upstream) bool { return u.name() == to.Name && u.key() == to.Key })
		if i >= 0 {
			before[i].set(to)
			g.upstreams = append(g.upstreams, before[i])
			continue
		}
		u := newUpstream(g, to)
		g.upstreams = append(g.upstreams, u)
		if g.woken {
			u.wake()
		}
	}
	for _, u := range before {
		if !slices.Contains(g.upstreams, u) {
			g.work.Go(u.close)
		}
	}
}

// ready waits until every server has been tried once, for a moment: agents list the tools once, when they start.
func (g *Gateway) ready(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, g.opt.wait)
	defer cancel()
	g.mu.Lock()
	list := slices.Clone(g.upstreams)
	g.mu.Unlock()
	for _, u := range list {
		select {
		case <-u.tried:
		case <-limited.Done():
		}
	}
	g.mu.Lock()
	g.pinned = true
	g.mu.Unlock()
}

func (u *upstream) name() string            { u.mu.Lock(); defer u.mu.Unlock(); return u.to.Name }
func (u *upstream) key() string             { u.mu.Lock(); defer u.mu.Unlock(); return u.to.Key }
func (u *upstream) set(to ProxiedServer)    { u.mu.Lock(); defer u.mu.Unlock(); u.to = to }
func (u *upstream) settings() ProxiedServer { u.mu.Lock(); defer u.mu.Unlock(); return u.to }
func (u *upstream) trouble() string         { u.mu.Lock(); defer u.mu.Unlock(); return u.why }

// offered are the tools that the server has told; they stay while it is away.
func (u *upstream) offered() []*sdk.Tool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.tools
}

// wake begins to use the server. It does not block.
func (u *upstream) wake() {
	u.woken.Do(func() {
		u.work.Go(func() {
			_, err := u.connected(u.life)
			if err == nil {
				u.g.rebuild(nil, false)
			} else if u.life.Err() == nil {
				u.g.opt.Log.Warn().Str("server", u.name()).Msg("an MCP server cannot be used: " + clip.Text(err.Error(), 500))
			}
			close(u.tried)
			u.watch()
		})
	})
}

// watch lists the tools again when the server says that they have changed.
func (u *upstream) watch() {
	for {
		select {
		case <-u.life.Done():
			return
		case <-u.changed:
		}
		u.mu.Lock()
		conn := u.conn
		u.mu.Unlock()
		if conn == nil || u.list(u.life, conn) != nil {
			continue // what it had stays
		}
		u.g.rebuild(nil, false)
	}
}

// connected is the open connection; it makes one if there is none. Errors are sentences.
func (u *upstream) connected(ctx context.Context) (*mcp.Connection, error) {
	u.connecting.Lock()
	defer u.connecting.Unlock()
	u.mu.Lock()
	conn, closed, to := u.conn, u.closed, u.to
	u.mu.Unlock()
	switch {
	case closed:
		return nil, &Error{Code: "unreachable", Message: "It is not used any more."}
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case conn != nil:
		return conn, nil
	}
	// The connection outlives the call that needs it, unless that ends before it is there.
	life, cancel := context.WithCancel(u.life)
	stop := context.AfterFunc(ctx, cancel)
	conn, err := u.open(life, to)
	if !stop() && err == nil {
		_ = conn.Close(life)
		err = ctx.Err()
	}
	u.mu.Lock()
	if u.why = ""; err != nil {
		u.why = problem(err)
	} else {
		u.conn = conn
	}
	u.mu.Unlock()
	if err != nil {
		cancel()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, errors.New(problem(err))
	}
	u.work.Go(func() {
		defer cancel()
		u.lost(u.life, conn, cmp.Or(conn.Wait(), io.EOF))
	})
	return conn, nil
}

func (u *upstream) open(ctx context.Context, to ProxiedServer) (*mcp.Connection, error) {
	server, err := to.Server(ctx)
	if err != nil {
		return nil, err
	}
	conn, err := mcp.Open(ctx, server, mcp.Options{Version: u.g.opt.Version, Dir: u.g.dir(), PidDir: u.g.opt.PidDir, Timeout: connectTime}, u.client)
	if err != nil {
		return nil, err
	}
	if err := u.list(ctx, conn); err != nil {
		_ = conn.Close(ctx)
		return nil, err
	}
	return conn, nil
}

// list asks the server for its tools.
func (u *upstream) list(ctx context.Context, conn *mcp.Connection) error {
	var tools []*sdk.Tool
	hello := conn.InitializeResult()
	if hello.Capabilities == nil || hello.Capabilities.Tools != nil {
		limited, cancel := context.WithTimeout(ctx, connectTime)
		defer cancel()
		var err error
		if tools, _, err = mcp.ListTools(limited, conn.ClientSession); err != nil {
			return &Error{Code: "failed", Message: "It does not tell its tools: " + clip.Text(strings.TrimRight(err.Error(), "."), 500) + ".", Err: err}
		}
	}
	u.mu.Lock()
	u.tools = tools
	u.mu.Unlock()
	return nil
}

// lost takes a connection out of use that does not answer any more, and says why in a sentence.
func (u *upstream) lost(ctx context.Context, conn *mcp.Connection, err error) string {
	u.connecting.Lock()
	defer u.connecting.Unlock()
	u.mu.Lock()
	own, why := u.conn == conn, u.why
	if own {
		u.conn = nil
	}
	u.mu.Unlock()
	if !own {
		return why
	}
	why = problem(conn.Lost(ctx, err))
	u.mu.Lock()
	u.why = why
	u.mu.Unlock()
	return why
}

func (u *upstream) close() {
	u.end()
	u.connecting.Lock()
	u.mu.Lock()
	conn := u.conn
	u.conn, u.closed = nil, true
	u.mu.Unlock()
	u.connecting.Unlock()
	u.woken.Do(func() { close(u.tried) }) // nobody will try
	if conn != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(u.life), closeTime)
		defer cancel()
		_ = conn.Close(ctx)
	}
	u.work.Wait()
}

// reported passes the progress of a call on to b until it is stopped.
func (u *upstream) reported(b *beat) (token string, stop func()) {
	u.reporting.Lock()
	defer u.reporting.Unlock()
	u.tokens++
	token = "weft-" + strconv.Itoa(u.tokens)
	u.beats[token] = b
	return token, func() {
		u.reporting.Lock()
		defer u.reporting.Unlock()
		delete(u.beats, token)
	}
}

func (u *upstream) progressed(p *sdk.ProgressNotificationParams) {
	if p == nil {
		return
	}
	u.reporting.Lock()
	b := u.beats[fmt.Sprint(p.ProgressToken)]
	u.reporting.Unlock()
	if b != nil {
		b.tell(p)
	}
}

// problem is what an error says to a person, with the end of what the server said itself.
func problem(err error) string {
	var e *mcp.Error
	if !errors.As(err, &e) {
		return clip.Text(err.Error(), 1000)
	}
	if detail := strings.TrimSpace(e.Detail); detail != "" {
		return e.Message + " It says: " + clip.Text(strings.TrimSpace(detail[strings.LastIndexByte(detail, '\n')+1:]), 300)
	}
	return e.Message
}
