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

// Options are what a gateway needs from outside.
type Options struct {
	Host    Host
	Log     zerolog.Logger
	Version string // of Weft
	Dir     string // where commands and MCP servers run, absolute; the home folder if empty
	PidDir  string // see agent.Spec
	Socket  string // a Unix socket at which it can be reached as well, by agents without a network; "" for none
	// Definitions are the user's own tools, beside those of [tools.Builtins]. It may be nil; it is asked again by
	// [Gateway.Refresh].
	Definitions func() []tools.Definition
	// Proxied are the user's MCP servers whose tools are passed on. It may be nil; it is asked again by
	// [Gateway.Refresh] and [Gateway.RefreshServers].
	Proxied func() []ProxiedServer
	// Changed is called, from any goroutine, when what [Gateway.Troubles] returns may have changed. It may be nil.
	Changed func()

	beat   time.Duration // between progress notifications of a call that waits; 10 s if 0
	wait   time.Duration // of a list of tools for servers that are still connecting; 5 s if 0
	repeat time.Duration // before a call that failed for a passing reason is made again; 1 s if 0
	rest   time.Duration // before a server is tried again that could not be used; 2 s if 0, and then longer
}

// dir returns where programs run.
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

// Gateway is the MCP server: it offers each session of an agent the tools that there are. Its methods may be called from
// any goroutine.
type Gateway struct {
	opt      Options
	endpoint *endpoint
	runner   runner
	names    names
	life     context.Context //nolint:containedctx // of the gateway: calls and connections end with it
	end      context.CancelFunc
	work     sync.WaitGroup // of what continues beside calls

	building sync.Mutex // held while the list of tools is made again

	mu        sync.Mutex // protects what follows
	closed    bool
	sessions  map[[sha256.Size]byte]*session // by the hash of their tokens
	upstreams []*upstream
	catalog   *Catalog // replaced as a whole
}

// Open starts the gateway on a free port of the loopback. Whoever opens it has to close it.
func Open(opt Options) (*Gateway, error) {
	if opt.Host == nil {
		return nil, errors.New("open the gateway: it needs a host")
	}
	opt.beat, opt.wait, opt.rest = cmp.Or(opt.beat, 10*time.Second), cmp.Or(opt.wait, 5*time.Second), cmp.Or(opt.rest, 2*time.Second)
	opt.repeat = cmp.Or(opt.repeat, repeatAfter)
	e, err := listen(opt.Log)
	if err != nil {
		return nil, fmt.Errorf("open the gateway: %w", err)
	}
	g := &Gateway{opt: opt, endpoint: e, sessions: map[[sha256.Size]byte]*session{}, catalog: &Catalog{}}
	g.life, g.end = context.WithCancel(context.Background())
	g.runner = runner{host: opt.Host, dir: g.opt.dir, repeat: opt.repeat}
	g.Refresh()
	e.serve(g.find, opt.Socket)
	return g, nil
}

// Catalog returns the tools that agents are offered now.
func (g *Gateway) Catalog() *Catalog {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.catalog
}

// Refresh asks for the definitions and the proxied servers again; agents are told what has changed. It does not wait for
// servers.
func (g *Gateway) Refresh() {
	var definitions []tools.Definition
	if g.opt.Definitions != nil {
		definitions = g.opt.Definitions()
	}
	g.reconcile()
	g.rebuild(definitions, true)
}

// RefreshServers is Refresh for the proxied servers alone.
func (g *Gateway) RefreshServers() {
	g.reconcile()
	g.rebuild(nil, false)
}

// rebuild makes the list of tools. With own, definitions are those of the user; else the ones that are there stay.
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

// Session makes a token for a session of an agent, and tells where it is good. release makes it worthless, ends the
// calls that wait, and may be called more than once; it does not block. Each session of an agent has a token of its own.
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

// find is the session of a token.
func (g *Gateway) find(token string) *session {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.sessions[sha256.Sum256([]byte(token))]
}

// Close ends all sessions, calls and connections. It blocks until nothing is left, or until ctx ends.
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
