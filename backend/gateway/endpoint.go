package gateway

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/httpguard"
)

// endpoint is where agents reach the gateway: HTTP on a port of the loopback, and a Unix socket.
type endpoint struct {
	log      zerolog.Logger
	listener net.Listener
	base     string // address
	hosts    map[string]bool
	server   *http.Server
	guard    *httpguard.Guard
	served   chan struct{}
	find     func(token string) *session // returns nil if there is none
}

// listen takes a free port of the loopback. Nothing is answered before serve is called.
func listen(log zerolog.Logger) (*endpoint, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return &endpoint{
		log: log, listener: l, base: "http://" + l.Addr().String() + path, guard: httpguard.New(), served: make(chan struct{}),
		hosts: map[string]bool{"127.0.0.1:" + port: true, "localhost:" + port: true},
	}, nil
}

// serve answers requests for the sessions that find returns, also at a Unix socket if there is one. It does not block.
func (e *endpoint) serve(find func(token string) *session, socket string) {
	e.find = find
	// No limit on writing an answer: a call may wait for a user. For what is read, see receive.
	e.server = &http.Server{Handler: e, IdleTimeout: 5 * time.Minute, MaxHeaderBytes: 64 << 10} //nolint:gosec // guard sets the deadlines of reading
	e.guard.Watch(e.server)
	e.serveSocket(socket)
	go func() {
		defer close(e.served)
		if err := e.server.Serve(e.listener); !errors.Is(err, http.ErrServerClosed) {
			e.log.Error().Err(err).Msg("the gateway has ended")
		}
	}()
}

// serveSocket serves the gateway at a Unix socket, too; "" is none. It ends with the server. Where there can be none,
// agents without a network go without Weft's tools.
func (e *endpoint) serveSocket(socket string) {
	if socket == "" {
		return
	}
	_ = os.Remove(socket) // of an end without a farewell
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "unix", socket)
	if err != nil {
		e.log.Warn().Err(err).Msg("the gateway can't be reached by agents without a network")
		return
	}
	_ = os.Chmod(socket, 0o600) // a token is needed all the same
	go func() {
		if err := e.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			e.log.Error().Err(err).Msg("the gateway's socket has ended")
		}
	}()
}

// close stops to listen and waits until all requests are answered, or until ctx ends.
func (e *endpoint) close(ctx context.Context) error {
	err := e.server.Shutdown(ctx)
	if err != nil {
		_ = e.server.Close()
	}
	<-e.served
	return err
}
