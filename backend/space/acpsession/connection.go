package acpsession

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/rs/zerolog"

	"weft/backend/acp"
	"weft/backend/acp/protocollog"
	"weft/backend/agent/agentproc"
	"weft/backend/agent/failure"
	"weft/backend/conversation/transcript"
	"weft/backend/files/workspace"
	"weft/backend/settings/secret"
)

// ConnectionOptions are the dependencies of a [Connection].
type ConnectionOptions struct {
	Processes *agentproc.Pool
	Session   agentproc.Session // handles what the agent sends
	Request   agentproc.Request // how to start the agent
	// Log opens the protocol log.
	Log func() *protocollog.Log
	// Inside runs do as a step of the space, also while a command is being stored, because the command may wait for do.
	// The caller must not hold the lock.
	Inside func(do func())
	// Lost is called when the agent has closed the connection or the session has left it, after everything the agent sent
	// was handled. The lock isn't held.
	Lost func()
	// Failed is called with the agent's error if a prompt fails. The lock isn't held.
	Failed func(err error)
	// Go runs a function in a new goroutine.
	Go func(func())
	// Redactor hides secrets in the last lines of the agent's stderr.
	Redactor *secret.Redactor
	AppLog   zerolog.Logger
}

// Connection is a session's connection to the agent process, from before the process starts until the session has left
// it. It also holds the protocol log and the files of the folder. Open sets the exported fields, with the lock of the
// space held; before that they are nil.
type Connection struct {
	Lease *agentproc.Lease // on the process
	Lane  *acp.Conn        // the session's lane of the process's connection
	Log   *protocollog.Log
	Files *workspace.Files

	// Canceled is the time at which the agent was asked to end the current turn; zero if it wasn't. It is guarded by the
	// lock of the space.
	Canceled time.Time

	opt    ConnectionOptions
	ctx    context.Context // of Open
	cancel context.CancelCauseFunc
	opened chan struct{} // closed when Open has returned
	quit   chan struct{} // closed when the session leaves the process
	ended  chan struct{} // closed when everything the agent sent was handled
	// The end of the agent's output when its last turn ended, and the same as of the beginning of the current one. nil is
	// the beginning: before its first turn, an agent may say why it can't answer.
	told, turn atomic.Pointer[agentproc.Mark]
}

// NewConnection returns a connection that is not open.
func NewConnection(opt ConnectionOptions) *Connection {
	c := &Connection{opt: opt, opened: make(chan struct{}), quit: make(chan struct{}), ended: make(chan struct{})}
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	return c
}

// Context returns a context that ends when [Connection.Leave] is called.
func (c *Connection) Context() context.Context { return c.ctx }

// Ended returns a channel that is closed when the connection has ended and everything the agent sent was handled.
func (c *Connection) Ended() <-chan struct{} { return c.ended }

// Open starts the agent or joins a running process, calls joined in the step that sets the Lane, and then calls open,
// without the lock, to open a session. It blocks until open has returned or [Connection.Leave] is called. It must be
// called once. If the session needs another process, the error is an *agentproc.ExclusiveError or
// *agentproc.FreshError. Errors of a running process have a sentence for the user.
func (c *Connection) Open(alone, fresh bool, joined func(), open func(ctx context.Context) error) error {
	defer close(c.opened)
	files, err := workspace.Open(c.opt.Request.Folder)
	if err != nil {
		return err
	}
	log := c.opt.Log()
	req := c.opt.Request
	req.Info, req.Alone, req.Fresh = files.Info(), alone, fresh
	lease := c.opt.Processes.Acquire(c.opt.Session, req)
	c.opt.Inside(func() { c.Files, c.Log, c.Lease = files, log, lease })
	lane, err := lease.Connect(c.ctx, log)
	if err != nil {
		close(c.ended)
		return err
	}
	c.opt.Inside(func() {
		c.Lane = lane
		joined()
	})
	c.opt.Go(c.serve)
	if err = open(c.ctx); err == nil {
		return nil
	}
	var exclusive *agentproc.ExclusiveError
	var another *agentproc.FreshError
	if errors.As(err, &exclusive) || errors.As(err, &another) {
		c.opt.AppLog.Info().Err(err).Msg("couldn't open a session in this process; trying another process")
		return err
	}
	return c.explain(err)
}

// serve waits until the connection has ended and reports it.
func (c *Connection) serve() {
	<-c.Lane.Done()
	close(c.ended)
	c.opt.Lost()
}

// Leaving configures how a session leaves its process.
type Leaving struct {
	CloseSession bool // send session/close first
	Lost         bool // the agent has closed the connection
	// State returns the state of the session when it leaves. It is called without the lock.
	State func() agentproc.Detached
	// Cleanup is called if there was a process. Leave runs it in parallel and waits for it.
	Cleanup func()
}

// Leave ends the session in its process. If it was the last session, the process and everything it started end, and
// Leave waits for that. It must be called once, after Open was called; it cancels an Open in progress.
func (c *Connection) Leave(how Leaving) {
	c.cancel(context.Canceled)
	<-c.opened
	if how.CloseSession && !c.over() && c.Lane != nil {
		d := how.State()
		c.Lease.CloseSession(context.Background(), d.SessionID, d.Unused)
	}
	if how.Lost {
		// The exit status is known only after the process has exited, usually at once.
		select {
		case <-c.Lease.Process.Ended():
		case <-time.After(agentproc.EndGrace):
		}
	}
	close(c.quit)
	if c.Lease == nil {
		return
	}
	var cleanup sync.WaitGroup
	cleanup.Go(how.Cleanup)
	if c.Lease.Detach(how.State()) {
		<-c.ended
	}
	cleanup.Wait()
	_ = c.Files.Close()
	c.Log.Close()
}

// over reports whether the connection has ended.
func (c *Connection) over() bool {
	select {
	case <-c.ended:
		return true
	default:
		return false
	}
}

// CatchUp blocks until everything the agent has written so far was handled, or ctx ends. A handler must not call it.
func (c *Connection) CatchUp(ctx context.Context) {
	c.Lease.Process.Delivered(ctx)
	c.Lane.CatchUp(ctx)
}

// Prompt sends a prompt and blocks until the agent has ended its turn, or the session has left the process (where the
// agent may continue). Sessions of a process send their prompts one after another: when it is this session's turn,
// Prompt calls begin, without the lock. begin returns the result of [Connection.BeginTurn], or nil to cancel. release
// lets the next session send its prompt. ctx only applies until the prompt is sent.
//
// Before returning an error, Prompt calls ConnectionOptions.Lost if the connection has ended, or Failed if the agent
// ended the turn with an error. These errors have a sentence for the user.
func (c *Connection) Prompt(ctx context.Context, prompt []sdk.ContentBlock, begin func(release func()) Send) (acp.PromptResult, error) {
	release, err := c.Lease.Process.BeginPrompt(ctx)
	if err != nil {
		return acp.PromptResult{}, err
	}
	if err := c.Files.Current(ctx, ""); err != nil { // the folder may have been replaced while waiting
		release()
		return acp.PromptResult{}, err
	}
	c.CatchUp(ctx) // what the agent sent before isn't part of the answer
	send := begin(release)
	if send == nil {
		return acp.PromptResult{}, context.Canceled
	}
	// ctx doesn't stop a turn: session/cancel does, and the agent's response must arrive.
	res, err := send(prompt, c.quit)
	end := c.Lease.Process.Mark()
	c.told.Store(&end)
	switch {
	case err == nil:
		c.Lease.Process.CatchUp()
		return res, nil
	case errors.Is(err, acp.ErrClosed) || errors.Is(err, acp.ErrStalled):
		select {
		case <-c.ended: // report the error after everything the agent sent
		case <-c.quit:
		}
		c.opt.Lost()
		return res, c.explain(err)
	default:
		c.opt.Failed(err)
		return res, &failure.Error{Failure: c.Failure(err)}
	}
}

// Send sends a prompt and blocks until the agent has ended its turn, or quit is closed.
type Send = func(prompt []sdk.ContentBlock, quit <-chan struct{}) (acp.PromptResult, error)

// BeginTurn marks the beginning of a turn and returns a function that sends its prompt. The caller must call that
// function. The lock of the space is held.
func (c *Connection) BeginTurn(sessionID string) Send {
	c.Canceled = time.Time{}
	c.turn.Store(c.told.Load())
	return c.Lease.BeginTurn(sessionID)
}

// explain returns err as an error with a sentence for the user. If the process has died, it includes its last error
// output.
func (c *Connection) explain(err error) error {
	err = c.Lease.Process.Cause(err, c.quit)
	return &failure.Error{Failure: c.withOutput(err, agentproc.Mark{})}
}

// Failure returns the failure to show for err, which ended a turn, with the last lines that the agent has written to
// stderr since the turn before it.
func (c *Connection) Failure(err error) transcript.Failure {
	var since agentproc.Mark
	if turn := c.turn.Load(); turn != nil {
		since = *turn
	}
	return c.withOutput(err, since)
}

func (c *Connection) withOutput(err error, since agentproc.Mark) transcript.Failure {
	output := ""
	if c.Lane != nil {
		output = c.Lease.Process.OutputSince(since)
	}
	return failure.WithOutput(err, output, c.opt.Redactor.Text)
}
