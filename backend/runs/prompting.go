package runs

import (
	"context"

	sdk "github.com/coder/acp-go-sdk"

	"weft/backend/acp"
	"weft/backend/acpsession"
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
	return l.conn.Prompt(r.ctx, prompt, func(release func()) acpsession.Send {
		l.s.Lock()
		defer l.s.Unlock()
		if !r.sends(l, release) {
			return nil
		}
		return l.conn.BeginTurn(l.session.ID())
	})
}
