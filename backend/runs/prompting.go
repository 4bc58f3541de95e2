package runs

import (
	"context"
	"errors"
	"fmt"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"weft/backend/acp"
)

// prepare puts a run's prompt together: what the agent is told of the conversation, the text, and what goes along. It blocks for reads and for a
// commit, and for whoever watches the files; r.ctx gives up.
func (l *link) prepare(r *run) ([]sdk.ContentBlock, error) {
	l.s.Lock()
	forgot := l.forgot
	l.s.Unlock()
	if err := l.say(r.ctx, r); err != nil {
		return nil, err
	}
	if forgot && r.again != nil {
		l.remind(r)
	}
	prompt, err := l.blocks(r.ctx, r)
	if err != nil {
		return nil, err
	}
	select {
	case <-r.watched:
		r.ready(r.ctx)
	case <-r.ctx.Done():
		return nil, context.Cause(r.ctx)
	}
	return prompt, nil
}

// runTurn gives the agent its prompt and blocks until it has ended its turn, or the session has left the process, where the agent may still go on.
func (l *link) runTurn(r *run, prompt []sdk.ContentBlock) (acp.PromptResult, error) {
	release, err := l.host.inTurn(r.ctx)
	if err != nil {
		return acp.PromptResult{}, err
	}
	l.s.Lock()
	ok := l.s.sends(r, l, release)
	id, over := l.acpID, make(chan struct{})
	if ok {
		l.turn, l.cancelled = over, time.Time{}
	}
	l.s.Unlock()
	if !ok {
		return acp.PromptResult{}, context.Canceled
	}
	// Not r.ctx: a turn is stopped by session/cancel, whose answer is waited for.
	res, err := l.prompt(id, prompt, over)
	switch {
	case err == nil:
		l.caughtUp()
		return res, nil
	case errors.Is(err, acp.ErrClosed) || errors.Is(err, acp.ErrStalled):
		select {
		case <-l.ended: // what it said before stands before the error
		case <-l.quit:
		}
		l.s.Lock()
		l.s.lost(l)
		l.s.Unlock()
		return res, l.explain(err)
	default:
		l.wantsSignIn(err)
		return res, &failureError{l.failure(err)}
	}
}

// prompt runs one turn; over is closed when the agent has ended it.
func (l *link) prompt(acpID string, prompt []sdk.ContentBlock, over chan struct{}) (acp.PromptResult, error) {
	var res acp.PromptResult
	var err error
	l.host.works(l, true)
	l.s.m.tasks.Go(func() {
		res, err = l.conn.Prompt(context.Background(), acpID, prompt)
		l.s.Lock()
		l.turn = nil
		l.s.Unlock()
		close(over)
	})
	select {
	case <-over:
		l.host.works(l, false)
		return res, err
	case <-l.quit:
		return acp.PromptResult{}, fmt.Errorf("session/prompt: %w", acp.ErrClosed)
	}
}
