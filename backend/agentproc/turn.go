package agentproc

import (
	"context"
	"fmt"
	"sync"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"weft/backend/acp"
)

// oneByOne are agents, by what they call themselves, that lose one of two prompts, or of a prompt and a new session, that their process is given at
// the same moment: the first one has to show a sign of life before the next is sent.
var oneByOne = map[string]bool{"pi-acp": true}

// ExclusiveError says that a session could not be had in a process that serves others too.
type ExclusiveError struct {
	Err    error
	Always bool // and never will
}

func (e *ExclusiveError) Error() string { return e.Err.Error() }

// Unwrap returns what the agent said.
func (e *ExclusiveError) Unwrap() error { return e.Err }

// FreshError says that a session could not be had in this process, and may be had in a new one.
type FreshError struct{ Err error }

func (e *FreshError) Error() string { return e.Err.Error() }

// Unwrap returns what was wrong with this one.
func (e *FreshError) Unwrap() error { return e.Err }

// BeginOpening waits until no other session of the process is being made: what comes before the id of a new session is known can't be told apart. done lets the
// next one be made. Errors: *ExclusiveError if it takes too long, [acp.ErrClosed], and the cause of the end of ctx.
func (p *Process) BeginOpening(ctx context.Context) (done func(), err error) {
	select {
	case p.slot <- struct{}{}:
		return p.free, nil
	default:
	}
	timer := time.NewTimer(p.pool.opt.Limits.Share)
	defer timer.Stop()
	select {
	case p.slot <- struct{}{}:
		return p.free, nil
	case <-timer.C:
		return nil, &ExclusiveError{Err: fmt.Errorf("another session is being opened: %w", context.DeadlineExceeded)}
	case <-p.ended:
		return nil, acp.ErrClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (p *Process) free() { <-p.slot }

// BeginPrompt waits until a prompt may be sent, and returns what lets the next one be. Only prompts of the agents of oneByOne wait. The
// error is the cause of the end of ctx.
func (p *Process) BeginPrompt(ctx context.Context) (release func(), err error) {
	if about, _ := p.About(); !oneByOne[about.Name] {
		return func() {}, nil
	}
	select {
	case p.slot <- struct{}{}:
	case <-p.ended: // sending the prompt says what is wrong
		return func() {}, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	var once sync.Once
	next := func() { once.Do(p.free) }
	timer := time.AfterFunc(p.pool.opt.Limits.Share, next)
	return func() {
		timer.Stop()
		next()
	}, nil
}

// BeginTurn notes that a prompt is about to be sent to an ACP session. prompt sends it and blocks until the agent has ended the turn, or
// quit is closed; then the agent may still work on it, and the error is [acp.ErrClosed]. It must be called. BeginTurn itself doesn't block.
func (l *Lease) BeginTurn(sessionID string) (prompt func(blocks []sdk.ContentBlock, quit <-chan struct{}) (acp.PromptResult, error)) {
	p := l.Process
	t := &turn{sessionID: sessionID, queued: make(chan struct{}), over: make(chan struct{})}
	p.mu.Lock()
	l.turn = t
	p.mu.Unlock()
	return func(blocks []sdk.ContentBlock, quit <-chan struct{}) (acp.PromptResult, error) {
		var res acp.PromptResult
		var err error
		p.pool.opt.Go(func() {
			res, err = l.conn.Prompt(context.Background(), sessionID, blocks, func() { close(t.queued) })
			l.endTurn(t)
		})
		select {
		case <-t.over:
			return res, err
		case <-quit:
			return acp.PromptResult{}, fmt.Errorf("session/prompt: %w", acp.ErrClosed)
		}
	}
}

// CancelTurn asks the agent to end the turn in progress, if there is one. It blocks until the prompt and that are queued. Errors: those of the
// connection, and the cause of the end of ctx.
func (l *Lease) CancelTurn(ctx context.Context) error {
	l.Process.mu.Lock()
	t := l.turn
	l.Process.mu.Unlock()
	if t == nil {
		return nil
	}
	return t.cancel(ctx, l.conn)
}

// endTurn notes that the agent has ended a turn. A process that had to wait for that ends.
func (l *Lease) endTurn(t *turn) {
	p := l.Process
	p.mu.Lock()
	l.turn = nil
	over := p.condemned && !p.working()
	p.mu.Unlock()
	close(t.over)
	if over {
		p.pool.opt.Go(p.end)
	}
}

// working reports whether a turn is in progress in a session that the process serves. The lock is held.
func (p *Process) working() bool {
	for l := range p.leases {
		if l.turn != nil {
			return true
		}
	}
	return false
}
