package gateway

import (
	"context"
	"slices"
	"sync"
	"time"

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
)

// upstream is one such server, connected or not. A server that ends is connected again when it is next needed.
type upstream struct {
	g        *Gateway
	standing *mcp.Standing
	life     context.Context //nolint:containedctx // ends with the server's use
	end      context.CancelFunc
	work     sync.WaitGroup
	woken    sync.Once
	tried    chan struct{} // closed when the first attempt to connect is over

	mu sync.Mutex
	to ProxiedServer
}

func newUpstream(g *Gateway, to ProxiedServer) *upstream {
	u := &upstream{g: g, to: to, tried: make(chan struct{})}
	u.life, u.end = context.WithCancel(g.life)
	u.standing = mcp.NewStanding(u.life, mcp.StandingOptions{
		Options: mcp.Options{Version: g.opt.Version, Dir: g.dir(), PidDir: g.opt.PidDir, Timeout: connectTime}, Client: "weft",
		Server:  func(ctx context.Context) (mcp.Server, error) { return u.settings().Server(ctx) },
		Changed: func() { g.rebuild(nil, false) },
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

// wake begins to use the server. It does not block.
func (u *upstream) wake() {
	u.woken.Do(func() {
		u.work.Go(func() {
			defer close(u.tried)
			_, err := u.standing.Connected(u.life)
			if err == nil {
				u.g.rebuild(nil, false)
			} else if u.life.Err() == nil {
				u.g.opt.Log.Warn().Str("server", u.name()).Msg("an MCP server cannot be used: " + clip.Text(mcp.Said(err), 500))
			}
		})
	})
}

// close ends the server without grace: it is of no use to anybody any more.
func (u *upstream) close() {
	u.end()
	u.standing.Close()
	u.woken.Do(func() { close(u.tried) }) // nobody will try
	u.work.Wait()
}
