package runs

import (
	"context"
	"errors"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"weft/backend/acp"
	"weft/backend/failure"
)

// prepare puts a run's prompt together: what the agent learns of the conversation, the text, and what goes along. It blocks for reads and for a
// commit, and for whoever watches the files; r.ctx gives up.
func (l *liveSession) prepare(r *run) ([]sdk.ContentBlock, error) {
	l.s.Lock()
	forgot := l.session.Forgot()
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

// runTurn gives the agent its prompt and blocks until it has ended its turn, or the session has left the process, where the agent may continue.
func (l *liveSession) runTurn(r *run, prompt []sdk.ContentBlock) (acp.PromptResult, error) {
	release, err := l.lease.Process.BeginPrompt(r.ctx)
	if err != nil {
		return acp.PromptResult{}, err
	}
	l.s.Lock()
	ok := r.sends(l, release)
	if !ok {
		l.s.Unlock()
		return acp.PromptResult{}, context.Canceled
	}
	send := l.lease.BeginTurn(l.session.ID())
	l.cancelled = time.Time{}
	l.s.Unlock()
	// Not r.ctx: a turn is stopped by session/cancel, whose answer is waited for.
	res, err := send(prompt, l.quit)
	switch {
	case err == nil:
		l.lease.Process.CatchUp()
		return res, nil
	case errors.Is(err, acp.ErrClosed) || errors.Is(err, acp.ErrStalled):
		select {
		case <-l.ended: // what it said before comes before the error
		case <-l.quit:
		}
		l.s.Lock()
		l.stage.Lost()
		l.s.Unlock()
		return res, l.explain(err)
	default:
		l.session.WantsSignIn(err)
		return res, &failure.Error{Failure: l.failure(err)}
	}
}
