package tool

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os/exec"
	"time"
)

// pipeGrace is how long, once a command has ended or was asked to, what it has started may hold on to its output.
const pipeGrace = 500 * time.Millisecond

// tagVariable marks what a command starts, so that what has left its process group is found as well.
const tagVariable = "WEFT_SHELL_ID"

// process is a command with everything that it starts. It needs no supervisor: where the agent has one, that is a
// second line.
type process struct {
	cmd     *exec.Cmd
	tag     string
	tree    tree
	stopped bool // it was ended from here; valid once wait has returned
}

// newProcess makes a process that ends with ctx. Both of its outputs go to out, in order.
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

// wait blocks until the command has ended and everything that it started is gone.
func (p *process) wait() exited {
	err := p.cmd.Wait()
	p.tree.end(p.cmd.Process.Pid, p.tag)
	var exit *exec.ExitError
	var e exited
	if errors.As(err, &exit) {
		e.code = exit.ExitCode()
		e.signal = signalOf(exit.ProcessState)
	} else if p.cmd.ProcessState != nil {
		e.code = max(0, p.cmd.ProcessState.ExitCode()) // it ended well, and something held on to its output
	}
	return e
}
