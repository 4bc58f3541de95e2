package gateway

import (
	"context"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/base/clip"
)

// beat sends progress notifications for a call, so that a client with a short timeout keeps waiting. If the client sent
// no progress token, it only keeps the connection alive.
type beat struct {
	session *sdk.ServerSession
	stream  *response // the response of the call; nil if it has ended
	token   any
	ctx     context.Context //nolint:containedctx // of the call
	cancel  context.CancelFunc
	done    chan struct{}

	mu   sync.Mutex
	last float64 // the last progress, which must increase
	told time.Time
}

func (s *session) follow(ctx context.Context, req *sdk.CallToolRequest) *beat {
	b := &beat{session: req.Session, token: req.Params.GetProgressToken(), done: make(chan struct{}), told: time.Now()}
	b.ctx, b.cancel = context.WithCancel(ctx)
	if req.Extra != nil {
		b.stream = s.response(req.Extra.Header)
	}
	go b.run(s.g.opt.beat)
	return b
}

func (b *beat) run(every time.Duration) {
	defer close(b.done)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-b.ctx.Done():
			return
		case now := <-tick.C:
			if b.token == nil {
				if b.stream != nil {
					b.stream.keepAlive()
				}
				continue
			}
			b.mu.Lock()
			quiet := now.Sub(b.told) >= every/2
			b.mu.Unlock()
			if quiet {
				b.tell(nil)
			}
		}
	}
}

// tell sends a progress notification: p from the MCP server, or "still waiting" if p is nil.
func (b *beat) tell(p *sdk.ProgressNotificationParams) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.token == nil || b.ctx.Err() != nil {
		return
	}
	out := &sdk.ProgressNotificationParams{ProgressToken: b.token, Progress: b.last + 0.001, Message: "still waiting"}
	if p != nil {
		out.Message, out.Total = clip.Text(p.Message, 500), p.Total
		out.Progress = max(p.Progress, out.Progress)
	}
	b.last, b.told = out.Progress, time.Now()
	_ = b.session.NotifyProgress(b.ctx, out) // a lost client cancels the call through its context
}

// stop ends the notifications. None is sent after it has returned.
func (b *beat) stop() {
	b.cancel()
	<-b.done
}
