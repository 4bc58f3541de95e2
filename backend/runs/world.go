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

	// newID makes an id that no other run, message or request has.
	newID(prefix string) string

	// open starts the agent of a session, or joins a process that it has, and opens the session as its stage says.
	open(l *liveSession, done func(error))
	// close gives up what open does, if it is still under way, and leaves the process, which ends with its last session.
	close(l *liveSession, how lifecycle.Ending, done func())
	// signIn signs the agent in in a session that is open, until ctx ends.
	signIn(ctx context.Context, l *liveSession, methodID string, done func(error))
	// wake tells that a session is used; false where its process is on its way out.
	wake(l *liveSession) bool
	// idle tells that a session has had nothing to do for long. Where that is so for all sessions of its process, it returns them: nobody can
	// join them any more, and they must be ended.
	idle(l *liveSession) []*liveSession
	// shares reports whether the process of a session serves others.
	shares(l *liveSession) bool
	// markExclusive remembers that the agent of a session takes one session a process.
	markExclusive(l *liveSession)

	// begins tells whoever watches the files that a run begins, over that it is over.
	begins(s *Session, r *run)
	over(s *Session, r *run)
	// prepare puts a run's prompt together, until r.ctx ends.
	prepare(l *liveSession, r *run, done func(prompt []sdk.ContentBlock, err error))
	// adjust sets the options of a session's agent to what they should be.
	adjust(l *liveSession, done func())
	// prompt gives it to the agent, if [Session.sends] still wants that, and waits for the end of the turn.
	prompt(l *liveSession, r *run, prompt []sdk.ContentBlock, done func(res acp.PromptResult, err error))
	// cancel tells the agent to end its turn.
	cancel(l *liveSession)
	// answer and refuse answer a request of the agent.
	answer(l *liveSession, req *acp.Request, result any)
	refuse(l *liveSession, req *acp.Request, code int, message string)
}

// outside is the world that there is.
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

func (o outside) begins(s *Session, r *run) {
	r.watched = make(chan struct{})
	o.m.tasks.Go(func() {
		defer close(r.watched)
		r.ready = o.m.opt.Watch.BeforeTurn(s.space.ID, r.id, r.promptID)
	})
}

func (o outside) over(s *Session, r *run) {
	if r.watched == nil {
		return // it has not begun
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
		l.adjustWithin(l.conn.Context(), o.m.opt.Limits.Stop) // it may be acting meanwhile
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
			o.m.opt.Log.Debug().Err(err).Msg("session/cancel could not be sent")
		}
	})
}

func (o outside) answer(l *liveSession, req *acp.Request, result any) { l.answer(req.Result(result)) }

func (o outside) refuse(l *liveSession, req *acp.Request, code int, message string) {
	l.answer(req.Error(code, message))
}
