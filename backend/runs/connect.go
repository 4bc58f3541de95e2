package runs

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"weft/backend/acp"
	"weft/backend/acpsession"
	"weft/backend/agent"
	"weft/backend/agentproc"
	"weft/backend/gatedrafts"
	"weft/backend/modelcalls"
	"weft/backend/owner"
	"weft/backend/permission"
	"weft/backend/toolcalls"
	"weft/backend/transcript"
)

// connection is a member's session with its agent, and who waits for one. At most one session is there at a time; the next one is opened once
// the one before is gone.
type connection struct {
	live    *liveSession // that is not closing, nil if there is none
	closing *liveSession // that is

	next   *opening   // what is opened once nothing is closing, nil: what someone needs
	needed []*wanting // who needs a session that takes prompts
	fresh  bool       // the next one is opened in a new process

	left bool     // the member, or its space, is gone: no session is opened any more
	over []func() // what follows once that is so and everything has ended
	rest int      // counts the times that there has been nothing to do
}

// newLiveSession makes a session that is not there yet.
func newLiveSession(s *Session, config agent.Config) *liveSession {
	l := &liveSession{
		s: s, config: config, quit: make(chan struct{}), ended: make(chan struct{}), opened: make(chan struct{}),
		live: map[string]*liveTerminal{}, calls: toolcalls.Open{},
		printing: toolcalls.NewPrinting(s.m.redactor()), claims: map[*arrival]chan struct{}{},
	}
	l.session = acpsession.New(l.acpOptions())
	l.gate = gatedrafts.New[*message](drafting{l}, s.space.ID, s.m.opt.GateTool, l.calls)
	l.modelCalls = modelcalls.New(s.m.opt.GateTool, gatedrafts.SendMessage)
	l.changes = toolcalls.NewChanges(s.space.Folder, l.calls)
	l.plan = agentproc.Sandbox(s.m.opt.DataDir, config, s.space.Folder, s.desk.Mode.Space == permission.ReadOnly)
	l.watch = l.newWatch()
	l.ctx, l.cancel = context.WithCancelCause(context.Background())
	return l
}

// busy reports whether a prompt has to wait. The lock is held.
func (s *Session) busy() bool {
	return s.run != nil || s.next != nil || s.live != nil && (s.live.phase == phaseSigningIn || s.live.phase == phaseStarting && s.live.how.purpose != toPrompt)
}

// need gives w a session, which is opened if necessary. The lock is held.
func (s *Session) need(w *wanting) {
	l := s.live
	switch {
	case s.left:
		w.done(nil, owner.ErrClosing)
		return
	case l != nil && l.phase == phaseInTurn && w.inTurn:
		w.done(l, nil)
		return
	case l != nil && l.phase == phaseReady:
		if !l.outgrown() && !l.boxedAnew() && s.w.wake(l) {
			w.done(l, nil)
			return
		}
		s.end(l, ending{polite: true})
	}
	s.needed = append(s.needed, w)
	s.proceed()
}

// callOff ends a need. The session that was opened for it alone is given up. The lock is held.
func (s *Session) callOff(w *wanting) {
	s.needed = slices.DeleteFunc(s.needed, func(o *wanting) bool { return o == w })
	if l := s.live; len(s.needed) == 0 && l != nil && l.phase == phaseStarting && l.how.purpose == toPrompt {
		s.end(l, ending{})
	}
}

// reopen ends the session that there is and opens one in another way. The lock is held, and the session is not busy.
func (s *Session) reopen(o *opening) {
	s.next = o
	if s.live != nil {
		s.end(s.live, ending{})
	}
	s.proceed()
}

// proceed opens the next session, if one is needed and the one before is gone. The lock is held.
func (s *Session) proceed() {
	if s.live != nil || s.closing != nil {
		return
	}
	o := s.next
	s.next = nil
	switch {
	case s.left:
		s.refuse(o, owner.ErrClosing)
		s.leaves()
		return
	case o == nil && len(s.needed) == 0:
		return
	case o == nil:
		o = &opening{purpose: toPrompt, open: (*acpsession.Session).Open}
	case o.purpose == toPrompt && len(s.needed) == 0:
		return
	}
	config, err := s.m.opt.Agent(s.space.AgentID)
	if err != nil {
		s.refuse(o, err)
		return
	}
	l := newLiveSession(s, config)
	l.how = o
	l.to(phaseStarting)
	s.live = l
	s.rest++
	s.w.open(l, func(err error) { s.Step(func() { s.opened(l, err) }) })
}

// refuse tells whoever waits for a session that it can't be opened. The lock is held.
func (s *Session) refuse(o *opening, err error) {
	needed := s.needed
	s.needed = nil
	if o != nil {
		s.notOpened(o, err)
	}
	for _, w := range needed {
		w.done(nil, err)
	}
}

// fails reports that an opening has failed: to all who need a session if it was for them, else to who asked for it. The lock is held.
func (s *Session) fails(o *opening, err error) {
	if o.purpose == toPrompt {
		s.refuse(o, err)
	} else {
		s.notOpened(o, err)
	}
}

// opened takes the end of an opening. The lock is held.
func (s *Session) opened(l *liveSession, err error) {
	o := l.how
	s.desk.Questions.Started(asker{l})
	if o.purpose == toLoad {
		s.turns.EndReplay()
	}
	var shared *agentproc.ExclusiveError
	switch {
	case l.why != nil && o.purpose == toPrompt:
		s.fails(o, l.why)
	case l.phase != phaseStarting: // it was given up
		s.notOpened(o, cmp.Or(l.why, error(owner.ErrClosing)))
	case err == nil:
		l.to(phaseReady)
		s.fresh = false
		if o.exclusive {
			s.w.markExclusive(l)
		}
		s.offerChanged(l)
		if o.done != nil {
			o.done(l, nil)
		}
		s.serve(l)
		if o.purpose != toPrompt && s.run == nil {
			s.nextPrompt()
		}
		s.rests()
	case errors.As(err, &shared) && !o.alone:
		again := *o
		again.alone, again.exclusive = true, shared.Always
		s.next = &again
		s.end(l, ending{})
	default:
		s.fails(o, err)
		s.end(l, ending{})
	}
	s.Flush()
}

// notOpened tells that a session could not be opened in the way that was asked for. Prompts that have waited for it go their ordinary way, but for
// those that wait for a sign-in. The lock is held.
func (s *Session) notOpened(o *opening, err error) {
	if o.done != nil {
		o.done(nil, err)
	}
	if o.purpose == toLoad && s.run == nil && !s.left {
		s.nextPrompt()
	}
}

// serve tells those who need a session that there is one. The lock is held.
func (s *Session) serve(l *liveSession) {
	for l == s.live {
		i := slices.IndexFunc(s.needed, func(w *wanting) bool { return l.phase == phaseReady || l.phase == phaseInTurn && w.inTurn })
		if i < 0 {
			return
		}
		w := s.needed[i]
		s.needed = slices.Delete(s.needed, i, i+1)
		w.done(l, nil)
	}
}

// ending is how a session is ended.
type ending struct {
	polite bool // the agent is told first
	lost   bool // the agent has closed the connection
}

// end ends a session. Nothing of it counts from now on. The lock is held.
func (s *Session) end(l *liveSession, how ending) {
	if l.phase == phaseClosing || l.phase == phaseGone {
		return
	}
	l.to(phaseClosing)
	l.dropped.Store(true)
	if s.live == l {
		s.live, s.closing = nil, l
		s.options.Closed()
		s.desk.Questions.Forget()
	}
	s.Broadcast()
	s.w.close(l, how, func() { s.Step(func() { s.isGone(l) }) })
}

// isGone takes the end of a session: it has left its process, which is gone if it served nobody else. The lock is held.
func (s *Session) isGone(l *liveSession) {
	l.to(phaseGone)
	for _, do := range l.gone {
		s.Effect(do)
	}
	if s.closing == l {
		s.closing = nil
	}
	s.proceed()
	s.Flush()
}

// lost takes the end of a connection that the agent has closed; everything that it had sent was handled. An opening, and a turn, in progress learn of
// it by themselves. The lock is held.
func (s *Session) lost(l *liveSession) {
	if l.phase != phaseStarting {
		s.end(l, ending{lost: true})
	}
	s.Flush()
}

// rests notes that there is nothing to do for the session, and sees to it that its process does not stay forever. The lock is held.
func (s *Session) rests() {
	s.rest++
	if s.run != nil || s.left {
		return
	}
	at := s.rest
	s.Later(idleAfter, func() {
		if s.rest == at {
			s.idles()
		}
	})
}

// idles ends the process of an agent that has had nothing to do for a while, if it can take its sessions up again. The lock is held.
func (s *Session) idles() {
	l := s.live
	switch {
	case s.run != nil || l == nil || l.phase != phaseReady || !l.session.CanEnd():
		return
	case len(l.live) > 0: // a command of it runs on
		s.rests()
		return
	}
	idle := s.w.idle(l)
	for _, o := range idle {
		if o == l {
			s.end(l, ending{polite: true})
			continue
		}
		s.Effect(func() {
			o.s.Step(func() {
				if o.phase == phaseReady {
					o.s.end(o, ending{polite: true})
				}
			})
		})
	}
}

// leave ends the session for good, with the turn that is in progress; why is what becomes of open permission requests. then is an effect once
// everything has ended. The lock is held.
func (s *Session) leave(why transcript.Resolution, then func()) {
	s.over = append(s.over, then)
	if s.left {
		s.leaves()
		return
	}
	s.left = true
	s.rest++
	s.stopRun(why)
	if s.run == nil {
		s.leaves()
		return
	}
	// A moment for the agent to end its turn by itself; then its process ends anyway.
	s.Later(closeGrace, s.ends)
}

// ends ends the session of a member that leaves. The lock is held.
func (s *Session) ends() {
	if s.live != nil {
		s.end(s.live, ending{polite: true})
	}
	s.proceed()
}

// leaves continues the end of a member: its session ends after its turn, and then nothing of it is left. The lock is held.
func (s *Session) leaves() {
	if !s.left || s.run != nil {
		return
	}
	if s.live != nil {
		s.end(s.live, ending{polite: true})
	}
	if s.closing != nil {
		return
	}
	o := s.next
	s.next = nil
	s.refuse(o, owner.ErrClosing)
	s.leaving = slices.DeleteFunc(s.leaving, func(o *Session) bool { return o == s })
	for _, do := range s.over {
		s.Effect(do)
	}
	s.over = nil
}

// linked returns the session with the agent, which may have a prompt, starting the agent if need be. Whoever asks meanwhile waits for the same start, which is
// given up when nobody does any more. It blocks until then, or until ctx ends.
func (s *Session) linked(ctx context.Context) (*liveSession, error) {
	type result struct {
		l   *liveSession
		err error
	}
	got := make(chan result, 1)
	w := &wanting{inTurn: true, done: func(l *liveSession, err error) { got <- result{l, err} }}
	s.Step(func() { s.need(w) })
	select {
	case r := <-got:
		return r.l, r.err
	case <-ctx.Done():
	}
	s.Lock()
	defer s.Unlock()
	s.callOff(w)
	select {
	case r := <-got: // at the same moment
		return r.l, r.err
	default:
		return nil, context.Cause(ctx)
	}
}

// opens opens a session in another way than for a prompt, and blocks until it is open, or can't be. Error: busy while a turn is in progress.
func (s *Session) opens(ctx context.Context, p purpose, open openFunc) error {
	done := make(chan error, 1)
	s.Lock()
	if s.busy() || s.left {
		s.Unlock()
		return errBusy
	}
	o := &opening{purpose: p, open: open, done: func(_ *liveSession, err error) { done <- err }}
	s.reopen(o)
	s.Unlock()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	s.Step(func() { s.callOffOpening(o, context.Cause(ctx)) })
	return <-done
}

// callOffOpening gives up a session that is opened in another way than for a prompt. The lock is held.
func (s *Session) callOffOpening(o *opening, why error) {
	switch {
	case s.next == o:
		s.next = nil
		s.notOpened(o, why)
		s.proceed()
	case s.live != nil && s.live.how == o && s.live.phase == phaseStarting:
		s.end(s.live, ending{})
	}
}

// endSession ends the session that there is, and blocks until it is gone. Error: busy while a turn is in progress.
func (s *Session) endSession() error {
	s.Lock()
	if s.busy() {
		s.Unlock()
		return errBusy
	}
	l := s.live
	if l != nil {
		s.end(l, ending{})
	} else {
		l = s.closing
	}
	if l == nil {
		s.Unlock()
		return nil
	}
	gone := make(chan struct{})
	l.gone = append(l.gone, func() { close(gone) })
	s.Unlock()
	<-gone
	return nil
}

var errBusy = &Error{Code: "busy", Message: "The agent is still working. Stop it first."}

// Prepare starts the agent of a member ("": the default member) and opens a session, so that it can tell what it offers before
// the first prompt. It blocks until then; if ctx ends first and nobody else waits, the start is given up.
func (ss Sessions) Prepare(ctx context.Context, spaceID, memberID string) error {
	s, err := ss.m.session(ctx, spaceID, memberID)
	if err != nil {
		return err
	}
	s.Lock()
	busy := s.busy()
	s.Unlock()
	if busy {
		return nil // it is being started, or runs
	}
	if _, err = s.linked(ctx); err != nil {
		return err
	}
	return s.Settled(ctx) // so that what it offers can be read
}

// Handle implements acp.Handler for a session. It waits while too much of the space waits to be stored, or to be taken by other spaces.
func (l *liveSession) Handle(in *acp.Inbound, more bool) {
	s := l.s
	s.LockUntil(func() bool { return !s.Full() && (s.run == nil || !s.run.elsewhere.Crowded()) || l.dropped.Load() })
	defer s.Unlock()
	if s.live == l {
		s.Writer = s.turns
		l.fold(in)
	} else if in.Kind == acp.KindRequest {
		l.refuse(in.Request, acp.CodeInternal, "This connection has ended.")
	}
	s.Pace(more)
}
