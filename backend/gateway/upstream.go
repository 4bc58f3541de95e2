package gateway

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"weft/backend/agent/mcp"
	"weft/backend/base/clip"
)

// ProxiedServer is one of the user's MCP servers whose tools are offered to agents.
type ProxiedServer struct {
	Name string // unique; the prefix of its tools if names collide
	// Key changes when the server must be reconnected: when its command, its address or a secret has changed.
	Key string
	// Server returns how to connect, including secrets. It is called for each connection and may block. An error means
	// that the user has to change something: it is called again only when an agent needs the server.
	Server  func(ctx context.Context) (mcp.Server, error)
	Timeout time.Duration         // for connecting; default 30 s
	Tools   map[string]ToolSwitch // by the server's names for its tools
	Others  ToolSwitch            // for tools that aren't in Tools
}

// ToolSwitch is the user's setting for a tool of a server.
type ToolSwitch struct {
	Off        bool   // not offered to agents
	Display    bool   // a display tool; otherwise internal
	Visibility string // hidden, minimal, full; "" means full
}

const (
	callTime          = 10 * time.Minute // limit of a proxied call
	maxReconnectDelay = 5 * time.Minute
)

// upstream is the connection to a proxied server. It connects when there is a session, and retries until the server's
// tools are known. If the server ends later, it reconnects at the next call.
type upstream struct {
	g        *Gateway
	standing *mcp.Standing
	life     context.Context //nolint:containedctx // ends when the server is no longer used
	end      context.CancelFunc
	work     sync.WaitGroup

	mu          sync.Mutex
	to          ProxiedServer
	closed      bool
	known       bool          // its tools are known
	trying      chan struct{} // closed at the end of the attempt in progress; nil if there is none
	failed      int           // consecutive failed attempts
	nextAttempt time.Time     // no attempt before this time
	retryTimer  *time.Timer   // starts the next attempt; nil if there is none
}

func newUpstream(g *Gateway, to ProxiedServer) *upstream {
	u := &upstream{g: g, to: to}
	u.life, u.end = context.WithCancel(g.life)
	u.standing = mcp.NewStanding(u.life, mcp.StandingOptions{
		Options: mcp.Options{Version: g.opt.Version, Dir: g.opt.dir(), PidDir: g.opt.PidDir, Timeout: to.Timeout}, Client: "weft",
		Server: func(ctx context.Context) (mcp.Server, error) {
			server, err := u.settings().Server(ctx)
			if err != nil {
				err = &configError{err}
			}
			return server, err
		},
		Changed: u.changed,
	})
	return u
}

// configError is an error that a retry can't fix, but only the user.
type configError struct{ error }

func (e *configError) Unwrap() error { return e.error }

func (u *upstream) name() string            { u.mu.Lock(); defer u.mu.Unlock(); return u.to.Name }
func (u *upstream) key() string             { u.mu.Lock(); defer u.mu.Unlock(); return u.to.Key }
func (u *upstream) set(to ProxiedServer)    { u.mu.Lock(); defer u.mu.Unlock(); u.to = to }
func (u *upstream) settings() ProxiedServer { u.mu.Lock(); defer u.mu.Unlock(); return u.to }

// noAttempt is a closed channel.
var noAttempt = func() <-chan struct{} { c := make(chan struct{}); close(c); return c }()

// need starts connecting to the server if its tools aren't known. It does not block. The channel it returns is closed
// when the attempt has ended, whether it succeeded or not.
func (u *upstream) need() <-chan struct{} {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case u.trying != nil:
		return u.trying
	case u.closed || u.known || time.Now().Before(u.nextAttempt):
		return noAttempt
	}
	if u.retryTimer != nil {
		u.retryTimer.Stop()
		u.retryTimer = nil
	}
	u.trying = make(chan struct{})
	u.work.Go(u.try)
	return u.trying
}

// try makes one attempt to connect and schedules the next one if it fails.
func (u *upstream) try() {
	_, err := u.standing.Connected(u.life)
	if err == nil {
		u.g.rebuild(nil, false)
	}
	var unfixed *configError
	u.mu.Lock()
	if u.known = err == nil; !u.known {
		rest := min(u.g.opt.reconnectDelay<<min(u.failed, 16), maxReconnectDelay)
		u.failed++
		u.nextAttempt = time.Now().Add(min(rest, time.Second))
		if !u.closed && !errors.As(err, &unfixed) {
			u.retryTimer = time.AfterFunc(rest, u.retry)
		}
	}
	first, name := u.failed == 1, u.to.Name
	close(u.trying)
	u.trying = nil
	u.mu.Unlock()
	if err != nil && u.life.Err() == nil && first {
		u.g.opt.Log.Warn().Str("server", name).Msg("couldn't connect to an MCP server: " + clip.Text(mcp.Said(err), 500))
	}
	u.notifyChanged()
}

// retry starts another attempt if there is a session.
func (u *upstream) retry() {
	u.g.mu.Lock()
	needed := len(u.g.sessions) > 0
	u.g.mu.Unlock()
	if needed {
		u.need()
	}
}

// changed is called when the server's tools or its state have changed.
func (u *upstream) changed() {
	u.g.rebuild(nil, false)
	u.notifyChanged()
}

func (u *upstream) notifyChanged() {
	if u.g.opt.Changed != nil && u.life.Err() == nil {
		u.g.opt.Changed()
	}
}

// trouble returns a sentence about why the server can't be used now, or "".
func (u *upstream) trouble() string {
	why := u.standing.Trouble()
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case why == "":
		return ""
	case u.known:
		return why + " Weft reconnects when it is next used."
	case u.retryTimer != nil:
		return why + " Weft tries again from time to time."
	}
	return why
}

// close ends the connection and waits until everything has stopped.
func (u *upstream) close() {
	u.mu.Lock()
	u.closed = true
	if u.retryTimer != nil {
		u.retryTimer.Stop()
	}
	u.mu.Unlock()
	u.end()
	u.standing.Close()
	u.work.Wait()
}

// reconcile updates the upstreams to the configured servers. Unchanged servers keep their connections.
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

// ready connects the servers and waits for them, at most opt.wait, because many agents list the tools only once, when
// they start. Then it pins the names of their tools.
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

// Troubles returns the problems of each server as sentences, by server name: why it can't be used, and which of its
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
