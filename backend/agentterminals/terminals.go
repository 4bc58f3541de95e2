package agentterminals

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/asking"
	"weft/backend/fault"
	"weft/backend/requests"
	"weft/backend/sandbox"
	"weft/backend/secret"
	"weft/backend/terminal"
	"weft/backend/terminalview"
	"weft/backend/transcript"
)

// Host is the session that terminals are of. But for Run, its methods are called without the lock of the space.
type Host interface {
	// Is refuses a request for another session. It waits for the lock.
	Is(sessionID string) error
	// Consent decides whether an operation is carried out, and blocks until then. Done is given the result of the operation.
	Consent(ctx context.Context, o *requests.Operation) (done func(error), err error)
	// Sandbox returns that of commands, as it is now; nil for none. It waits for the lock.
	Sandbox() *sandbox.Plan
	// Begin has do change the session in a step. It waits while too much of the space waits to be stored, and reports false if the session has ended.
	Begin(do func()) bool
	// Put has do change the session in a step, also if it has ended. It waits while too much of the space waits to be stored.
	Put(do func())
	// Step makes a step of do.
	Step(do func())
	// Run returns the id of the run in progress, "" between two.
	Run() string
}

// Session is what [Terminals] use of their session.
type Session struct {
	Host   Host
	Turns  *transcript.Turns                // used with the lock of the space
	Folder func() asking.Folder             // of the space
	Dir    func(cwd string) (string, error) // returns the folder that a request names, if it is in that of the space
	PidDir string                           // see [terminal.Spec]
	Hide   *secret.Redactor                 // of what commands print; nil: nothing
	Frame  time.Duration                    // how long output is gathered
	Gone   <-chan struct{}                  // closed when the agent has said everything
	NewID  func(prefix string) string
	Now    func() int64 // unix ms
	// Go runs what ends a command. The app waits for it when it ends.
	Go  func(do func())
	Log zerolog.Logger
}

// Terminals are the terminals of one session with an agent.
type Terminals struct {
	session   Session
	set       terminal.Set
	followers sync.WaitGroup           // one for each terminal
	open      map[string]*openTerminal // with the lock of the space
}

// openTerminal is a terminal whose end was not shown yet.
type openTerminal struct {
	*terminal.Terminal
	run string // during which it was created, "" if between two
}

// New returns the terminals of a session that has none.
func New(session Session) *Terminals {
	return &Terminals{session: session, open: map[string]*openTerminal{}}
}

// Create runs a command for the agent, once that is allowed. It blocks until then. Errors: *terminal.Error, those of [Host], of the folder, and of starting
// the command.
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
	// The user may have thought about it for long: the folder has to be the one that was shown.
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
		// Known before the agent can name it.
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

// Serve returns the result of a request that [Serves]. It blocks until the command has ended, or ctx has, where that is what is asked for. Errors:
// *terminal.Error, and the cause of ctx.
func (ts *Terminals) Serve(ctx context.Context, method string, r Ref) (any, error) {
	if err := ts.session.Host.Is(r.SessionID); err != nil {
		return nil, err
	}
	return resultOf(ctx, &ts.set, method, r.TerminalID)
}

// follow shows what a terminal writes until its end was shown, too.
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

// Get returns a terminal whose end was not shown yet, nil if there is none with the id. The lock of the space is held.
func (ts *Terminals) Get(id string) *terminal.Terminal {
	if t := ts.open[id]; t != nil {
		return t.Terminal
	}
	return nil
}

// Len returns how many terminals there are whose end was not shown yet. The lock of the space is held.
func (ts *Terminals) Len() int { return len(ts.open) }

// TurnEnds shows the terminals that no call of the turn has named, and ends those that a turn which the user stopped has left running. The lock of the
// space is held; it doesn't wait.
func (ts *Terminals) TurnEnds(runID string, stopped bool) {
	s := &ts.session
	for id, t := range ts.open {
		s.Turns.ShowTerminal(id, false, s.Now())
		if stopped && t.run == runID {
			s.Go(func() { ts.end(t.Stop) })
		}
	}
}

// Close ends the commands of a session that has ended, and blocks until that is shown. The lock of the space isn't held.
func (ts *Terminals) Close() {
	ts.end(ts.set.Close)
	ts.session.Host.Step(func() {}) // nobody is between having seen that the session lives and following a terminal
	ts.followers.Wait()
}

// end ends a command, or all.
func (ts *Terminals) end(stop func(context.Context) error) {
	if err := Stop(stop); err != nil {
		ts.session.Log.Error().Err(err).Msg("a command in a terminal could not be ended")
	}
}

// Kill ends the command of a terminal for the user, and blocks until it is gone. Error: not_found if it has ended, or t is nil.
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
