package runs

import (
	"context"

	"weft/backend/agent/agentproc"
	"weft/backend/agent/sandbox"
	"weft/backend/agent/terminal"
	"weft/backend/space/agentterminals"
	"weft/backend/space/owner"
	"weft/backend/space/requests"
)

// newTerminals returns the session's terminals.
func (l *liveSession) newTerminals() *agentterminals.Terminals {
	s := l.s
	return agentterminals.New(agentterminals.Session{
		Host: terminalHost{agentRequests{l}}, Turns: s.turns, Folder: agentRequests{l}.folder, Dir: func(cwd string) (string, error) { return l.conn.Files.Dir(cwd) },
		PidDir: agentproc.PidDir(s.m.opt.DataDir), Hide: s.m.redactor(), Frame: owner.Frame, Gone: l.conn.Ended(), NewID: s.w.newID, Now: s.m.now, Go: s.m.tasks.Go,
		Log: s.m.opt.Log.With().Str("agent", l.config.ID).Logger(),
	})
}

// terminalHost implements [agentterminals.Host].
type terminalHost struct{ l agentRequests }

func (h terminalHost) Is(sessionID string) error { return h.l.ours(sessionID) }
func (h terminalHost) Put(do func())             { h.l.put(do) }
func (h terminalHost) Step(do func())            { h.l.s.Step(do) }

func (h terminalHost) Consent(ctx context.Context, o *requests.Operation) (done func(error), err error) {
	return h.l.consent(ctx, o)
}

func (h terminalHost) Sandbox() *sandbox.Plan {
	s := h.l.s
	s.Lock()
	defer s.Unlock()
	return s.sandbox(h.l.config)
}

func (h terminalHost) Begin(do func()) bool {
	l, s := h.l, h.l.s
	s.LockUntil(func() bool { return !s.Full() || l.dropped.Load() })
	defer s.Unlock()
	if s.life.Live() != l.liveSession || l.dropped.Load() {
		return false
	}
	do()
	return true
}

func (h terminalHost) Run() string {
	if r := h.l.s.run; r != nil {
		return r.id
	}
	return ""
}

// ours returns an error if sessionID is another session.
func (l *liveSession) ours(sessionID string) error {
	l.s.Lock()
	defer l.s.Unlock()
	if l.session.Other(sessionID) {
		return newError(terminal.CodeInvalid, "No such session on this connection.")
	}
	return nil
}

// put runs change as a step, for events that don't come from the agent's connection. It blocks while too many events
// wait to be stored.
func (l *liveSession) put(change func()) {
	s := l.s
	s.LockUntil(func() bool { return !s.Full() || l.dropped.Load() })
	defer s.Unlock()
	change()
	s.Pace(false)
}

// KillTerminal kills the command of a terminal and waits until it has exited. Error: not_found if it had already ended.
func (m *Manager) KillTerminal(_ context.Context, spaceID, terminalID string) error {
	var t *terminal.Terminal
	for _, s := range m.here(spaceID) {
		s.Lock()
		if l := s.life.Live(); l != nil && t == nil {
			t = l.terminals.Get(terminalID)
		}
		s.Unlock()
	}
	return agentterminals.Kill(t)
}
