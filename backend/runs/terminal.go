package runs

import (
	"context"
	"errors"
	"math"
	"strings"
	"time"

	"weft/backend/acp"
	"weft/backend/agentproc"
	"weft/backend/fault"
	"weft/backend/owner"
	"weft/backend/permission"
	"weft/backend/terminal"
	"weft/backend/terminalview"
	"weft/backend/transcript"
)

// stopPatience is how long the end of a command may take: its own ladder is shorter.
const stopPatience = 15 * time.Second

// liveTerminal is a terminal whose end was not shown yet.
type liveTerminal struct {
	*terminal.Terminal
	run *run // during which it was created, nil if between two
}

type createTerminal struct {
	SessionID string   `json:"sessionId"`
	Command   string   `json:"command"`
	Args      []string `json:"args"`
	Env       []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"env"`
	Cwd   string  `json:"cwd"`
	Limit *uint64 `json:"outputByteLimit"`
}

type terminalRef struct {
	SessionID  string `json:"sessionId"`
	TerminalID string `json:"terminalId"`
}

// exitStatus is ACP's: one of the two is null.
type exitStatus struct {
	ExitCode *int    `json:"exitCode"`
	Signal   *string `json:"signal"`
}

func statusOf(e *terminal.Exit) *exitStatus {
	switch {
	case e == nil:
		return nil
	case e.Signal != "":
		return &exitStatus{Signal: &e.Signal}
	}
	return &exitStatus{ExitCode: e.Code}
}

// terminalRequest serves terminal/*, beside the fold. The lock is held.
func (l *link) terminalRequest(in *acp.Inbound) {
	ctx := in.Request.Context()
	switch in.Method {
	case "terminal/create":
		serve(l, in, func(p createTerminal) (any, error) { return l.createTerminal(ctx, p) })
	case "terminal/output":
		l.serveTerminal(in, func(t *terminal.Terminal) (any, error) {
			exit := t.Exit() // before the output, which is complete with it
			text, truncated := t.Output()
			return struct {
				Output    string      `json:"output"`
				Truncated bool        `json:"truncated"`
				Exit      *exitStatus `json:"exitStatus,omitzero"`
			}{text, truncated, statusOf(exit)}, nil
		})
	case "terminal/wait_for_exit":
		l.serveTerminal(in, func(t *terminal.Terminal) (any, error) {
			select {
			case <-t.Exited():
				return statusOf(t.Exit()), nil
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		})
	case "terminal/kill":
		l.serveTerminal(in, func(t *terminal.Terminal) (any, error) {
			return struct{}{}, stopTerminal(t.Stop)
		})
	case "terminal/release":
		l.serveTerminal(in, func(t *terminal.Terminal) (any, error) {
			return struct{}{}, stopTerminal(func(ctx context.Context) error { return l.terminals.Release(ctx, t.ID()) })
		})
	default:
		req := in.Request
		l.s.Effect(func() { l.answer(req.NotFound()) })
	}
}

func (l *link) serveTerminal(in *acp.Inbound, do func(*terminal.Terminal) (any, error)) {
	serve(l, in, func(p terminalRef) (any, error) {
		if err := l.ours(p.SessionID); err != nil {
			return nil, err
		}
		t, err := l.terminals.Get(p.TerminalID)
		if err != nil {
			return nil, err
		}
		return do(t)
	})
}

// stopTerminal ends a command, whoever gives up waiting for that.
func stopTerminal(stop func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopPatience)
	defer cancel()
	return stop(ctx)
}

// ours refuses requests for another session than the link's.
func (l *link) ours(sessionID string) error {
	l.s.Lock()
	defer l.s.Unlock()
	if l.acpID != "" && sessionID != l.acpID {
		return &terminal.Error{Code: terminal.CodeInvalid, Message: "There is no such session on this connection."}
	}
	return nil
}

// createTerminal runs a command for the agent.
func (l *link) createTerminal(ctx context.Context, p createTerminal) (started any, err error) {
	if err := l.ours(p.SessionID); err != nil {
		return nil, err
	}
	if p.Command == "" {
		return nil, &terminal.Error{Code: terminal.CodeInvalid, Message: "The request names no command, so nothing was started."}
	}
	dir, err := l.files.Dir(p.Cwd)
	if err != nil {
		return nil, err
	}
	spec := terminal.Spec{Command: p.Command, Args: p.Args, Env: map[string]string{}, Dir: dir, PidDir: l.s.m.pidDir(), Hide: l.s.m.redactor()}
	for _, v := range p.Env {
		spec.Env[v.Name] = v.Value
	}
	if p.Limit != nil {
		limit := int64(min(*p.Limit, math.MaxInt64))
		spec.Limit = &limit
	}
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
	id := l.s.newID("term")
	t, err := l.terminals.Add(ctx, id, spec)
	if err != nil {
		return nil, err
	}
	s := l.s
	s.LockUntil(func() bool { return !s.Full() || l.dropped.Load() })
	if s.link != l || l.dropped.Load() {
		s.Unlock()
		return nil, errors.Join(&terminal.Error{Code: terminal.CodeClosed, Message: "This session has ended."}, stopTerminal(t.Stop))
	}
	// Known before the agent can name it.
	s.turns.TerminalStarted(id, spec.Line(), s.m.now())
	l.live[id] = &liveTerminal{Terminal: t, run: s.run}
	l.followers.Go(func() { l.follow(t) })
	s.Unlock()
	return map[string]string{"terminalId": id}, nil
}

// follow shows what a terminal writes until its end was shown, too.
func (l *link) follow(t *terminal.Terminal) {
	s := l.s
	show := func() { s.turns.ShowTerminal(t.ID(), s.m.now()) }
	terminalview.Follow(t, terminalview.View{
		Frame: owner.Frame, Now: s.m.now, Gone: l.ended,
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
func (l *link) put(change func()) {
	s := l.s
	s.LockUntil(func() bool { return !s.Full() || l.dropped.Load() })
	defer s.Unlock()
	change()
	s.Pace(false)
}

// terminalCode is the code of the protocol for a refusal, 0 if err is none.
func terminalCode(err error) int {
	code := fault.CodeOf(err)
	ofProgram, ofTerminal := strings.HasPrefix(code, "agent_"), strings.HasPrefix(code, "terminal_")
	if ofProgram || ofTerminal && code != terminal.CodeClosed {
		return acp.CodeInvalidParams
	}
	return 0
}

// endTerminals ends the commands of a link that has ended, and shows that.
func (l *link) endTerminals() {
	if err := stopTerminal(l.terminals.Close); err != nil {
		l.s.m.opt.Log.Error().Err(err).Str("agent", l.config.ID).Msg("a command in a terminal could not be ended")
	}
	l.s.Lock()   // nobody is between having seen that the link lives and following a terminal
	l.s.Unlock() //nolint:staticcheck // as said
	l.followers.Wait()
}

// turnEnds shows the terminals that no call of the turn has named, and ends those that a
// turn which the user stopped has left running. The lock is held.
func (l *link) turnEnds(r *run) {
	for id, t := range l.live {
		l.s.turns.ShowTerminal(id, l.s.m.now())
		if r.stopping && t.run == r {
			l.s.m.tasks.Go(func() {
				if err := stopTerminal(t.Stop); err != nil {
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
		if s.link != nil && t == nil {
			t = s.link.live[terminalID]
		}
		s.Unlock()
	}
	if t == nil {
		return errNoTerminal
	}
	return stopTerminal(func(ctx context.Context) error {
		any, err := t.Kill(ctx)
		if err == nil && !any {
			err = errNoTerminal
		}
		return err
	})
}

var errNoTerminal = &Error{Code: "not_found", Message: "This command has ended already."}
