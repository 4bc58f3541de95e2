package gateway

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
)

// serveSocket serves the gateway at the Unix socket of its options, too. It ends with the server. Where there can be none,
// agents without a network go without Weft's tools.
func (g *Gateway) serveSocket() {
	if g.opt.Socket == "" {
		return
	}
	_ = os.Remove(g.opt.Socket) // of an end without a farewell
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "unix", g.opt.Socket)
	if err != nil {
		g.opt.Log.Warn().Err(err).Msg("the gateway can't be reached by agents without a network")
		return
	}
	_ = os.Chmod(g.opt.Socket, 0o600) // a token is needed all the same
	go func() {
		if err := g.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			g.opt.Log.Error().Err(err).Msg("the gateway's socket has ended")
		}
	}()
}
