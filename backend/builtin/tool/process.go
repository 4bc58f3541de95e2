package tool

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os/exec"
	"time"
)

// pipeGrace is how long children may keep the output open after the command has ended or was asked to end.
const pipeGrace = 500 * time.Millisecond

// tagVariable is an environment variable that marks a command's children, so that those that left its process group are
// found too.
const tagVariable = "WEFT_SHELL_ID"

// process is a command with all its children. It doesn't need a supervisor; one of the agent is a second line of
// defense.
type process struct {
	cmd     *exec.Cmd
	tag     string
	tree    tree
	stopped bool // it was canceled; valid after wait has returned
}

// newProcess returns a process that ends with ctx. Its stdout and stderr go to out, in order.
func newProcess(ctx context.Context, path string, args []string, dir string, out io.Writer) *process {
	p := &process{cmd: exec.CommandContext(ctx, path, args...), tag: rand.Text()}
	p.cmd.Dir, p.cmd.Env = dir, append(environment(), tagVariable+"="+p.tag)
	p.cmd.Stdout, p.cmd.Stderr = out, out // one pipe for both; input is the null device
	p.cmd.WaitDelay = pipeGrace
	p.cmd.Cancel = func() error {
		p.stopped = true
		p.tree.ask(p.cmd.Process.Pid)
		return nil
	}
	return p
}

func (p *process) start() error {
	p.tree.prepare(p.cmd)
	if err := p.cmd.Start(); err != nil {
		return err
	}
	p.tree.admit(p.cmd.Process.Pid)
	return nil
}

// wait blocks until the command and all its children have ended.
func (p *process) wait() exited {
	err := p.cmd.Wait()
	p.tree.end(p.cmd.Process.Pid, p.tag)
	var exit *exec.ExitError
	var e exited
	if errors.As(err, &exit) {
		e.code = exit.ExitCode()
		e.signal = signalOf(exit.ProcessState)
	} else if p.cmd.ProcessState != nil {
		e.code = max(0, p.cmd.ProcessState.ExitCode()) // it succeeded, but a child kept the output open
	}
	return e
}
