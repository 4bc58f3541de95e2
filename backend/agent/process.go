package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"weft/backend/agent/sandbox"
	"weft/backend/base/fault"
	"weft/backend/settings/secret"
)

// Timeouts of the steps in [Process.Stop].
const (
	closeGrace = 2 * time.Second // after closing stdin
	termGrace  = 2 * time.Second // after SIGTERM
	killGrace  = 5 * time.Second // after SIGKILL; then only the kernel can help
)

// tagVariable marks every process of an agent's tree, so that one that left the tree in every other way is still
// found.
const tagVariable = "WEFT_PROCESS_ID"

// Spec is what to start.
type Spec struct {
	Name        string            // of the agent, for messages; "" for the command
	Command     string            // see [Paths.Look]
	Args        []string          // without the command itself
	Env         map[string]string // added to Weft's environment without its secrets; takes precedence
	Keys        bool              // it also gets the secrets in Weft's own environment; see secret.Variable
	Secrets     map[string]string // variables that it reads from a pipe (see secret.Withhold), not from its environment
	Hide        *secret.Redactor  // values that are removed from its environment, whatever their names; may be nil
	Dir         string            // working directory, absolute
	Sandbox     *sandbox.Plan     // the sandbox to run it in; nil for none
	PidDir      string            // folder for the record for [Sweep]; "" for no record
	InstallHint string            // half a sentence; see [Entry.InstallHint]
	Paths       *Paths            // nil for [DefaultPaths]
	TTY         *Window           // gives it a terminal instead of pipes; see [Process.Stdout]
	Typed       bool              // the user types into that terminal; see [Process.Type]
}

// Window is the size of a terminal, in characters.
type Window struct{ Rows, Cols uint16 }

func (s Spec) name() string {
	if s.Name != "" {
		return s.Name
	}
	return filepath.Base(s.Command)
}

// Process is a running agent with everything that it starts.
type Process struct {
	// Stdin is the agent's standard input. On Unix it supports write deadlines (SetWriteDeadline). Stop closes it. It
	// is nil with a terminal into which nobody types.
	Stdin *os.File
	// Stdout is the agent's standard output, for one reader. It returns everything that was written, then io.EOF, at
	// the latest when Done has fired. With a terminal it is the output of both streams, with plain line feeds unless
	// Typed is set, and ends with the program itself (see Ended).
	Stdout io.Reader

	spec    Spec
	tty     typist // nil if nobody types
	tag     string
	pid     int
	tree    *tree
	stderr  tail
	record  string // path of the pid file, or ""
	unbox   func() // ends the resources of its sandbox; may be nil
	stopped atomic.Bool
	ended   chan struct{}
	done    chan struct{}
	exit    Exit // set before ended is closed

	stopOnce sync.Once
	stopErr  error
}

// Start starts an agent. ctx limits only the start, which takes milliseconds, or up to 3 s if the login shell hasn't
// been run yet.
//
// Errors: *Error with CodeMissing, CodeNotExecutable, CodeDirMissing or CodeStartFailed; that of ctx.
func Start(ctx context.Context, spec Spec) (*Process, error) {
	if spec.Paths == nil {
		spec.Paths = DefaultPaths()
	}
	if err := checkDir(spec.Dir); err != nil {
		return nil, err
	}
	path, err := spec.Paths.Look(ctx, spec.Command)
	if err != nil {
		return nil, withHint(err, spec)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.name(), err)
	}

	p := &Process{spec: spec, tag: rand.Text(), ended: make(chan struct{}), done: make(chan struct{})}
	l := launchSpec{
		path: path, args: spec.Args, dir: spec.Dir, tag: p.tag,
		env: spec.environ(spec.Paths.search(ctx, filepath.Dir(path)), p.tag), secrets: pairs(spec.Secrets),
	}
	start := p.startPiped
	if spec.TTY != nil {
		start = p.startTTY
	}
	if spec.Sandbox != nil {
		var boxed sandbox.Command
		boxed, err = spec.Sandbox.Wrap(path, spec.Args)
		l.path, l.args, l.restriction = boxed.Path, boxed.Args, boxed.Restriction
		l.env, p.unbox = unique(append(l.env, boxed.Env...)), boxed.End
		if refused := (*sandbox.Error)(nil); errors.As(err, &refused) {
			return nil, fault.New(refused.Code, "{{name}} couldn't be started. {{reason}}", spec.name(), refused).Because(err)
		}
	}
	if err := start(ctx, l); err != nil {
		p.leaveSandbox()
		return nil, startError(err, path, spec)
	}
	return p, nil
}

// startPiped starts the program with pipes for the three streams.
func (p *Process) startPiped(ctx context.Context, l launchSpec) (err error) {
	var opened []*os.File
	pipe := func() (r, w *os.File) {
		if err == nil {
			r, w, err = os.Pipe()
			opened = append(opened, r, w)
		}
		return r, w
	}
	inR, inW := pipe()
	outR, outW := pipe()
	errR, errW := pipe()
	if err == nil {
		l.stdin, l.stdout, l.stderr = inR, outW, errW
		p.tree, err = launch(ctx, l)
	}
	if err != nil {
		for _, f := range opened {
			_ = f.Close()
		}
		return err
	}
	for _, f := range []*os.File{inR, outW, errW} {
		_ = f.Close() // the child has them
	}
	p.Stdin, p.Stdout = inW, newOutput(outR, p.done, false)
	p.launched()
	// follow is called before anyone can read what was written there.
	go p.run(outR, errR, p.stderr.follow(errR))
	return nil
}

// launched records the new process.
func (p *Process) launched() {
	p.pid = p.tree.pid
	if p.spec.PidDir != "" {
		p.record = writeRecord(p.spec.PidDir, p)
	}
}

// run owns the process until its tree is gone.
func (p *Process) run(outR, errR *os.File, follow func()) {
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		follow()
	}()
	p.await(func() {})
	// Everything that was written is in the pipe now, and the pipe ends unless a process outside of the tree has
	// stderr.
	select {
	case <-drained:
	case <-time.After(200 * time.Millisecond):
		wake(errR)
		<-drained
	}
	_ = errR.Close()
	p.gone()
	wake(outR)
}

// await returns when the tree is gone. When the program itself has ended, it sets p.exit, closes p.ended and calls
// then.
func (p *Process) await(then func()) {
	p.tree.wait(func(e Exit) {
		p.exit = e
		p.exit.Stopped = p.stopped.Load()
		close(p.ended)
		then()
	})
}

// leaveSandbox ends the resources of the sandbox.
func (p *Process) leaveSandbox() {
	if p.unbox != nil {
		p.unbox()
	}
}

// gone records that the tree is gone.
func (p *Process) gone() {
	p.leaveSandbox()
	if p.record != "" {
		_ = os.Remove(p.record)
	}
	close(p.done)
}

// typist is the user's end of a terminal.
type typist interface {
	Type(b []byte) error
	Resize(size Window) error
}

// Type types b into the program's terminal. It blocks for at most 2 s if the program doesn't read. It returns an error
// if the program has ended, or wasn't started with [Spec.Typed].
func (p *Process) Type(b []byte) error {
	if p.tty == nil {
		return errors.ErrUnsupported
	}
	return p.tty.Type(b)
}

// Resize sets the size of the program's terminal. Errors are those of Type.
func (p *Process) Resize(size Window) error {
	if p.tty == nil {
		return errors.ErrUnsupported
	}
	return p.tty.Resize(size)
}

// PID returns the process id of the agent itself.
func (p *Process) PID() int { return p.pid }

// StderrTail returns the last 64 KiB of stderr so far, including everything that was written before the stdout that
// has been read (except on Windows).
func (p *Process) StderrTail() string { return p.StderrSince(0) }

// StderrSince is StderrTail without the first n bytes of stderr: see [Process.StderrWritten].
func (p *Process) StderrSince(n int64) string {
	p.stderr.drain()
	return p.stderr.since(n)
}

// StderrWritten returns how many bytes the agent has written to stderr so far, as exactly as StderrTail.
func (p *Process) StderrWritten() int64 {
	p.stderr.drain()
	return p.stderr.written()
}

// CatchUp waits until everything that the agent has written to stdout so far has been read and the reader has read
// again, or ctx ends. On Windows it waits only for what has left the pipe, and with a console not at all.
func (p *Process) CatchUp(ctx context.Context) {
	if o, ok := p.Stdout.(*output); ok {
		o.catchUp(ctx)
	}
}

// CopyStderr writes the last 64 KiB of stderr so far to w, and then everything that follows, in order and from one
// goroutine at a time. Errors of w are ignored. While w blocks, the agent's stderr blocks too. A second call replaces
// w.
func (p *Process) CopyStderr(w io.Writer) { p.stderr.copyTo(w) }

// Done is closed when the agent and everything that it started is gone.
func (p *Process) Done() <-chan struct{} { return p.done }

// Ended is closed when the program itself has ended. What it left behind is then ended, and Done is closed.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Exit returns how the program ended. It is zero before Ended.
func (p *Process) Exit() Exit {
	select {
	case <-p.ended:
		return p.exit
	default:
		return Exit{}
	}
}

// ExitErr returns the *Error with CodeExited of an agent that ended by itself: "opencode exited with code 1." It is
// nil before Ended, and if Stop was called before that.
func (p *Process) ExitErr() error {
	select {
	case <-p.ended:
		if !p.exit.Stopped {
			return fault.New(CodeExited, "{{name}} {{exited}}.", p.spec.name(), p.exit.Said())
		}
	default:
	}
	return nil
}

// Stop ends the agent and its whole tree: it closes stdin, sends SIGTERM to all processes after 2 s and SIGKILL after
// 2 s more, and waits until they are gone. When ctx ends, it sends SIGKILL immediately. Later calls wait for the first
// one.
//
// It returns an error if a process survived SIGKILL for 5 s.
func (p *Process) Stop(ctx context.Context) error {
	p.stopOnce.Do(func() { p.stopErr = p.stop(ctx) })
	return p.stopErr
}

func (p *Process) stop(ctx context.Context) error {
	p.stopped.Store(true)
	if p.Stdin != nil {
		_ = p.Stdin.Close()
		if p.waited(ctx, closeGrace) {
			return nil
		}
	}
	p.tree.terminate()
	if p.waited(ctx, termGrace) {
		return nil
	}
	p.tree.kill()
	if p.waited(context.Background(), killGrace) {
		return nil
	}
	p.tree.abandon()
	if p.waited(context.Background(), killGrace) {
		return nil
	}
	return fmt.Errorf("stop %s: process %d survived SIGKILL", p.spec.name(), p.pid)
}

// waited reports whether the tree is gone within d. It returns early if ctx ends.
func (p *Process) waited(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.done:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// checkDir returns an error if the working directory doesn't exist.
func checkDir(dir string) error {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = errors.New("not a folder")
	}
	if err == nil && !filepath.IsAbs(dir) {
		err = errors.New("not an absolute path")
	}
	if err != nil {
		return fault.New(CodeDirMissing, "Couldn't open the folder {{folder}}. Choose another folder for this space, or create it.", strconv.Quote(dir)).Because(err)
	}
	return nil
}

// withHint adds how to install the agent to a lookup error.
func withHint(err error, spec Spec) error {
	var e *Error
	if !errors.As(err, &e) || e.Code != CodeMissing || errors.Is(err, errArguments) {
		return err
	}
	hint := fault.Say("Correct its command in Settings, or choose another agent.")
	if how, ok := strings.CutPrefix(spec.InstallHint, installWith); ok {
		hint = fault.Say("Install it with {{command}}, or choose another agent in Settings.", how)
	} else if page, ok := strings.CutPrefix(spec.InstallHint, installAt); ok {
		hint = fault.Say("Install it as described at {{page}}, or choose another agent in Settings.", page)
	} else if spec.InstallHint == CorrectCommand {
		hint = fault.Say("Install it, or correct the command.")
	} else if spec.InstallHint != "" {
		hint = fault.Say("{{hint}}, or choose another agent in Settings.", spec.InstallHint)
	}
	return fault.New(e.Code, "{{reason}} {{hint}}", e, hint).Because(e.Err)
}
