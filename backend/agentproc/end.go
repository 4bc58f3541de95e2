package agentproc

import (
	"context"
	"errors"
	"time"

	"weft/backend/acp"
	"weft/backend/agent"
	"weft/backend/fault"
)

// EndGrace is how long an agent may take to end after it has closed its output. A busy machine tells the end late.
const EndGrace = 2 * time.Second

// Retire has a process take no more sessions. It doesn't block.
func (p *Process) Retire() {
	p.mu.Lock()
	p.retired = true
	p.mu.Unlock()
	p.pool.remove(p)
}

// condemn ends a process that works on for a session that has ended: as soon as it does nothing for
// others, and soon anyway.
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

// end ends the process with everything it started, and waits for it.
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

// Ended is closed when the program has ended; what it has started may still be ending. It may be asked once [Lease.Connect] has returned.
func (p *Process) Ended() <-chan struct{} { return p.proc.Ended() }

// Output returns the last lines that the process has written beside the protocol: to stdout what isn't a message, then to stderr. It may contain
// secrets, and may be asked once [Lease.Connect] has returned.
func (p *Process) Output() string { return p.noise.String() + p.proc.StderrTail() }

// Cause returns what is behind an error of a call to the agent: that Weft has ended the process, or how the process has ended, where the connection
// has closed; otherwise err. It waits a moment for the end of the process, but not once quit is closed. It may be asked once [Lease.Connect] has
// returned.
func (p *Process) Cause(err error, quit <-chan struct{}) error {
	p.mu.Lock()
	reason := p.reason
	p.mu.Unlock()
	if reason != nil {
		return reason
	}
	return exitBehind(p.proc, err, quit)
}

func exitBehind(proc *agent.Process, err error, quit <-chan struct{}) error {
	if !errors.Is(err, acp.ErrClosed) && !errors.Is(err, acp.ErrStalled) {
		return err
	}
	select {
	case <-proc.Ended():
	case <-quit:
	case <-time.After(5 * EndGrace): // the connection ended before the process did, which is stopped after EndGrace
	}
	if exit := proc.ExitErr(); exit != nil {
		return exit
	}
	return err
}
