package terminal

import (
	"cmp"
	"context"
	"io"
	"strings"
	"sync/atomic"

	"weft/backend/agent"
	"weft/backend/fault"
	"weft/backend/sandbox"
	"weft/backend/secret"
)

// The bounds of what is held of an output, in bytes.
const (
	DefaultLimit = 1 << 20   // of an agent that asks for none
	MaxLimit     = 4 << 20   // of any
	leastKept    = 256 << 10 // for the user, whatever the agent wants
)

// Size is that of every terminal. It is wide enough for most tables and narrow enough for the
// transcript.
var Size = agent.Window{Rows: 24, Cols: 90}

// maxLine is the longest command, in bytes; the system's own limit is not far.
const maxLine = 128 << 10

// Spec says what to run.
type Spec struct {
	Command string
	Args    []string
	Env     map[string]string // see environment
	Dir     string            // absolute
	Limit   *int64            // bytes of output that the agent wants; nil: [DefaultLimit]
	PidDir  string            // see agent.Spec
	Paths   *agent.Paths      // agent.DefaultPaths if nil
	Keys    bool              // see agent.Spec
	Sandbox *sandbox.Plan     // likewise
	Hide    *secret.Redactor  // hides its secrets in the environment and in the output; may be nil
	Typed   *agent.Window     // the user types into it, in a window of this size; nil: nobody does
}

// Exit is how a command ended: with a code, or by a signal.
type Exit struct {
	Code   *int
	Signal string // "SIGTERM"
}

// Terminal is one command, running or ended. Its methods may be called from any goroutine.
type Terminal struct {
	id     string
	limit  int
	proc   *agent.Process
	out    *output
	killed atomic.Bool
	exited chan struct{}
}

// Start runs a command. ctx bounds the start only. Errors: those of agent.Start, and
// *Error with CodeInvalid.
func Start(ctx context.Context, id string, s Spec) (*Terminal, error) {
	size := len(s.Command)
	for _, arg := range s.Args {
		size += len(arg) + 1
	}
	switch {
	case strings.TrimSpace(s.Command) == "":
		return nil, fault.New(CodeInvalid, "The command is empty.")
	case size > maxLine:
		return nil, fault.New(CodeInvalid, "The command is longer than 128 KB. Write it to a script in the space's folder and run that.")
	case strings.ContainsRune(s.Command+strings.Join(s.Args, ""), 0):
		return nil, fault.New(CodeInvalid, "The command contains a NUL character.")
	}
	limit := int64(DefaultLimit)
	if s.Limit != nil {
		limit = min(max(*s.Limit, 0), MaxLimit)
	}
	s.Paths = cmp.Or(s.Paths, agent.DefaultPaths())
	command, args := program(ctx, s.Paths, s)
	env, window := environment(s.Env), &Size
	if s.Typed != nil {
		env, window = typedEnvironment(s.Env), s.Typed
	}
	proc, err := agent.Start(ctx, agent.Spec{
		Name: s.Command, Command: command, Args: args, Env: env, Dir: s.Dir, PidDir: s.PidDir, Paths: s.Paths,
		Keys: s.Keys, Sandbox: s.Sandbox, Hide: s.Hide, TTY: window, Typed: s.Typed != nil, InstallHint: agent.CorrectCommand,
	})
	if err != nil {
		return nil, err
	}
	t := &Terminal{id: id, limit: int(limit), proc: proc, out: newOutput(max(int(limit), leastKept)), exited: make(chan struct{})}
	go t.read(s.Hide.Stream())
	return t, nil
}

func (t *Terminal) read(hide *secret.Stream) {
	_, _ = io.CopyBuffer(hidden{hide, t.out}, onlyReader{t.proc.Stdout}, make([]byte, 64<<10))
	<-t.proc.Ended()
	_, _ = t.out.Write(hide.End())
	t.out.end()
	close(t.exited)
}

// onlyReader keeps io.Copy to the buffer that it was given.
type onlyReader struct{ io.Reader }

// hidden takes secrets out of what goes to an output.
type hidden struct {
	secrets *secret.Stream
	out     *output
}

func (h hidden) Write(b []byte) (int, error) {
	_, _ = h.out.Write(h.secrets.Next(b)) // never fails
	return len(b), nil
}

// ID is what the agent calls the terminal.
func (t *Terminal) ID() string { return t.id }

// Output returns the end of the output, at most as long as the agent wanted it, and whether
// there was more.
func (t *Terminal) Output() (text string, truncated bool) {
	text, offset := t.out.last(t.limit)
	return text, offset > 0
}

// Exited is closed when the command has ended and its output is complete.
func (t *Terminal) Exited() <-chan struct{} { return t.exited }

// Exit says how the command ended; nil while it runs.
func (t *Terminal) Exit() *Exit {
	select {
	case <-t.exited:
	default:
		return nil
	}
	e := t.proc.Exit()
	switch {
	case e.Lost:
		return &Exit{Signal: "SIGKILL"} // with its supervisor
	case e.Signal != "":
		return &Exit{Signal: e.Signal}
	}
	return &Exit{Code: &e.Code}
}

// Stop ends the command with everything that it has started, by SIGTERM and then SIGKILL, and
// waits until it is gone and [Terminal.Exit] says so. The output stays. An ended command is left as it is.
func (t *Terminal) Stop(ctx context.Context) error {
	err := t.proc.Stop(ctx)
	if err == nil {
		select {
		case <-t.exited:
		case <-ctx.Done(): // someone who was handed the output still writes
		}
	}
	return err
}

// Kill is Stop on the user's behalf. It reports whether there was something to end.
func (t *Terminal) Kill(ctx context.Context) (bool, error) {
	select {
	case <-t.exited:
		return false, nil
	default:
	}
	t.killed.Store(true)
	return true, t.Stop(ctx)
}

// Type types text into a terminal that was started with [Spec.Typed]; see [agent.Process.Type].
func (t *Terminal) Type(text string) error { return t.proc.Type([]byte(text)) }

// Resize tells the command how large its terminal is now.
func (t *Terminal) Resize(size agent.Window) error { return t.proc.Resize(size) }

// Killed reports whether the user ended it.
func (t *Terminal) Killed() bool { return t.killed.Load() }

// Size is how many bytes of text there have been.
func (t *Terminal) Size() int64 { return t.out.size() }

// From returns at most n bytes of the output from a place on, cut at characters. It is not
// ok where that is not held any more.
func (t *Terminal) From(offset int64, n int) (text string, ok bool) { return t.out.from(offset, n) }

// Last returns the last n bytes of what is held of the output, from a character on, and where
// they begin.
func (t *Terminal) Last(n int) (text string, offset int64) { return t.out.last(n) }

// Changed gets a value when there is more output. It is for one reader.
func (t *Terminal) Changed() <-chan struct{} { return t.out.changed }
