package gateway

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/httpguard"

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
	// Changed is called, from any goroutine, when what [Gateway.Troubles] answers may have changed. It may be nil.
	Changed func()

	beat   time.Duration // between progress notifications of a call that waits; 10 s if 0
	wait   time.Duration // of a list of tools for servers that are still connecting; 5 s if 0
	repeat time.Duration // before a call that failed for a passing reason is made again; 1 s if 0
	rest   time.Duration // before a server is tried again that could not be used; 2 s if 0, and then longer
}

// Gateway is the MCP server. Its methods may be called from any goroutine.
type Gateway struct {
	opt    Options
	server *http.Server
	guard  *httpguard.Guard
	base   string // address
	hosts  map[string]bool
	life   context.Context //nolint:containedctx // of the gateway: calls and connections end with it
	end    context.CancelFunc
	work   sync.WaitGroup // of what continues beside calls
	served chan struct{}

	building sync.Mutex // held while the list of tools is made again

	mu        sync.Mutex
	closed    bool
	sessions  map[[sha256.Size]byte]*session // by the hash of their tokens
	tools     map[string]*tool
	order     []string // of the tools
	upstreams []*upstream
	names     map[string]string // of proxied tools, by server and name
	pinned    bool              // an agent has seen the names, which stay from then on
	problems  []tools.Problem
	leftOut   map[string][]string // sentences about tools of servers, by the servers' names
}

// Open starts the gateway on a free port of the loopback. Whoever opens it has to close it.
func Open(opt Options) (*Gateway, error) {
	if opt.Host == nil {
		return nil, errors.New("open the gateway: it needs a host")
	}
	opt.beat, opt.wait, opt.rest = cmp.Or(opt.beat, 10*time.Second), cmp.Or(opt.wait, 5*time.Second), cmp.Or(opt.rest, 2*time.Second)
	opt.repeat = cmp.Or(opt.repeat, repeatAfter)
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open the gateway: %w", err)
	}
	life, end := context.WithCancel(context.Background())
	_, port, _ := net.SplitHostPort(l.Addr().String())
	g := &Gateway{
		opt: opt, guard: httpguard.New(), base: "http://" + l.Addr().String() + path, life: life, end: end, served: make(chan struct{}),
		hosts:    map[string]bool{"127.0.0.1:" + port: true, "localhost:" + port: true},
		sessions: map[[sha256.Size]byte]*session{}, tools: map[string]*tool{}, names: map[string]string{},
	}
	g.Refresh()
	// No limit on writing an answer: a call may wait for a user. For what is read, see receive.
	g.server = &http.Server{Handler: g, IdleTimeout: 5 * time.Minute, MaxHeaderBytes: 64 << 10} //nolint:gosec // guard sets the deadlines of reading
	g.guard.Watch(g.server)
	g.serveSocket()
	go func() {
		defer close(g.served)
		if err := g.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			opt.Log.Error().Err(err).Msg("the gateway has ended")
		}
	}()
	return g, nil
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
		return g.base, token, func() {}
	}
	g.sessions[key] = s
	ups := slices.Clone(g.upstreams)
	g.mu.Unlock()
	for _, u := range ups {
		u.need()
	}
	s.sync()
	return g.base, token, func() {
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
	err := g.server.Shutdown(ctx)
	if err != nil {
		_ = g.server.Close()
	}
	<-g.served
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

// dir is where programs run.
func (g *Gateway) dir() string {
	if g.opt.Dir != "" {
		return g.opt.Dir
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return os.TempDir()
	}
	return home
}
