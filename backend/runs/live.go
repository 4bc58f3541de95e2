package runs

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"weft/backend/acp"
	"weft/backend/acpsession"
	"weft/backend/agent"
	"weft/backend/agentcalls"
	"weft/backend/agentfiles"
	"weft/backend/agentproc"
	"weft/backend/failure"
	"weft/backend/lifecycle"
	"weft/backend/protocollog"
	"weft/backend/sandbox"
	"weft/backend/terminal"
	"weft/backend/transcript"
	"weft/backend/usage"
	"weft/backend/workspace"
)

// liveSession is a session of ours with a running agent.
type liveSession struct {
	s       *Session
	stage   *lifecycle.Stage[*liveSession]
	config  agent.Config
	ctx     context.Context // of its opening
	cancel  context.CancelCauseFunc
	dropped atomic.Bool   // it is closing, or gone
	opened  chan struct{} // closed when its opening has ended
	quit    chan struct{} // closed when it leaves its process
	ended   chan struct{} // closed when the connection has delivered everything

	// Set while it opens, with the lock.
	lease *agentproc.Lease // on the agent's process
	conn  *acp.Conn        // its own lane of the process's connection
	log   *protocollog.Log
	files *workspace.Files

	terminals terminal.Set
	followers sync.WaitGroup // one for each terminal

	// Under the lock of the space.
	session  *acpsession.Session
	calls    *agentcalls.Calls[*message]
	live     map[string]*liveTerminal
	measured usage.Measured   // of the run, by the model proxy
	read     agentfiles.Known // the files that the agent has read through Weft
	plan     *sandbox.Plan    // of the agent's process; nil: it is in no sandbox

	pulse     *pulse    // of the prompt that is in progress, until the agent has sent something
	prompted  bool      // the session was given a prompt
	cancelled time.Time // when the agent was told to stop the turn that is in progress
}

// run starts the agent, or joins a process that it has, and opens the session as it is to be. It blocks; l.ctx gives up.
func (l *liveSession) run(fresh bool) error {
	defer close(l.opened)
	files, err := workspace.Open(l.s.space.Folder)
	if err != nil {
		return err
	}
	log := protocollog.Open(l.s.m.ProtocolPath(l.s.space.ID, l.s.member.ID), l.s.m.opt.Now, l.s.m.opt.Log, l.s.m.redactor())
	lease := l.s.m.processes.Acquire(l, agentproc.Request{Config: l.config, Folder: l.s.space.Folder, Sandbox: l.plan, Alone: l.stage.How().Alone, Fresh: fresh})
	l.s.Inside()
	l.files, l.log, l.lease = files, log, lease
	l.s.Unlock()
	if err := l.begin(); err != nil {
		return err
	}
	l.s.m.tasks.Go(l.serve)
	if open := l.stage.How().Open; open != nil {
		err = open(l, l.ctx)
	} else {
		err = l.session.Open(l.ctx)
	}
	if err == nil {
		return nil
	}
	var alone *agentproc.ExclusiveError
	if errors.As(err, &alone) {
		l.s.m.opt.Log.Info().Err(err).Str("space", l.s.space.ID).Msg("no session in a shared process; the space gets one of its own")
		return err
	}
	return l.explain(err)
}

// begin waits for the process and takes a lane of its connection.
func (l *liveSession) begin() error {
	conn, err := l.lease.Connect(l.ctx, l.log)
	if err != nil {
		close(l.ended)
		return err
	}
	l.s.Inside()
	l.conn = conn
	l.session.Join(l.opener())
	l.s.Unlock()
	return nil
}

// serve waits until the agent has closed the connection, or the session has left it.
func (l *liveSession) serve() {
	<-l.conn.Left()
	close(l.ended)
	l.s.Lock()
	defer l.s.Unlock()
	l.stage.Lost()
}

// leave ends the session in its process, which ends with its last session, with everything it started, and is waited for.
func (l *liveSession) leave(how lifecycle.Ending) {
	l.cancel(context.Canceled)
	<-l.opened
	if how.Polite && !over(l.ended) && l.conn != nil {
		d := l.detached()
		l.lease.CloseSession(context.Background(), d.SessionID, d.Unused)
	}
	if how.Lost {
		// How the process has ended is known only when it has, which it mostly does at once.
		select {
		case <-l.lease.Process.Exited():
		case <-time.After(agentproc.EndGrace):
		}
	}
	close(l.quit)
	if l.lease != nil {
		var terminals sync.WaitGroup
		terminals.Go(l.endTerminals)
		if l.lease.Detach(l.detached()) {
			<-l.ended
		}
		terminals.Wait()
		_ = l.files.Close()
		l.log.Close()
	}
	l.session.End()
}

// detached is the state in which the session leaves its process.
func (l *liveSession) detached() agentproc.Detached {
	l.s.Lock()
	defer l.s.Unlock()
	return agentproc.Detached{SessionID: l.session.ID(), Unused: l.session.Unsaid(), Canceled: l.cancelled}
}

// over reports whether a channel is closed.
func over(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// opener opens sessions in the process that the session has joined.
func (l *liveSession) opener() *acpsession.Opener {
	m := l.s.m
	return &acpsession.Opener{
		Lease: l.lease, Conn: l.conn, Agent: l.config.Name, Folder: l.s.space.Folder, Servers: l.session.Give, Asking: l.Asking, Go: m.tasks.Go,
		Limit: m.opt.Limits.Session, Share: m.opt.Limits.Share, Log: m.opt.Log.With().Str("agent", l.config.ID).Logger(),
	}
}

// say prepares the session for a prompt: one in which something was said is kept for later.
func (l *liveSession) say(ctx context.Context, r *run) error {
	l.s.Lock()
	unsaid, forgot := l.session.Unsaid(), l.session.Forgot()
	l.s.Unlock()
	told, err := l.history(ctx, r, unsaid)
	if err != nil {
		return err
	}
	if err := l.session.Keep(ctx); err != nil {
		return err
	}
	l.s.Lock()
	defer l.s.Unlock()
	l.session.Said()
	if r.told = told; told != nil {
		l.noteTold(r, unsaid, forgot)
	}
	return nil
}

// explain makes a sentence for the user of an error, with the agent's last words where it
// died.
func (l *liveSession) explain(err error) error {
	return &failure.Error{Failure: l.failure(l.lease.Process.Cause(err, l.quit))}
}

func (l *liveSession) failure(err error) transcript.Failure {
	stderr := ""
	if l.conn != nil {
		stderr = l.lease.Process.StderrTail()
	}
	return failure.WithOutput(err, stderr, l.s.m.redactor().Text)
}
