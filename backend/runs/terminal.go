package runs

import (
	"context"
	"errors"

	"weft/backend/acp"
	"weft/backend/agentproc"
	"weft/backend/agentterminals"
	"weft/backend/owner"
	"weft/backend/permission"
	"weft/backend/terminal"
	"weft/backend/terminalview"
	"weft/backend/transcript"
)

// liveTerminal is a terminal whose end was not shown yet.
type liveTerminal struct {
	*terminal.Terminal
	run *run // during which it was created, nil if between two
}

// terminalRequest serves terminal/*, beside the fold. The lock is held.
func (l *liveSession) terminalRequest(in *acp.Inbound) {
	ctx, method := in.Request.Context(), in.Method
	switch {
	case method == "terminal/create":
		serve(l, in, func(p agentterminals.Create) (any, error) { return l.createTerminal(ctx, &p) })
	case agentterminals.Serves(method):
		serve(l, in, func(p agentterminals.Ref) (any, error) {
			if err := l.ours(p.SessionID); err != nil {
				return nil, err
			}
			return agentterminals.Serve(ctx, &l.terminals, method, p.TerminalID)
		})
	default:
		req := in.Request
		l.s.Effect(func() { l.answer(req.NotFound()) })
	}
}

// ours refuses requests for another session than the link's.
func (l *liveSession) ours(sessionID string) error {
	l.s.Lock()
	defer l.s.Unlock()
	if l.session.Other(sessionID) {
		return &terminal.Error{Code: terminal.CodeInvalid, Message: "There is no such session on this connection."}
	}
	return nil
}

// createTerminal runs a command for the agent.
func (l *liveSession) createTerminal(ctx context.Context, p *agentterminals.Create) (started any, err error) {
	if err := l.ours(p.SessionID); err != nil {
		return nil, err
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	dir, err := l.conn.Files.Dir(p.Cwd)
	if err != nil {
		return nil, err
	}
	spec := p.Spec(dir)
	spec.PidDir, spec.Hide = agentproc.PidDir(l.s.m.opt.DataDir), l.s.m.redactor()
	w, err := l.folder().Run(spec)
	if err != nil {
		return nil, err
	}
	done, err := l.consent(ctx, w)
	defer func() { done(err) }()
	if err != nil {
		return nil, err
	}
	l.s.Lock()
	readOnly := l.s.desk.Mode.Now() == permission.ReadOnly
	l.s.Unlock()
	spec.Sandbox = agentproc.Sandbox(l.s.m.opt.DataDir, l.config, l.s.space.Folder, readOnly)
	id := l.s.w.newID("term")
	t, err := l.terminals.Add(ctx, id, spec)
	if err != nil {
		return nil, err
	}
	s := l.s
	s.LockUntil(func() bool { return !s.Full() || l.dropped.Load() })
	if s.life.Live() != l || l.dropped.Load() {
		s.Unlock()
		return nil, errors.Join(&terminal.Error{Code: terminal.CodeClosed, Message: "This session has ended."}, agentterminals.Stop(t.Stop))
	}
	// Known before the agent can name it.
	s.turns.TerminalStarted(id, spec.Line(), s.m.now())
	l.live[id] = &liveTerminal{Terminal: t, run: s.run}
	l.followers.Go(func() { l.follow(t) })
	s.Unlock()
	return agentterminals.Created{TerminalID: id}, nil
}

// follow shows what a terminal writes until its end was shown, too.
func (l *liveSession) follow(t *terminal.Terminal) {
	s := l.s
	show := func() { s.turns.ShowTerminal(t.ID(), s.m.now()) }
	terminalview.Follow(t, terminalview.View{
		Frame: owner.Frame, Now: s.m.now, Gone: l.conn.Ended(),
		Show:   func() { l.put(show) },
		Output: func(text string, offset int64) { l.put(func() { s.turns.TerminalOutput(t.ID(), text, offset) }) },
		Ended:  func(r transcript.TerminalResult) { l.put(func() { s.turns.TerminalEnded(t.ID(), r) }) },
	})
	l.put(func() {
		show()
		delete(l.live, t.ID())
	})
}

// put changes the session from outside of the agent's connection.
func (l *liveSession) put(change func()) {
	s := l.s
	s.LockUntil(func() bool { return !s.Full() || l.dropped.Load() })
	defer s.Unlock()
	change()
	s.Pace(false)
}

// endTerminals ends the commands of a link that has ended, and shows that.
func (l *liveSession) endTerminals() {
	if err := agentterminals.Stop(l.terminals.Close); err != nil {
		l.s.m.opt.Log.Error().Err(err).Str("agent", l.config.ID).Msg("a command in a terminal could not be ended")
	}
	l.s.Lock()   // nobody is between having seen that the link lives and following a terminal
	l.s.Unlock() //nolint:staticcheck // as said
	l.followers.Wait()
}

// turnEnds shows the terminals that no call of the turn has named, and ends those that a
// turn which the user stopped has left running. The lock is held.
func (l *liveSession) turnEnds(r *run) {
	for id, t := range l.live {
		l.s.turns.ShowTerminal(id, l.s.m.now())
		if r.turn.Stopping() && t.run == r {
			l.s.m.tasks.Go(func() {
				if err := agentterminals.Stop(t.Stop); err != nil {
					l.s.m.opt.Log.Error().Err(err).Msg("a command in a terminal could not be ended")
				}
			})
		}
	}
}

// KillTerminal ends the command of a terminal for the user, and waits until it is gone. Error:
// not_found where it has ended.
func (m *Manager) KillTerminal(_ context.Context, spaceID, terminalID string) error {
	var t *liveTerminal
	for _, s := range m.here(spaceID) {
		s.Lock()
		if l := s.life.Live(); l != nil && t == nil {
			t = l.live[terminalID]
		}
		s.Unlock()
	}
	if t == nil {
		return errNoTerminal
	}
	return agentterminals.Stop(func(ctx context.Context) error {
		any, err := t.Kill(ctx)
		if err == nil && !any {
			err = errNoTerminal
		}
		return err
	})
}

var errNoTerminal = &Error{Code: "not_found", Message: "This command has ended already."}
