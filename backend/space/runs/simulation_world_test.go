package runs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"weft/backend/acp"
	"weft/backend/agent/agentproc"
	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
	"weft/backend/space/lifecycle"
	"weft/backend/space/requests"
	"weft/backend/space/turn"
	"weft/backend/store"
	"weft/backend/store/events"
)

// simWorld is the world of one space.
type simWorld struct {
	s  *sim
	sp *simSpace
}

func (w simWorld) newID(prefix string) string {
	w.s.ids++
	return fmt.Sprintf("%s_%d", prefix, w.s.ids)
}

var errFull = &store.Error{Code: "full", Message: "The disk is full."}

func (w simWorld) Append(req events.Append, done func(error)) {
	sp := w.sp
	sp.flight++
	w.s.Begin(fmt.Sprintf("%s: %d events are stored, full %v", sp.r.id, len(req.Bodies), sp.full), func() {
		sp.flight--
		if sp.full {
			done(errFull)
			return
		}
		for _, b := range req.Bodies {
			w.s.logf("%s:   %s", sp.r.id, b.EventType())
			sp.seq++
			if err := sp.conv.Apply(&transcript.Event{Seq: sp.seq, At: req.At, Body: b}); err != nil {
				w.s.failf("%s: event %d, %s: %v", sp.r.id, sp.seq, b.EventType(), err)
			}
			switch b := b.(type) {
			case *transcript.RunCreated:
				if b.SpaceID != "" {
					sp.guests[b.RunID] = true
				}
				if b.SpaceID == "" || !sp.left { // a space that is deleted does not learn how what others write to it ends
					sp.created[b.RunID]++
				}
			case *transcript.PermissionResolved:
				if b.Outcome == "selected" {
					sp.resolved++
				}
			case *transcript.RunCompleted:
				if sp.over[b.RunID]++; sp.created[b.RunID] == 0 && b.SpaceID == "" {
					w.s.failf("%s: %s ends before it began", sp.r.id, b.RunID)
				}
			}
		}
		done(nil)
	})
}

func (w simWorld) Probe(done func(error)) {
	w.s.Begin(w.sp.r.id+": the store is asked whether it takes anything", func() {
		if w.sp.full {
			done(errFull)
			return
		}
		done(nil)
	})
}

func (w simWorld) After(d time.Duration, do func()) { w.s.After(d, do) }

// do implements [world].
func (w simWorld) do(e effect, done func(input)) {
	switch e := e.(type) {
	case openSession:
		w.open(e, done)
	case closeSession:
		w.close(e, done)
	case signIn:
		w.s.Begin(w.sp.r.id+": the sign-in is over", func() { done(signedIn{e, w.signIn(e)}) })
	case readFiles:
		w.s.Begin(w.sp.r.id+": the files that a call of "+e.l.config.ID+" names are read", func() { done(filesRead{e, e.look.Snapshot(simDisk{w.s})}) })
	case findLinks:
		w.s.Begin(w.sp.r.id+": the links of a call of "+e.l.config.ID+" are resolved", func() { done(linksFound{e, e.l.s.foresee(e.calls...)}) })
	case watchRun:
		w.runStarted(e.r)
	case unwatchRun:
		w.runEnded(e.r)
	case preparePrompt:
		w.s.Begin(w.sp.r.id+": the prompt is put together", func() { done(promptPrepared{e, nil, w.prepare(e)}) })
	case setOptions:
		w.s.Begin(w.sp.r.id+": options are set", func() { done(optionsSet(e)) })
	case sendPrompt:
		w.prompt(e, done)
	case cancelTurn:
		if sl := w.s.links[e.l]; sl != nil && sl.turn != nil {
			sl.turn.cancelled = true
		}
	case answerRequest:
		w.answer(e)
	case refuseRequest:
		w.answered(e.l, e.req)
	}
}

func (w simWorld) open(e openSession, done func(input)) {
	s, l := w.s, e.l
	s.ids++
	sl := &simLink{l: l, space: w.sp, id: fmt.Sprintf("s%06d", s.ids)}
	s.links[l] = sl
	agentID := l.config.ID
	sl.opening = func(err error) {
		sl.opening = nil
		s.Spawn(func() { done(sessionOpened{l, err}) })
	}
	s.Begin(w.sp.r.id+": the process of "+agentID+" is there", func() {
		if sl.opening == nil {
			return
		}
		if !s.reliable && s.chance(8) {
			sl.opening(errors.New("it can't be started"))
			return
		}
		for _, p := range s.procs {
			if p.agent == agentID && !p.closed && !p.alone && !p.dead && !e.fresh && !l.stage.How().Alone {
				sl.proc = p
			}
		}
		if sl.proc == nil {
			sl.proc = &simProc{agent: agentID, alone: l.stage.How().Alone, idle: map[*liveSession]bool{}}
			s.procs = append(s.procs, sl.proc)
		}
		sl.proc.links = append(sl.proc.links, l)
		s.Begin(w.sp.r.id+": the session of "+agentID+" is open", func() { w.opens(sl) })
	})
}

func (w simWorld) opens(sl *simLink) {
	s, l := w.s, sl.l
	switch n := s.Rand.IntN(100); {
	case sl.opening == nil:
		return
	case sl.lost:
		sl.opening(acp.ErrClosed)
		return
	case s.reliable:
	case n < 6 && !l.stage.How().Alone:
		sl.opening(&agentproc.ExclusiveError{Err: errors.New("only one session"), Always: n < 3})
		return
	case n < 14:
		sl.opening(acp.ErrAuthRequired)
		return
	case n < 20 && !l.stage.How().Fresh: // it couldn't be continued twice, or there was a sign-in that this process doesn't know of
		sl.opening(&agentproc.FreshError{Err: acp.ErrClosed})
		return
	}
	l.s.Lock()
	if sl.opening == nil {
		l.s.Unlock()
		return
	}
	l.session.About.Capabilities.ResumeSession = true
	if l.stage.How().Purpose == lifecycle.ToLoad {
		l.s.turns.Replay()
	}
	l.signedIn = l.stage.How().Purpose == lifecycle.ToSignIn && !l.stage.How().Fresh
	l.session.Identify(sl.id)
	if l.s.life.Live() == l {
		l.s.options.Settle()
	}
	l.s.Unlock()
	sl.opening(nil)
}

func (w simWorld) close(e closeSession, done func(input)) {
	s, l, sl := w.s, e.l, w.s.links[e.l]
	if sl == nil || sl.closing {
		s.failf("%s: a session is closed that is not open", w.sp.r.id)
		return
	}
	sl.closing = true
	s.Begin(w.sp.r.id+": the session of "+l.config.ID+" is gone", func() {
		if sl.opening != nil {
			sl.opening(context.Canceled)
		}
		if t := sl.turn; t != nil {
			sl.turn = nil
			s.Spawn(func() { t.end(acp.PromptResult{}, acp.ErrClosed) })
		}
		delete(s.links, l)
		if p := sl.proc; p != nil {
			p.links = slices.DeleteFunc(p.links, func(o *liveSession) bool { return o == l })
			if len(p.links) == 0 {
				p.dead, p.closed = true, true
			}
		}
		done(sessionClosed{l})
	})
}

func (w simWorld) signIn(e signIn) error {
	switch {
	case e.attempt.ctx.Err() != nil:
		return context.Cause(e.attempt.ctx)
	case !w.s.reliable && w.s.chance(30):
		return errors.New("the card has expired")
	}
	return nil
}

func (w simWorld) wake(l *liveSession) bool {
	p := w.s.links[l].proc
	p.idle[l] = false
	return !p.closed
}

func (w simWorld) idle(l *liveSession) []*liveSession {
	p := w.s.links[l].proc
	p.idle[l] = true
	for _, o := range p.links {
		if !p.idle[o] {
			return nil
		}
	}
	p.closed = true
	return slices.Clone(p.links)
}

func (w simWorld) shares(l *liveSession) bool {
	sl := w.s.links[l]
	return sl != nil && sl.proc != nil && len(sl.proc.links) > 1
}

func (w simWorld) markExclusive(*liveSession) {}

// title takes its time, like every read of the database.
func (w simWorld) title(string) string {
	read := false
	w.s.Begin("title", func() { read = true })
	for !read {
		w.s.Pause()
	}
	return "Title"
}

// simDisk has each file or not, by chance.
type simDisk struct{ s *sim }

func (d simDisk) Exists(string) bool { return d.s.chance(70) }

func (d simDisk) Text(string) (string, bool) { return "one\ntwo\n", d.s.chance(70) }

func (w simWorld) runStarted(r *run) {
	if w.sp.watched[r.id] != 0 {
		w.s.failf("%s begins twice", r.id)
	}
	w.sp.watched[r.id] = 1
}

func (w simWorld) runEnded(r *run) {
	if r.turn.Phase() != turn.Over {
		w.s.failf("%s is over when it is %s", r.id, r.turn.Phase())
	}
	if n := w.sp.watched[r.id]; n == 1 {
		w.sp.watched[r.id] = 2
	} else if n == 2 {
		w.s.failf("%s is over twice", r.id)
	}
}

func (w simWorld) prepare(e preparePrompt) error {
	switch {
	case e.r.ctx.Err() != nil:
		return context.Cause(e.r.ctx)
	case !w.s.reliable && w.s.chance(5):
		return errors.New("a file is gone")
	case !w.s.reliable && w.s.chance(8):
		return fault.Plain("replaced", "another folder is there")
	}
	e.l.s.Step(e.l.session.MarkUsed)
	return nil
}

func (w simWorld) prompt(e sendPrompt, done func(input)) {
	s, l := w.s, e.l
	end := func(res acp.PromptResult, err error) { done(turnEnded{e, res, err}) }
	s.Spawn(func() {
		l.s.Lock()
		ok := e.r.markSending(l, func() {})
		id := l.session.ID()
		l.s.Unlock()
		sl := s.links[l]
		switch {
		case !ok:
			end(acp.PromptResult{}, context.Canceled)
		case id == "":
			s.failf("%s: a prompt goes out without a session", w.sp.r.id)
		case sl == nil || sl.closing && sl.proc == nil:
			end(acp.PromptResult{}, acp.ErrClosed)
		case sl.turn != nil:
			s.failf("%s: two prompts at once", w.sp.r.id)
		default:
			s.logf("%s: the agent of %s has the prompt", w.sp.r.id, l.s.member().ID)
			sl.turn = &simTurn{run: e.r, end: end, stubborn: s.chance(15)}
		}
	})
}

func (w simWorld) answered(l *liveSession, req *acp.Request) {
	sl := w.s.links[l]
	if sl == nil {
		return
	}
	for _, a := range sl.asked {
		if a.req != req { // an id may be used again
			continue
		}
		if a.answered++; a.answered > 1 {
			w.s.failf("%s: request %s is answered twice", w.sp.r.id, req.ID)
		}
	}
}

func (w simWorld) answer(e answerRequest) {
	w.answered(e.l, e.req)
	if o, ok := e.result.(requests.Outcome); ok && o.Outcome.Outcome == "selected" && !w.sp.r.Lost() {
		if w.sp.told++; w.sp.told > w.sp.resolved {
			w.s.failf("%s: an agent has an answer that is not stored", w.sp.r.id)
		}
	}
}

func (w simWorld) Run(do func()) { w.s.Spawn(do) }

func (w simWorld) Wait(cond *sync.Cond) { w.s.Wait(cond) }

func (w simWorld) Panicked(_ string, p any) { w.s.failf("an effect panics: %v", p) }
