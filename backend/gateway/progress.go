package gateway

import (
	"context"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/clip"
)

// beat tells a client from time to time that its call continues, so that one with a short time-out keeps waiting. For a
// client that gave no token only the connection is kept awake.
type beat struct {
	session *sdk.ServerSession
	stream  *response // that the call is answered in; nil if it is over
	token   any
	ctx     context.Context //nolint:containedctx // of the call
	cancel  context.CancelFunc
	done    chan struct{}

	mu   sync.Mutex
	last float64 // progress has to grow
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
					b.stream.breathe()
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

// tell passes on the progress of someone else, or, without p, that the call continues.
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
	_ = b.session.NotifyProgress(b.ctx, out) // a client that is gone cancels the call by other ways
}

// stop ends it; nothing is told afterwards.
func (b *beat) stop() {
	b.cancel()
	<-b.done
}
