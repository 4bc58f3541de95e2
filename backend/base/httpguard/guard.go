// Package httpguard bounds what clients that have not authenticated can hold of a server: how long a request may take
// to arrive, and how many connections there are. It also tells a request that another site makes a browser send
// (site.go).
package httpguard

import (
	"container/list"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	arrival   = 10 * time.Second // for a request of a stranger to arrive, with its body
	pause     = 30 * time.Second // between parts of the body of a client that has authenticated
	strangers = 128              // connections without an authenticated request
)

// Guard watches the connections of one server. The zero value is not usable; see [New].
type Guard struct {
	arrival   time.Duration
	strangers int

	mu    sync.Mutex
	order *list.List // of connections of strangers, oldest first
	known map[net.Conn]*list.Element
}

// New makes a guard.
func New() *Guard {
	return &Guard{arrival: arrival, strangers: strangers, order: list.New(), known: map[net.Conn]*list.Element{}}
}

// Watch has the server's connections watched. It is called before the server is started.
func (g *Guard) Watch(server *http.Server) {
	server.ReadHeaderTimeout, server.ReadTimeout = g.arrival, g.arrival
	server.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, c)
	}
	server.ConnState = func(c net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			g.enter(c)
		case http.StateClosed, http.StateHijacked:
			g.leave(c)
		case http.StateActive, http.StateIdle:
		}
	}
}

type connKey struct{}

// enter notes a connection. Where there are too many of strangers, the oldest one is closed, so that nobody is kept out
// by those that only wait.
func (g *Guard) enter(c net.Conn) {
	g.mu.Lock()
	g.known[c] = g.order.PushBack(c)
	var oldest net.Conn
	if g.order.Len() > g.strangers {
		oldest, _ = g.order.Front().Value.(net.Conn)
		g.forget(oldest)
	}
	g.mu.Unlock()
	if oldest != nil {
		_ = oldest.Close()
	}
}

func (g *Guard) leave(c net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.forget(c)
}

// forget takes a connection off the list. The mutex is held.
func (g *Guard) forget(c net.Conn) {
	if e := g.known[c]; e != nil {
		g.order.Remove(e)
		delete(g.known, c)
	}
}

// Admit lifts the bounds for a request that has authenticated, and for its connection. Its body may take as long as
// limit, 0 for any time, but not stop for long.
func (g *Guard) Admit(w http.ResponseWriter, r *http.Request, limit time.Duration) {
	if c, ok := r.Context().Value(connKey{}).(net.Conn); ok {
		g.leave(c)
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{}) // where it can't be set, there is no connection to hold
	if r.Body != nil && r.Body != http.NoBody {
		b := &body{ReadCloser: r.Body, control: control}
		if limit > 0 {
			b.until = time.Now().Add(limit)
		}
		r.Body = b
	}
}

// TurnAway tells the client of a refused request that nothing more is read from its connection. It is called before
// the answer is written, which would otherwise wait for the body.
func TurnAway(w http.ResponseWriter) { w.Header().Set("Connection", "close") }

// body sets a deadline for each part.
type body struct {
	io.ReadCloser
	control *http.ResponseController
	until   time.Time // for the whole body; zero for none
}

func (b *body) Read(p []byte) (int, error) {
	next := time.Now().Add(pause)
	if !b.until.IsZero() && b.until.Before(next) {
		next = b.until
	}
	_ = b.control.SetReadDeadline(next)
	n, err := b.ReadCloser.Read(p)
	if err != nil { // it has ended; what the connection is read for now is whether it is still there
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}
