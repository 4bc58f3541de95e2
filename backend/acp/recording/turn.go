package recording

import (
	"fmt"
	"slices"
	"time"
)

// play plays the steps of a turn. It stops early if the client cancels a turn that wasn't
// canceled in the recording.
func (p *player) play(t *turn) {
	for i := range t.steps {
		s := &t.steps[i]
		if !p.pause(t, s.gap) {
			break
		}
		switch s.kind {
		case stepSay:
			p.send(p.translate(s.line))
		case stepRaw:
			p.send([]byte(s.raw))
		case stepAsk:
			p.ask(t, s)
		case stepTake:
			p.send(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":%s}}`, t.asks[s.ask].id))
		case stepAnswer:
			t.tail.Store(true)
			p.ended(t)
			p.reply(t, s)
		case stepHear:
			p.listen(t, s)
		case stepCancel:
			p.awaitCancel(t)
		}
	}
	if t.answered || t.method != "session/prompt" {
		return
	}
	// The recorded agent never answered, but a client that cancels needs an answer.
	p.tasks.Go(func() {
		select {
		case <-t.cancelled:
			p.stop(t)
		case <-p.closing:
		case <-p.ctx.Done():
		}
	})
}

// cancelTimeout is how long a turn that was canceled in the recording waits for the client
// to cancel it too. After that it continues as recorded.
const cancelTimeout = 5 * time.Second

func (p *player) awaitCancel(t *turn) {
	timeout := time.NewTimer(cancelTimeout)
	defer timeout.Stop()
	select {
	case <-t.cancelled:
	case <-timeout.C:
	case <-p.closing:
	case <-p.ctx.Done():
	}
}

// aborts reports whether the client canceled a turn that wasn't canceled in the recording.
func (t *turn) aborts() bool {
	if t.cancel {
		return false
	}
	select {
	case <-t.cancelled:
		return true
	default:
		return false
	}
}

// pause waits for the recorded time, but after the answer only until the client sends the
// next request. It returns false if the turn must not continue.
func (p *player) pause(t *turn, gap time.Duration) bool {
	if p.speed > 0 && gap > 0 {
		timer := time.NewTimer(time.Duration(float64(gap) / p.speed))
		defer timer.Stop()
		stopped := t.cancelled
		if t.cancel {
			stopped = nil
		}
		var next chan struct{}
		if t.tail.Load() {
			next = t.next
		}
		select {
		case <-timer.C:
		case <-stopped:
		case <-next:
		case <-p.ctx.Done():
		}
	}
	if t.aborts() && p.unanswered(t) {
		p.stop(t)
		return false
	}
	return p.ctx.Err() == nil
}

func (p *player) unanswered(t *turn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Contains(p.turns, t)
}

// ended removes a turn from the unanswered ones and reports whether it was one of them.
func (p *player) ended(t *turn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.turns, t)
	if i >= 0 {
		p.turns = slices.Delete(p.turns, i, i+1)
	}
	return i >= 0
}

// stop responds to a prompt that the client canceled.
func (p *player) stop(t *turn) {
	if p.ended(t) {
		p.send(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"cancelled"}}`, t.id))
	}
}

// cancel cancels the unanswered turns of a session, or of all sessions if it is "".
func (p *player) cancel(session string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range p.turns {
		if session == "" || t.session == session {
			t.once.Do(func() { close(t.cancelled) })
		}
	}
}
