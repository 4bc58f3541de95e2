package gateway

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"weft/backend/clip"
	"weft/backend/mcp"
)

// ProxiedServer is one of the user's MCP servers whose tools are passed on.
type ProxiedServer struct {
	Name string // unique; the prefix of its tools where names collide
	// Key is different whenever the server has to be connected again: its command, its address, a secret.
	Key string
	// Server tells how it is reached, with its secrets. It is called for each connection and may block. While it fails
	// the user has something to mend: it is asked again only when an agent needs the server.
	Server  func(ctx context.Context) (mcp.Server, error)
	Timeout time.Duration         // of a connection until it is there; 30 s if 0
	Tools   map[string]ToolSwitch // by the server's own names; those that are not in it are as Others
	Others  ToolSwitch
}

// ToolSwitch is what the user decides for one tool of a server.
type ToolSwitch struct {
	Off        bool   // agents do not see it
	Display    bool   // a display tool; else internal
	Visibility string // hidden, minimal, full; "" is full
}

const (
	callTime    = 10 * time.Minute // of a proxied call
	longestRest = 5 * time.Minute  // between attempts to connect
)

// upstream is one such server. It is connected when there is a session, and tried again until its tools are known; a
// server that ends later is connected again when it is next called.
type upstream struct {
	g        *Gateway
	standing *mcp.Standing
	life     context.Context //nolint:containedctx // ends with the server's use
	end      context.CancelFunc
	work     sync.WaitGroup

	mu     sync.Mutex
	to     ProxiedServer
	closed bool
	known  bool          // its tools are
	trying chan struct{} // closed when the attempt that continues is over; nil if there is none
	failed int           // attempts, one after the other
	rested time.Time     // until then it is not tried again
	again  *time.Timer   // nil if nobody is to try again
}

func newUpstream(g *Gateway, to ProxiedServer) *upstream {
	u := &upstream{g: g, to: to}
	u.life, u.end = context.WithCancel(g.life)
	u.standing = mcp.NewStanding(u.life, mcp.StandingOptions{
		Options: mcp.Options{Version: g.opt.Version, Dir: g.opt.dir(), PidDir: g.opt.PidDir, Timeout: to.Timeout}, Client: "weft",
		Server: func(ctx context.Context) (mcp.Server, error) {
			server, err := u.settings().Server(ctx)
			if err != nil {
				err = &unmendedError{err}
			}
			return server, err
		},
		Changed: u.changed,
	})
	return u
}

// unmendedError is one that only the user can do something about.
type unmendedError struct{ error }

func (e *unmendedError) Unwrap() error { return e.error }

func (u *upstream) name() string            { u.mu.Lock(); defer u.mu.Unlock(); return u.to.Name }
func (u *upstream) key() string             { u.mu.Lock(); defer u.mu.Unlock(); return u.to.Key }
func (u *upstream) set(to ProxiedServer)    { u.mu.Lock(); defer u.mu.Unlock(); u.to = to }
func (u *upstream) settings() ProxiedServer { u.mu.Lock(); defer u.mu.Unlock(); return u.to }

// over is an attempt that nobody has to wait for.
var over = func() <-chan struct{} { c := make(chan struct{}); close(c); return c }()

// need begins to connect to a server whose tools are not known. It does not block; what it answers is closed when that is
// over, one way or the other.
func (u *upstream) need() <-chan struct{} {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case u.trying != nil:
		return u.trying
	case u.closed || u.known || time.Now().Before(u.rested):
		return over
	}
	if u.again != nil {
		u.again.Stop()
		u.again = nil
	}
	u.trying = make(chan struct{})
	u.work.Go(u.try)
	return u.trying
}

// try is one attempt to connect.
func (u *upstream) try() {
	_, err := u.standing.Connected(u.life)
	if err == nil {
		u.g.rebuild(nil, false)
	}
	var unmended *unmendedError
	u.mu.Lock()
	if u.known = err == nil; !u.known {
		rest := min(u.g.opt.rest<<min(u.failed, 16), longestRest)
		u.failed++
		u.rested = time.Now().Add(min(rest, time.Second))
		if !u.closed && !errors.As(err, &unmended) {
			u.again = time.AfterFunc(rest, u.retry)
		}
	}
	first, name := u.failed == 1, u.to.Name
	close(u.trying)
	u.trying = nil
	u.mu.Unlock()
	if err != nil && u.life.Err() == nil && first {
		u.g.opt.Log.Warn().Str("server", name).Msg("an MCP server cannot be used: " + clip.Text(mcp.Said(err), 500))
	}
	u.told()
}

// retry tries again, if there is someone who needs the server.
func (u *upstream) retry() {
	u.g.mu.Lock()
	needed := len(u.g.sessions) > 0
	u.g.mu.Unlock()
	if needed {
		u.need()
	}
}

// changed takes over what the server says of itself.
func (u *upstream) changed() {
	u.g.rebuild(nil, false)
	u.told()
}

func (u *upstream) told() {
	if u.g.opt.Changed != nil && u.life.Err() == nil {
		u.g.opt.Changed()
	}
}

// trouble is why the server cannot be used just now, in a sentence.
func (u *upstream) trouble() string {
	why := u.standing.Trouble()
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case why == "":
		return ""
	case u.known:
		return why + " Weft reconnects when it is next used."
	case u.again != nil:
		return why + " Weft tries again from time to time."
	}
	return why
}

// close ends the server without grace: it is of no use to anyone any more.
func (u *upstream) close() {
	u.mu.Lock()
	u.closed = true
	if u.again != nil {
		u.again.Stop()
	}
	u.mu.Unlock()
	u.end()
	u.standing.Close()
	u.work.Wait()
}

// reconcile makes the servers those that there are to be now. Those that are as they were keep their connections.
func (g *Gateway) reconcile() {
	var list []ProxiedServer
	if g.opt.Proxied != nil {
		list = g.opt.Proxied()
	}
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
		if len(g.sessions) > 0 {
			u.need()
		}
	}
	for _, u := range before {
		if !slices.Contains(g.upstreams, u) {
			g.work.Go(u.close)
		}
	}
}

// ready waits until no server is being connected, for a moment: agents list the tools once, when they start.
func (g *Gateway) ready(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, g.opt.wait)
	defer cancel()
	g.mu.Lock()
	list := slices.Clone(g.upstreams)
	g.mu.Unlock()
	for _, u := range list {
		select {
		case <-u.need():
		case <-limited.Done():
		}
	}
	g.names.pin()
}

// Troubles are what is wrong with the servers, in sentences, by their names: why one cannot be used, and which of its
// tools are left out.
func (g *Gateway) Troubles() map[string][]string {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := map[string][]string{}
	for _, u := range g.upstreams {
		name := u.name()
		if why := u.trouble(); why != "" {
			out[name] = append(out[name], why)
		}
		out[name] = append(out[name], g.catalog.leftOut[name]...)
	}
	return out
}
