package agentterminals

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/agent/sandbox"
	"weft/backend/agent/terminal"
	"weft/backend/agent/terminalview"
	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
	"weft/backend/settings/secret"
	"weft/backend/space/requests"
)

// Host is the session of the terminals. Its methods are called without the lock of the space, except Run.
type Host interface {
	// Is returns an error if the request is for another session. It waits for the lock.
	Is(sessionID string) error
	// Consent decides whether an operation is allowed, and blocks until then. done must be called with the result of
	// the operation.
	Consent(ctx context.Context, o *requests.Operation) (done func(error), err error)
	// Sandbox returns the current sandbox for commands, or nil. It waits for the lock.
	Sandbox() *sandbox.Plan
	// Begin runs do as a step that changes the session. It waits while too much of the space is unsaved, and returns
	// false if the session has ended.
	Begin(do func()) bool
	// Put is Begin, but also runs do if the session has ended.
	Put(do func())
	// Step runs do as a step.
	Step(do func())
	// Run returns the id of the current run, or "".
	Run() string
}

// Session is what [Terminals] needs from its session.
type Session struct {
	Host   Host
	Turns  *transcript.Turns                // used with the lock of the space
	Folder func() requests.Folder           // of the space
	Dir    func(cwd string) (string, error) // returns the requested folder, if it is inside the space's folder
	PidDir string                           // see [terminal.Spec]
	Hide   *secret.Redactor                 // for the output of commands; nil: redacts nothing
	Frame  time.Duration                    // how long output is collected before it is shown
	Gone   <-chan struct{}                  // closed when the agent has sent everything
	NewID  func(prefix string) string
	Now    func() int64 // unix ms
	// Go runs do, which ends a command, in a goroutine that the app waits for at exit.
	Go  func(do func())
	Log zerolog.Logger
}

// Terminals are the terminals of one session with an agent.
type Terminals struct {
	session   Session
	set       terminal.Set
	followers sync.WaitGroup           // one for each terminal
	open      map[string]*openTerminal // guarded by the lock of the space
}

// openTerminal is a terminal whose end hasn't been shown yet.
type openTerminal struct {
	*terminal.Terminal
	run string // during which it was created, or ""
}

// New returns the terminals of a session, which has none yet.
func New(session Session) *Terminals {
	return &Terminals{session: session, open: map[string]*openTerminal{}}
}

// Create runs a command for the agent, once that is allowed. It blocks until the command has started. Errors:
// *terminal.Error, those of [Host], of the folder, and of starting the command.
func (ts *Terminals) Create(ctx context.Context, c *Create) (started any, err error) {
	s := &ts.session
	if err := s.Host.Is(c.SessionID); err != nil {
		return nil, err
	}
	if err := c.Check(); err != nil {
		return nil, err
	}
	dir, err := s.Dir(c.Cwd)
	if err != nil {
		return nil, err
	}
	spec := c.Spec(dir)
	spec.PidDir, spec.Hide = s.PidDir, s.Hide
	o, err := s.Folder().Run(spec)
	if err != nil {
		return nil, err
	}
	done, err := s.Host.Consent(ctx, o)
	defer func() { done(err) }()
	if err != nil {
		return nil, err
	}
	// The user may have taken a long time: the folder must still be the one that was shown.
	if now, err := s.Dir(c.Cwd); err != nil || now != dir {
		return nil, cmp.Or(err, error(fault.New("changed", "The folder {{folder}} was replaced while you waited for permission, so nothing was started.", dir)))
	}
	spec.Sandbox = s.Host.Sandbox()
	id := s.NewID("term")
	t, err := ts.set.Add(ctx, id, spec)
	if err != nil {
		return nil, err
	}
	begun := s.Host.Begin(func() {
		// Registered before the agent can refer to it.
		s.Turns.Terminals.Started(id, spec.Line(), o.At, s.Now())
		if o.OwnRow {
			s.Turns.ShowTerminal(id, true, s.Now())
		}
		ts.open[id] = &openTerminal{Terminal: t, run: s.Host.Run()}
		ts.followers.Go(func() { ts.follow(t) })
	})
	if !begun {
		return nil, errors.Join(fault.New(terminal.CodeClosed, "This session has ended."), Stop(t.Stop))
	}
	return Created{TerminalID: id}, nil
}

// Serve returns the result of a request that [Serves]. It may block until the command has ended or ctx is done.
// Errors: *terminal.Error, and the cause of ctx.
func (ts *Terminals) Serve(ctx context.Context, method string, r Ref) (any, error) {
	if err := ts.session.Host.Is(r.SessionID); err != nil {
		return nil, err
	}
	return resultOf(ctx, &ts.set, method, r.TerminalID)
}

// follow shows a terminal's output and its end.
func (ts *Terminals) follow(t *terminal.Terminal) {
	s, put := &ts.session, ts.session.Host.Put
	show := func() { s.Turns.ShowTerminal(t.ID(), false, s.Now()) }
	terminalview.Follow(t, terminalview.View{
		Frame: s.Frame, Now: s.Now, Gone: s.Gone,
		Show:   func() { put(show) },
		Output: func(text string, offset int64) { put(func() { s.Turns.Terminals.Output(t.ID(), text, offset) }) },
		Ended:  func(r transcript.TerminalResult) { put(func() { s.Turns.Terminals.Ended(t.ID(), r) }) },
	})
	put(func() {
		show()
		delete(ts.open, t.ID())
	})
}

// Get returns a terminal whose end hasn't been shown yet, or nil. The lock of the space is held.
func (ts *Terminals) Get(id string) *terminal.Terminal {
	if t := ts.open[id]; t != nil {
		return t.Terminal
	}
	return nil
}

// Len returns the number of terminals whose end hasn't been shown yet. The lock of the space is held.
func (ts *Terminals) Len() int { return len(ts.open) }

// TurnEnds shows the terminals that no call of the turn refers to. If the user stopped the turn, it also ends the
// commands that the turn started, without waiting for them. The lock of the space is held.
func (ts *Terminals) TurnEnds(runID string, stopped bool) {
	s := &ts.session
	for id, t := range ts.open {
		s.Turns.ShowTerminal(id, false, s.Now())
		if stopped && t.run == runID {
			s.Go(func() { ts.end(t.Stop) })
		}
	}
}

// Close ends all commands after the session has ended, and blocks until that is shown. The lock of the space must not
// be held.
func (ts *Terminals) Close() {
	ts.end(ts.set.Close)
	ts.session.Host.Step(func() {}) // after this, no Create can still add a follower
	ts.followers.Wait()
}

// end ends one or all commands and logs an error.
func (ts *Terminals) end(stop func(context.Context) error) {
	if err := Stop(stop); err != nil {
		ts.session.Log.Error().Err(err).Msg("a command in a terminal could not be ended")
	}
}

// Kill ends the command of a terminal for the user, and blocks until it is gone. It fails with not_found if the
// command has ended or t is nil.
func Kill(t *terminal.Terminal) error {
	if t == nil {
		return errEnded
	}
	return Stop(func(ctx context.Context) error {
		any, err := t.Kill(ctx)
		if err == nil && !any {
			err = errEnded
		}
		return err
	})
}

var errEnded = fault.New("not_found", "This command has already ended.")
