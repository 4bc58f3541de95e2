package agentproc

import (
	"context"
	"fmt"
	"sync"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"weft/backend/acp"
)

// oneByOne are agents, by the name that they report, that lose one of two prompts, or of a prompt and a new session,
// sent to their process at the same time. The first one must show activity before the next is sent.
var oneByOne = map[string]bool{"pi-acp": true}

// ExclusiveError reports that a session couldn't be opened in a process that also serves others.
type ExclusiveError struct {
	Err    error
	Always bool // later attempts will fail too
}

func (e *ExclusiveError) Error() string { return e.Err.Error() }

// Unwrap returns the agent's error.
func (e *ExclusiveError) Unwrap() error { return e.Err }

// FreshError reports that a session couldn't be opened in this process, but may work in a new one.
type FreshError struct{ Err error }

func (e *FreshError) Error() string { return e.Err.Error() }

// Unwrap returns the error of this process.
func (e *FreshError) Unwrap() error { return e.Err }

// BeginOpening waits until no other session of the process is being opened, because messages that arrive before the id
// of a new session is known can't be assigned. The caller must call done. Errors: *ExclusiveError if it takes too
// long, [acp.ErrClosed], and the cause of ctx.
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

// BeginPrompt waits until a prompt may be sent, and returns a function that allows the next one. Only prompts of
// agents in oneByOne wait. The error is the cause of ctx.
func (p *Process) BeginPrompt(ctx context.Context) (release func(), err error) {
	if about, _ := p.About(); !oneByOne[about.Name] {
		return func() {}, nil
	}
	select {
	case p.slot <- struct{}{}:
	case <-p.ended: // sending the prompt reports the error
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

// BeginTurn records that a prompt is about to be sent to an ACP session. The caller must call prompt, which sends it
// and blocks until the agent has ended the turn, or quit is closed. In the latter case the agent may still work on it,
// and the error is [acp.ErrClosed]. BeginTurn itself doesn't block.
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

// CancelTurn asks the agent to end the turn in progress, if there is one. It blocks until the prompt and the request
// are queued. Errors: those of the connection, and the cause of ctx.
func (l *Lease) CancelTurn(ctx context.Context) error {
	l.Process.mu.Lock()
	t := l.turn
	l.Process.mu.Unlock()
	if t == nil {
		return nil
	}
	return t.cancel(ctx, l.conn)
}

// endTurn records the end of a turn, and ends a condemned process without other turns.
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

// working reports whether one of the process's sessions has a turn in progress. The lock is held.
func (p *Process) working() bool {
	for l := range p.leases {
		if l.turn != nil {
			return true
		}
	}
	return false
}
