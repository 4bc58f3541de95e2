package gateway

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/gateway/tools"
)

// Options are the dependencies and settings of a [Gateway].
type Options struct {
	Host    Host
	Log     zerolog.Logger
	Version string // of Weft
	Dir     string // working directory of commands and MCP servers, absolute; the home folder if empty
	PidDir  string // see agent.Spec
	Socket  string // Unix socket for agents without network access; "" for none
	// Definitions returns the user-defined tools. It is called by [Open] and [Gateway.Refresh] and may be nil.
	Definitions func() []tools.Definition
	// Proxied returns the user's MCP servers whose tools are offered. It is called by [Open], [Gateway.Refresh] and
	// [Gateway.RefreshServers] and may be nil.
	Proxied func() []ProxiedServer
	// Changed is called, from any goroutine, when what [Gateway.Troubles] returns may have changed. It may be nil.
	Changed func()

	beat           time.Duration // interval of progress notifications of a waiting call; default 10 s
	wait           time.Duration // how long tools/list waits for servers that are connecting; default 5 s
	retryDelay     time.Duration // delay before a failed call is retried; default 1 s
	reconnectDelay time.Duration // delay before the first reconnect to a server, later ones are longer; default 2 s
}

// dir returns the working directory of programs.
func (o *Options) dir() string {
	if o.Dir != "" {
		return o.Dir
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return os.TempDir()
	}
	return home
}

// Gateway is the MCP server. It offers the current tools to each session. It is safe for concurrent use.
type Gateway struct {
	opt      Options
	endpoint *endpoint
	runner   runner
	names    names
	life     context.Context //nolint:containedctx // ends when the gateway closes, and with it calls and connections
	end      context.CancelFunc
	work     sync.WaitGroup // background work

	building sync.Mutex // held while the catalog is rebuilt

	mu        sync.Mutex // protects the fields below
	closed    bool
	sessions  map[[sha256.Size]byte]*session // by the hash of their tokens
	upstreams []*upstream
	catalog   *Catalog // replaced as a whole
}

// Open starts a gateway on a free loopback port. The caller must close it.
func Open(opt Options) (*Gateway, error) {
	if opt.Host == nil {
		return nil, errors.New("open the gateway: a host is required")
	}
	opt.beat, opt.wait, opt.reconnectDelay = cmp.Or(opt.beat, 10*time.Second), cmp.Or(opt.wait, 5*time.Second), cmp.Or(opt.reconnectDelay, 2*time.Second)
	opt.retryDelay = cmp.Or(opt.retryDelay, defaultRetryDelay)
	e, err := listen(opt.Log)
	if err != nil {
		return nil, fmt.Errorf("open the gateway: %w", err)
	}
	g := &Gateway{opt: opt, endpoint: e, sessions: map[[sha256.Size]byte]*session{}, catalog: &Catalog{}}
	g.life, g.end = context.WithCancel(context.Background())
	g.runner = runner{host: opt.Host, dir: g.opt.dir, retryDelay: opt.retryDelay}
	g.Refresh()
	e.serve(g.find, opt.Socket)
	return g, nil
}

// Catalog returns the current tools.
func (g *Gateway) Catalog() *Catalog {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.catalog
}

// Refresh reads the definitions and the proxied servers again and notifies agents of changes. It does not wait for
// servers.
func (g *Gateway) Refresh() {
	var definitions []tools.Definition
	if g.opt.Definitions != nil {
		definitions = g.opt.Definitions()
	}
	g.reconcile()
	g.rebuild(definitions, true)
}

// RefreshServers is Refresh for the proxied servers only.
func (g *Gateway) RefreshServers() {
	g.reconcile()
	g.rebuild(nil, false)
}

// rebuild replaces the catalog. If own is set, definitions are the user-defined tools; otherwise these stay the same.
func (g *Gateway) rebuild(definitions []tools.Definition, own bool) {
	g.building.Lock()
	defer g.building.Unlock()
	g.mu.Lock()
	old, ups := g.catalog, slices.Clone(g.upstreams)
	g.mu.Unlock()
	if !own {
		definitions = old.own()
	}
	made := newCatalog(&g.opt, &g.names, definitions, ups)
	made.keep(old)
	if !own {
		made.problems = old.problems
	}
	g.mu.Lock()
	g.catalog = made
	var sessions []*session
	for _, s := range g.sessions {
		sessions = append(sessions, s)
	}
	g.mu.Unlock()
	for _, s := range sessions {
		s.sync()
	}
}

// Session creates a token for a session of an agent and returns it with the URL of the gateway. release revokes the
// token and cancels its calls. It does not block and may be called more than once.
func (g *Gateway) Session(c Caller) (url, token string, release func()) {
	token = rand.Text() + rand.Text()
	key := sha256.Sum256([]byte(token))
	s := newSession(g, c)
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		s.cancel()
		return g.endpoint.base, token, func() {}
	}
	g.sessions[key] = s
	ups := slices.Clone(g.upstreams)
	g.mu.Unlock()
	for _, u := range ups {
		u.need()
	}
	s.sync()
	return g.endpoint.base, token, func() {
		g.mu.Lock()
		mine := g.sessions[key] == s
		delete(g.sessions, key)
		if mine && !g.closed {
			g.work.Go(s.close)
		}
		g.mu.Unlock()
	}
}

// find returns the session of a token, or nil.
func (g *Gateway) find(token string) *session {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.sessions[sha256.Sum256([]byte(token))]
}

// Close ends all sessions, calls and connections. It blocks until they have ended, or until ctx ends.
func (g *Gateway) Close(ctx context.Context) error {
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return nil
	}
	g.closed = true
	var sessions []*session
	for _, s := range g.sessions {
		sessions = append(sessions, s)
	}
	clear(g.sessions)
	ups := g.upstreams
	g.upstreams = nil
	g.mu.Unlock()
	g.end()
	var wg sync.WaitGroup
	for _, s := range sessions {
		wg.Go(s.close)
	}
	for _, u := range ups {
		wg.Go(u.close)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		wg.Wait()
		g.work.Wait()
	}()
	err := g.endpoint.close(ctx)
	select {
	case <-done:
	case <-ctx.Done():
		err = cmp.Or(err, ctx.Err())
	}
	if err != nil {
		return fmt.Errorf("close the gateway: %w", err)
	}
	return nil
}
