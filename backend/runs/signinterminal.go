package runs

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"weft/backend/agent"
	"weft/backend/terminal"
)

// SignInTerminal is a sign-in that runs in a terminal of the app.
type SignInTerminal struct {
	ID      string `json:"id"`
	Command string `json:"command"`
}

// SignInOutput is what a sign-in's terminal has written since a place, or how it ended.
type SignInOutput struct {
	Text   string `json:"text"`
	Offset int64  `json:"offset"` // where Text begins, in bytes; later than asked where that is not held any more
	Next   int64  `json:"next"`   // where to go on
	Ended  bool   `json:"ended"`
	Code   int    `json:"code"`   // exit code of what ended
	Signal string `json:"signal"` // or the signal that ended it
}

// Limits of sign-ins in terminals.
const (
	maxSignIns   = 8
	signInPoll   = 20 * time.Second // the longest that a question for output waits
	signInLost   = time.Minute      // without a question, after which nobody sits there any more
	signInChunk  = 64 << 10         // bytes of one answer
	maxTyped     = 64 << 10         // bytes typed or pasted at once
	minTerminal  = 2
	maxTerminal  = 500
	signInEnding = 15 * time.Second
)

// signIns are the sign-ins that run. The zero value has none.
type signIns struct {
	mu    sync.Mutex
	known map[string]*signInRun
}

type signInRun struct {
	term  *terminal.Terminal
	watch *time.Timer // ends it when nobody looks any more
}

// StartSignIn runs a sign-in in a terminal that the person types into, in the given folder ("": home). It ends
// when [Manager.EndSignIn] is called, or when nobody has asked for its output for a minute. Errors: those of
// starting the command, and of reading the agent's secrets.
func (m *Manager) StartSignIn(ctx context.Context, config agent.Config, method Auth, folder string, size agent.Window) (SignInTerminal, error) {
	if method.Type != AuthTerminal || method.Problem != "" {
		return SignInTerminal{}, &Error{Code: "invalid", Message: "This way to sign in needs no terminal."}
	}
	env, err := m.processes.Environment(ctx, config)
	if err != nil {
		return SignInTerminal{}, err
	}
	if folder == "" {
		if folder, err = os.UserHomeDir(); err != nil {
			folder = os.TempDir()
		}
	}
	size = agent.Window{Rows: bounded(size.Rows), Cols: bounded(size.Cols)}
	m.signIns.mu.Lock()
	full := len(m.signIns.known) >= maxSignIns
	m.signIns.mu.Unlock()
	if full {
		return SignInTerminal{}, &Error{Code: "busy", Message: "There are many sign-ins open already. Close some of them first."}
	}
	id := newID("signin")
	term, err := terminal.Start(ctx, id, terminal.Spec{
		Command: method.login.command, Args: method.login.args, Env: method.environ(env), Dir: config.Dir(folder), PidDir: m.pidDir(), Typed: &size, Keys: true,
	})
	if err != nil {
		return SignInTerminal{}, err
	}
	run := &signInRun{term: term}
	run.watch = time.AfterFunc(signInLost, func() {
		m.opt.Log.Info().Str("agent", config.ID).Msg("ended a sign-in that nobody looks at")
		m.endSignIn(id)
	})
	m.signIns.mu.Lock()
	if m.signIns.known == nil {
		m.signIns.known = map[string]*signInRun{}
	}
	m.signIns.known[id] = run
	m.signIns.mu.Unlock()
	if m.isClosed() {
		m.endSignIn(id)
		return SignInTerminal{}, errClosing
	}
	return SignInTerminal{ID: id, Command: method.Command}, nil
}

func bounded(n uint16) uint16 { return min(max(n, minTerminal), maxTerminal) }

func (m *Manager) isClosed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.closed
}

func (m *Manager) signIn(id string) (*signInRun, error) {
	m.signIns.mu.Lock()
	defer m.signIns.mu.Unlock()
	if run := m.signIns.known[id]; run != nil {
		return run, nil
	}
	return nil, &Error{Code: "not_found", Message: "This sign-in is over. Begin it anew."}
}

// SignInOutput answers what the terminal has written from a place on. It blocks until there is
// something, the command has ended, or 20 s have passed. Error: not_found.
func (m *Manager) SignInOutput(ctx context.Context, id string, from int64) (SignInOutput, error) {
	run, err := m.signIn(id)
	if err != nil {
		return SignInOutput{}, err
	}
	run.watch.Reset(signInLost)
	t := run.term
	wait := time.NewTimer(signInPoll)
	defer wait.Stop()
	for {
		exit := t.Exit() // before the output is read: then that is all of it
		text, ok := t.From(from, signInChunk)
		offset := from
		if !ok {
			text, offset = t.Last(signInChunk)
		}
		out := SignInOutput{Text: text, Offset: offset, Next: offset + int64(len(text))}
		if exit != nil && out.Next == t.Size() {
			out.Ended, out.Signal = true, exit.Signal
			if exit.Code != nil {
				out.Code = *exit.Code
			}
			return out, nil
		}
		if text != "" {
			return out, nil
		}
		select {
		case <-t.Changed():
		case <-t.Exited():
		case <-wait.C:
			return out, nil
		case <-ctx.Done():
			return out, context.Cause(ctx)
		}
	}
}

// TypeSignIn types into a sign-in's terminal. Errors: not_found, invalid, not_read.
func (m *Manager) TypeSignIn(id, text string) error {
	run, err := m.signIn(id)
	if err != nil {
		return err
	}
	if len(text) > maxTyped {
		return &Error{Code: "invalid", Message: "This is too much to be typed at once."}
	}
	if err := run.term.Type(text); err != nil && run.term.Exit() == nil {
		return &Error{Code: "not_read", Message: "The command does not read what is typed.", Err: err}
	}
	return nil
}

// ResizeSignIn tells the command how large its terminal is now.
func (m *Manager) ResizeSignIn(id string, size agent.Window) error {
	run, err := m.signIn(id)
	if err != nil {
		return err
	}
	_ = run.term.Resize(agent.Window{Rows: bounded(size.Rows), Cols: bounded(size.Cols)}) // what ended has no size
	return nil
}

// EndSignIn ends a sign-in with everything that it started, and blocks until that is gone. It is no error
// if it has ended.
func (m *Manager) EndSignIn(id string) { m.endSignIn(id) }

func (m *Manager) endSignIn(id string) {
	m.signIns.mu.Lock()
	run := m.signIns.known[id]
	delete(m.signIns.known, id)
	m.signIns.mu.Unlock()
	if run == nil {
		return
	}
	run.watch.Stop()
	ctx, cancel := context.WithTimeout(context.Background(), signInEnding)
	defer cancel()
	if err := run.term.Stop(ctx); err != nil && !errors.Is(err, context.Canceled) {
		m.opt.Log.Error().Err(err).Msg("a sign-in could not be ended")
	}
}

// endSignIns ends all of them.
func (m *Manager) endSignIns() {
	m.signIns.mu.Lock()
	var ids []string
	for id := range m.signIns.known {
		ids = append(ids, id)
	}
	m.signIns.mu.Unlock()
	var wg sync.WaitGroup
	for _, id := range ids {
		wg.Go(func() { m.endSignIn(id) })
	}
	wg.Wait()
}
