package terminal

import (
	"cmp"
	"context"
	"io"
	"strings"
	"sync/atomic"

	"weft/backend/agent"
	"weft/backend/agent/sandbox"
	"weft/backend/base/fault"
	"weft/backend/settings/secret"
)

// The limits of kept output, in bytes.
const (
	DefaultLimit = 1 << 20   // if the agent sets none
	MaxLimit     = 4 << 20   // maximum for any agent
	leastKept    = 256 << 10 // for the user, whatever limit the agent sets
)

// Size is the size of every terminal. It is wide enough for most tables and narrow enough for the transcript.
var Size = agent.Window{Rows: 24, Cols: 90}

// maxLine is the maximum length of a command in bytes, close to the system's own limit.
const maxLine = 128 << 10

// Spec describes the command to run.
type Spec struct {
	Command string
	Args    []string
	Env     map[string]string // see environment
	Dir     string            // absolute
	Limit   *int64            // bytes of output to keep for the agent; nil: [DefaultLimit]
	PidDir  string            // see agent.Spec
	Paths   *agent.Paths      // agent.DefaultPaths if nil
	Keys    bool              // see agent.Spec
	Sandbox *sandbox.Plan     // likewise
	Hide    *secret.Redactor  // hides its secrets in the environment and in the output; may be nil
	Typed   *agent.Window     // if set, the user types into it, in a window of this size
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

// Start runs a command. ctx limits only the start. Errors: those of agent.Start, and *Error with CodeInvalid.
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

// onlyReader makes io.Copy use the buffer that it was given.
type onlyReader struct{ io.Reader }

// hidden removes secrets from what is written to an output.
type hidden struct {
	secrets *secret.Stream
	out     *output
}

func (h hidden) Write(b []byte) (int, error) {
	_, _ = h.out.Write(h.secrets.Next(b)) // never fails
	return len(b), nil
}

// ID returns the agent's id of the terminal.
func (t *Terminal) ID() string { return t.id }

// Output returns the end of the output, up to the agent's limit, and whether it was truncated.
func (t *Terminal) Output() (text string, truncated bool) {
	text, offset := t.out.last(t.limit)
	return text, offset > 0
}

// Exited is closed when the command has ended and its output is complete.
func (t *Terminal) Exited() <-chan struct{} { return t.exited }

// Exit returns how the command ended, or nil while it runs.
func (t *Terminal) Exit() *Exit {
	select {
	case <-t.exited:
	default:
		return nil
	}
	e := t.proc.Exit()
	switch {
	case e.Lost:
		return &Exit{Signal: "SIGKILL"} // killed with its supervisor
	case e.Signal != "":
		return &Exit{Signal: e.Signal}
	}
	return &Exit{Code: &e.Code}
}

// Stop ends the command and all processes that it started, with SIGTERM and then SIGKILL. It blocks until they are gone
// and [Terminal.Exit] is set. The output stays. It does nothing if the command has ended.
func (t *Terminal) Stop(ctx context.Context) error {
	err := t.proc.Stop(ctx)
	if err == nil {
		select {
		case <-t.exited:
		case <-ctx.Done(): // another process that inherited the output still writes
		}
	}
	return err
}

// Kill is Stop on the user's behalf. It reports whether the command was running.
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

// Resize changes the size of the terminal.
func (t *Terminal) Resize(size agent.Window) error { return t.proc.Resize(size) }

// Killed reports whether the user ended the command.
func (t *Terminal) Killed() bool { return t.killed.Load() }

// Size returns the number of bytes of output so far.
func (t *Terminal) Size() int64 { return t.out.size() }

// From returns at most n bytes of the output from an offset on, cut at character boundaries. ok is false if they are no
// longer kept.
func (t *Terminal) From(offset int64, n int) (text string, ok bool) { return t.out.from(offset, n) }

// Last returns at most the last n kept bytes of the output, beginning at a character, and their offset.
func (t *Terminal) Last(n int) (text string, offset int64) { return t.out.last(n) }

// Changed receives a value when there is more output. It supports one reader.
func (t *Terminal) Changed() <-chan struct{} { return t.out.changed }
