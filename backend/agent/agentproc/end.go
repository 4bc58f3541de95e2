package agentproc

import (
	"context"
	"errors"
	"time"

	"weft/backend/acp"
	"weft/backend/agent"
	"weft/backend/base/fault"
)

// EndGrace is how long an agent may take to exit after it has closed its output. On a busy machine its exit is noticed
// late.
const EndGrace = 2 * time.Second

// Retire makes a process accept no more sessions. It doesn't block.
func (p *Process) Retire() {
	p.mu.Lock()
	p.retired = true
	p.mu.Unlock()
	p.pool.remove(p)
}

// condemn ends a process that continues to work for a session that has ended: as soon as no other session has a turn,
// or after Limits.Others.
func (p *Process) condemn() {
	opt := &p.pool.opt
	p.Retire()
	p.mu.Lock()
	p.condemned = true
	p.reason = fault.New("agent_ended", "{{agent}} didn't stop in another space, so its process was stopped. Restart it to continue.", p.config.Name)
	now := !p.working()
	p.mu.Unlock()
	opt.Log.Warn().Str("agent", p.config.ID).Msg("an agent goes on with a turn that has ended; its process will be ended")
	if now {
		p.end()
		return
	}
	opt.Go(func() {
		timer := time.NewTimer(opt.Limits.Others)
		defer timer.Stop()
		select {
		case <-timer.C:
			p.end()
		case <-p.ended:
		}
	})
}

// end ends the process with everything that it started, and waits for it.
func (p *Process) end() {
	<-p.started
	if p.proc == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	if err := p.proc.Stop(ctx); err != nil {
		p.pool.opt.Log.Error().Err(err).Str("agent", p.config.ID).Msg("an agent could not be ended")
	} else {
		p.wrote.Do(p.stderr.End)
	}
	p.conn.Close()
}

// Ended is closed when the program has ended. Processes that it started may still be ending. It must not be called
// before [Lease.Connect] has returned.
func (p *Process) Ended() <-chan struct{} { return p.proc.Ended() }

// Output returns the last lines that the process has written outside of the protocol: what isn't a message on stdout,
// then stderr. They may contain secrets. It must not be called before [Lease.Connect] has returned.
func (p *Process) Output() string { return p.OutputSince(Mark{}) }

// Mark is a point in the output of a process outside of the protocol. The zero value is its beginning.
type Mark struct {
	noise  int   // bytes
	stderr int64 // bytes
}

// Mark returns the current end of the output. It must not be called before [Lease.Connect] has returned.
func (p *Process) Mark() Mark { return Mark{p.noise.written(), p.proc.StderrWritten()} }

// OutputSince is [Process.Output] without what was written before a mark.
func (p *Process) OutputSince(m Mark) string {
	return p.noise.since(m.noise) + p.proc.StderrSince(m.stderr)
}

// Cause returns the cause of an error of a call to the agent: that Weft has ended the process or, if the connection
// was closed, how the process has ended; otherwise err. It waits a moment for the end of the process and of its output,
// unless quit is closed. It must not be called before [Lease.Connect] has returned.
func (p *Process) Cause(err error, quit <-chan struct{}) error {
	p.mu.Lock()
	reason := p.reason
	p.mu.Unlock()
	if reason != nil {
		return reason
	}
	exit := exitBehind(p.proc, err, quit)
	if errors.Is(err, acp.ErrClosed) { // the program may have closed its input before its output was read
		select {
		case <-p.ended:
		case <-quit:
		case <-time.After(EndGrace):
		}
	}
	return exit
}

func exitBehind(proc *agent.Process, err error, quit <-chan struct{}) error {
	if !errors.Is(err, acp.ErrClosed) && !errors.Is(err, acp.ErrStalled) {
		return err
	}
	select {
	case <-proc.Ended():
	case <-quit:
	case <-time.After(5 * EndGrace): // the connection ended before the process, which is stopped after EndGrace
	}
	if exit := proc.ExitErr(); exit != nil {
		return exit
	}
	return err
}
