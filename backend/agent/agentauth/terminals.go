package agentauth

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/agent"
	"weft/backend/agent/terminal"
	"weft/backend/base/fault"
)

// Terminal is a sign-in that runs in a terminal of the app.
type Terminal struct {
	ID      string `json:"id"`
	Command string `json:"command"`
}

// Output is what a sign-in's terminal has written since an offset, or how it ended.
type Output struct {
	Text   string `json:"text"`
	Offset int64  `json:"offset"` // where Text begins, in bytes; later than requested if that is no longer kept
	Next   int64  `json:"next"`   // the offset for the next request
	Ended  bool   `json:"ended"`
	Code   int    `json:"code"`   // exit code of a command that has ended
	Signal string `json:"signal"` // or the signal that ended it
}

// Limits of sign-ins in terminals.
const (
	maxRunning  = 8
	pollTime    = 20 * time.Second // the longest that a request for output blocks
	lostAfter   = time.Minute      // if output isn't requested for so long, nobody is looking at the terminal
	outputChunk = 64 << 10         // bytes of one Output
	maxTyped    = 64 << 10         // bytes typed or pasted at once
	minSize     = 2
	maxSize     = 500
	endTime     = 15 * time.Second
)

// TerminalOptions configure [Terminals].
type TerminalOptions struct {
	PidDir string // see agent.Spec
	// Environment returns an agent's own variables with their secrets. It may block for the keychain.
	Environment func(ctx context.Context, config agent.Config) (map[string]string, error)
	Log         zerolog.Logger
}

// Terminals are the sign-ins that run in terminals. They are safe for concurrent use.
type Terminals struct {
	opt TerminalOptions

	mu      sync.Mutex
	running map[string]*running
	closed  bool
}

type running struct {
	term  *terminal.Terminal
	watch *time.Timer // ends it when nobody looks at it anymore
}

// NewTerminals returns Terminals without any sign-ins.
func NewTerminals(opt TerminalOptions) *Terminals {
	return &Terminals{opt: opt, running: map[string]*running{}}
}

// Start runs a sign-in in a terminal for the user, in the given folder ("": the home folder). It runs until
// [Terminals.End] is called, or until its output hasn't been requested for a minute. Errors: invalid, busy, closing,
// those of starting the command, and of reading the agent's secrets.
func (t *Terminals) Start(ctx context.Context, config agent.Config, method Method, folder string, size agent.Window) (Terminal, error) {
	if method.Type != ByTerminal || method.Problem != "" {
		return Terminal{}, fault.New(fault.Invalid, "This sign-in method doesn't use a terminal.")
	}
	env, err := t.opt.Environment(ctx, config)
	if err != nil {
		return Terminal{}, err
	}
	if folder == "" {
		if folder, err = os.UserHomeDir(); err != nil {
			folder = os.TempDir()
		}
	}
	size = bounded(size)
	t.mu.Lock()
	full := len(t.running) >= maxRunning
	t.mu.Unlock()
	if full {
		return Terminal{}, fault.New(fault.Busy, "Too many sign-ins are open. Close some of them first.")
	}
	id := "signin_" + rand.Text()[:20]
	term, err := terminal.Start(ctx, id, terminal.Spec{
		Command: method.login.command, Args: method.login.args, Env: method.login.over(env), Dir: config.Dir(folder), PidDir: t.opt.PidDir, Typed: &size, Keys: true,
	})
	if err != nil {
		return Terminal{}, err
	}
	run := &running{term: term}
	run.watch = time.AfterFunc(lostAfter, func() {
		t.opt.Log.Info().Str("agent", config.ID).Msg("ended a sign-in that no one is looking at")
		t.End(id)
	})
	t.mu.Lock()
	closed := t.closed
	t.running[id] = run
	t.mu.Unlock()
	if closed {
		t.End(id)
		return Terminal{}, fault.New("closing", "Weft is closing.")
	}
	return Terminal{ID: id, Command: method.Command}, nil
}

func bounded(size agent.Window) agent.Window {
	return agent.Window{Rows: min(max(size.Rows, minSize), maxSize), Cols: min(max(size.Cols, minSize), maxSize)}
}

func (t *Terminals) get(id string) (*running, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if run := t.running[id]; run != nil {
		return run, nil
	}
	return nil, fault.New(fault.NotFound, "This sign-in has ended. Start it again.")
}

// Output returns the terminal's output from an offset on. It blocks until there is some, the command has ended, or 20
// s have passed. Error: not_found.
func (t *Terminals) Output(ctx context.Context, id string, from int64) (Output, error) {
	run, err := t.get(id)
	if err != nil {
		return Output{}, err
	}
	run.watch.Reset(lostAfter)
	term := run.term
	wait := time.NewTimer(pollTime)
	defer wait.Stop()
	for {
		exit := term.Exit() // before reading the output, so that the output is complete
		text, ok := term.From(from, outputChunk)
		offset := from
		if !ok {
			text, offset = term.Last(outputChunk)
		}
		out := Output{Text: text, Offset: offset, Next: offset + int64(len(text))}
		if exit != nil && out.Next == term.Size() {
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
		case <-term.Changed():
		case <-term.Exited():
		case <-wait.C:
			return out, nil
		case <-ctx.Done():
			return out, context.Cause(ctx)
		}
	}
}

// Type sends the user's input to a terminal. Errors: not_found, invalid, not_read.
func (t *Terminals) Type(id, text string) error {
	run, err := t.get(id)
	if err != nil {
		return err
	}
	if len(text) > maxTyped {
		return fault.New(fault.Invalid, "This text is too long to type at once.")
	}
	if err := run.term.Type(text); err != nil && run.term.Exit() == nil {
		return fault.New("not_read", "The command isn't reading its input.").Because(err)
	}
	return nil
}

// Resize changes the size of a terminal. Error: not_found.
func (t *Terminals) Resize(id string, size agent.Window) error {
	run, err := t.get(id)
	if err != nil {
		return err
	}
	_ = run.term.Resize(bounded(size)) // fails if the command has ended
	return nil
}

// End ends a sign-in and all processes that it started, and blocks until they are gone. It does nothing if the
// sign-in has ended.
func (t *Terminals) End(id string) {
	t.mu.Lock()
	run := t.running[id]
	delete(t.running, id)
	t.mu.Unlock()
	if run == nil {
		return
	}
	run.watch.Stop()
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	if err := run.term.Stop(ctx); err != nil && !errors.Is(err, context.Canceled) {
		t.opt.Log.Error().Err(err).Msg("a sign-in could not be ended")
	}
}

// Close ends all sign-ins and blocks until they are gone. No more can be started.
func (t *Terminals) Close() {
	t.mu.Lock()
	t.closed = true
	var ids []string
	for id := range t.running {
		ids = append(ids, id)
	}
	t.mu.Unlock()
	var wg sync.WaitGroup
	for _, id := range ids {
		wg.Go(func() { t.End(id) })
	}
	wg.Wait()
}
