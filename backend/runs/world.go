package runs

import (
	"context"

	sdk "github.com/coder/acp-go-sdk"

	"weft/backend/acp"
	"weft/backend/lifecycle"
	"weft/backend/owner"
)

// world runs a space's slow operations and reports each result exactly once, without holding a lock. Its methods don't block.
type world interface {
	owner.World

	// newID returns a unique id for a run, message or request.
	newID(prefix string) string

	// open starts the agent of a session or joins its running process, and opens the session as its stage specifies.
	open(l *liveSession, done func(error))
	// close cancels an open in progress and leaves the process, which ends with its last session.
	close(l *liveSession, how lifecycle.Ending, done func())
	// signIn signs in to the agent in an open session. It is canceled when ctx ends.
	signIn(ctx context.Context, l *liveSession, methodID string, done func(error))
	// wake marks a session as used. It returns false if its process is ending.
	wake(l *liveSession) bool
	// idle marks a session as idle. If all sessions of its process are idle, it returns them: no session can join the process any more, and the
	// caller must end them.
	idle(l *liveSession) []*liveSession
	// shares reports whether the session's process has other sessions.
	shares(l *liveSession) bool
	// markExclusive remembers that the session's agent supports only one session per process.
	markExclusive(l *liveSession)

	// runStarted and runEnded notify the file watch of a run.
	runStarted(s *Session, r *run)
	runEnded(s *Session, r *run)
	// prepare builds a run's prompt. It is canceled when r.ctx ends.
	prepare(l *liveSession, r *run, done func(prompt []sdk.ContentBlock, err error))
	// adjust sets the agent's options to the wanted values.
	adjust(l *liveSession, done func())
	// prompt sends the prompt to the agent, unless [run.markSending] returns false, and waits for the end of the turn.
	prompt(l *liveSession, r *run, prompt []sdk.ContentBlock, done func(res acp.PromptResult, err error))
	// cancel asks the agent to end its turn.
	cancel(l *liveSession)
	// answer and refuse answer a request from the agent.
	answer(l *liveSession, req *acp.Request, result any)
	refuse(l *liveSession, req *acp.Request, code int, message string)
}

// outside is the real world. A simulation has another one.
type outside struct {
	owner.Outside
	m *Manager
}

func newOutside(m *Manager) outside {
	return outside{owner.Outside{Store: m.opt.Store, Go: m.tasks.Go, Now: m.opt.Now, Log: m.opt.Log}, m}
}

func (o outside) newID(prefix string) string { return newID(prefix) }

func (o outside) open(l *liveSession, done func(error)) {
	fresh := l.s.life.Fresh()
	o.m.tasks.Go(func() { done(l.run(fresh)) })
}

func (o outside) close(l *liveSession, how lifecycle.Ending, done func()) {
	o.m.tasks.Go(func() {
		l.leave(how)
		done()
	})
}

func (o outside) signIn(ctx context.Context, l *liveSession, methodID string, done func(error)) {
	o.m.tasks.Go(func() { done(l.session.SignIn(ctx, methodID)) })
}

func (o outside) wake(l *liveSession) bool     { return l.conn.Lease.Use() }
func (o outside) shares(l *liveSession) bool   { return l.conn.Lease.Shared() }
func (o outside) markExclusive(l *liveSession) { l.conn.Lease.MarkExclusive() }

func (o outside) idle(l *liveSession) (list []*liveSession) {
	for _, s := range l.conn.Lease.Idle() {
		list = append(list, s.(*liveSession))
	}
	return list
}

func (o outside) runStarted(s *Session, r *run) {
	r.watched = make(chan struct{})
	o.m.tasks.Go(func() {
		defer close(r.watched)
		r.ready = o.m.opt.Watch.BeforeTurn(s.space.ID, r.id, r.promptID)
	})
}

func (o outside) runEnded(s *Session, r *run) {
	if r.watched == nil {
		return // runStarted was not called
	}
	o.m.tasks.Go(func() {
		<-r.watched
		o.m.opt.Watch.AfterTurn(s.space.ID, r.id)
	})
}

func (o outside) prepare(l *liveSession, r *run, done func(prompt []sdk.ContentBlock, err error)) {
	o.m.tasks.Go(func() { done(l.prepare(r)) })
}

func (o outside) adjust(l *liveSession, done func()) {
	o.m.tasks.Go(func() {
		l.adjustWithin(l.conn.Context(), o.m.opt.Limits.Stop) // a short limit, because a turn may be in progress
		done()
	})
}

func (o outside) prompt(l *liveSession, r *run, prompt []sdk.ContentBlock, done func(res acp.PromptResult, err error)) {
	o.m.tasks.Go(func() { done(l.runTurn(r, prompt)) })
}

func (o outside) cancel(l *liveSession) {
	lease := l.conn.Lease
	o.m.tasks.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), o.m.opt.Limits.Stop)
		defer cancel()
		if err := lease.CancelTurn(ctx); err != nil {
			o.m.opt.Log.Debug().Err(err).Msg("couldn't send session/cancel")
		}
	})
}

func (o outside) answer(l *liveSession, req *acp.Request, result any) {
	l.logAnswer(req.Result(result))
}

func (o outside) refuse(l *liveSession, req *acp.Request, code int, message string) {
	l.logAnswer(req.Error(code, message))
}
