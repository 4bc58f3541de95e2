package gateway

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/base/httpguard"
)

// endpoint is the HTTP server of the gateway, on a loopback port and on a Unix socket.
type endpoint struct {
	log      zerolog.Logger
	listener net.Listener
	base     string // URL
	hosts    map[string]bool
	server   *http.Server
	guard    *httpguard.Guard
	served   chan struct{}
	find     func(token string) *session // returns nil if there is none
}

// listen opens a free loopback port. Requests wait until serve is called.
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

// serve starts to handle requests, on the Unix socket too unless it is "". find returns the session of a token, or nil.
// It does not block.
func (e *endpoint) serve(find func(token string) *session, socket string) {
	e.find = find
	// There is no write timeout, because a call may wait for the user. guard sets read deadlines per request.
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

// serveSocket serves the gateway on a Unix socket until the server ends. If the socket can't be opened, it logs that:
// agents without network access then have no Weft tools.
func (e *endpoint) serveSocket(socket string) {
	if socket == "" {
		return
	}
	_ = os.Remove(socket) // left over from a crash
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "unix", socket)
	if err != nil {
		e.log.Warn().Err(err).Msg("agents without network access can't reach the gateway")
		return
	}
	_ = os.Chmod(socket, 0o600) // may fail, because requests need a token anyway
	go func() {
		if err := e.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			e.log.Error().Err(err).Msg("the gateway's socket has ended")
		}
	}()
}

// close stops listening and waits until all requests are answered. When ctx ends, it closes their connections.
func (e *endpoint) close(ctx context.Context) error {
	err := e.server.Shutdown(ctx)
	if err != nil {
		_ = e.server.Close()
	}
	<-e.served
	return err
}
