package runs

import (
	"context"

	"weft/backend/space/owner"
	"weft/backend/space/requests"
)

// world carries out what a space wants done. Its methods don't block, except title.
type world interface {
	owner.World

	// do carries out an effect without holding a lock, and passes what came of it to done exactly once. The lock may be
	// held. Answers to an agent are written in the order of the calls.
	do(e effect, done func(input))

	// newID returns a unique id for a run, message or request.
	newID(prefix string) string
	// title returns the title of a space, for a sentence. It blocks for a database read; the lock isn't held.
	title(spaceID string) string

	// wake marks a session as used. It returns false if its process is ending.
	wake(l *liveSession) bool
	// idle marks a session as idle. If all sessions of its process are idle, it returns them: no session can join the
	// process any more, and the caller must end them.
	idle(l *liveSession) []*liveSession
	// shares reports whether the session's process has other sessions.
	shares(l *liveSession) bool
	// markExclusive remembers that the session's agent supports only one session per process.
	markExclusive(l *liveSession)
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

func (o outside) title(spaceID string) string { return requests.Short(o.m.saved.Title(spaceID)) }

func (o outside) wake(l *liveSession) bool     { return l.conn.Lease.Use() }
func (o outside) shares(l *liveSession) bool   { return l.conn.Lease.Shared() }
func (o outside) markExclusive(l *liveSession) { l.conn.Lease.MarkExclusive() }

func (o outside) idle(l *liveSession) (list []*liveSession) {
	for _, s := range l.conn.Lease.Idle() {
		list = append(list, s.(*liveSession))
	}
	return list
}

func (o outside) do(e effect, done func(input)) {
	m := o.m
	switch e := e.(type) {
	case openSession:
		m.tasks.Go(func() { done(sessionOpened{e.l, e.l.run(e.fresh)}) })
	case closeSession:
		m.tasks.Go(func() {
			e.l.leave(e.how)
			done(sessionClosed{e.l})
		})
	case signIn:
		m.tasks.Go(func() { done(signedIn{e, e.l.session.SignIn(e.attempt.ctx, e.attempt.method)}) })
	case readFiles:
		files := e.l.conn.Files
		m.tasks.Go(func() { done(filesRead{e, e.look.Snapshot(files)}) })
	case findLinks:
		m.tasks.Go(func() { done(linksFound{e, e.l.s.foresee(e.calls...)}) })
	case watchRun:
		e.r.watched = make(chan struct{})
		m.tasks.Go(func() {
			defer close(e.r.watched)
			e.r.ready = m.opt.Watch.BeforeTurn(e.r.s.space.ID, e.r.id, e.r.promptID)
		})
	case unwatchRun:
		if e.r.watched == nil {
			return // watchRun didn't happen
		}
		m.tasks.Go(func() {
			<-e.r.watched
			m.opt.Watch.AfterTurn(e.r.s.space.ID, e.r.id)
		})
	case preparePrompt:
		m.tasks.Go(func() {
			prompt, err := e.l.prepare(e.r)
			done(promptPrepared{e, prompt, err})
		})
	case setOptions:
		m.tasks.Go(func() {
			e.l.adjustWithin(e.l.conn.Context(), m.opt.Limits.Stop) // a short limit, because a turn may be in progress
			done(optionsSet(e))
		})
	case sendPrompt:
		m.tasks.Go(func() {
			result, err := e.l.runTurn(e.r, e.prompt)
			done(turnEnded{e, result, err})
		})
	case cancelTurn:
		lease := e.l.conn.Lease
		m.tasks.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), m.opt.Limits.Stop)
			defer cancel()
			if err := lease.CancelTurn(ctx); err != nil {
				m.opt.Log.Debug().Err(err).Msg("couldn't send session/cancel")
			}
		})
	case answerRequest:
		e.l.logAnswer(e.req.Result(e.result))
	case refuseRequest:
		e.l.logAnswer(e.req.Error(e.code, e.message))
	}
}
