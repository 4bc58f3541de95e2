package acpsession

import (
	"context"
	"errors"
	"sync"
	"time"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/rs/zerolog"

	"weft/backend/acp"
	"weft/backend/agentproc"
	"weft/backend/failure"
	"weft/backend/protocollog"
	"weft/backend/secret"
	"weft/backend/transcript"
	"weft/backend/workspace"
)

// ConnectionOptions are what a connection needs.
type ConnectionOptions struct {
	Processes *agentproc.Pool
	Session   agentproc.Session // that gets what the agent sends
	Request   agentproc.Request // how it is started
	// Log opens the protocol log.
	Log func() *protocollog.Log
	// Inside makes a step of do that belongs to what a command may wait for. The lock of the space isn't held.
	Inside func(do func())
	// Lost is called once the agent has closed the connection, or the session has left it, and everything that it had sent was handled. The lock
	// isn't held.
	Lost func()
	// Failed is called with what the agent says of a prompt that has failed. The lock isn't held.
	Failed func(err error)
	// Go runs a function in a goroutine of its own.
	Go func(func())
	// Redactor hides secrets in the last lines of the agent's stderr.
	Redactor *secret.Redactor
	AppLog   zerolog.Logger
}

// Connection is a session's connection to the process of its agent, from before the process is started until the session has left it, with what belongs
// to it: the protocol log, and the files of the folder. What is exported is set while it opens, with the lock of the space; before that it is nil.
type Connection struct {
	Lease *agentproc.Lease // on the process
	Lane  *acp.Conn        // its own lane of the connection of the process
	Log   *protocollog.Log
	Files *workspace.Files

	// Canceled is when the agent was told to end the turn that is in progress, zero if it wasn't. It belongs to whoever has the lock of the space.
	Canceled time.Time

	opt    ConnectionOptions
	ctx    context.Context // of its opening
	cancel context.CancelCauseFunc
	opened chan struct{} // closed when its opening has ended
	quit   chan struct{} // closed when it leaves the process
	ended  chan struct{} // closed when everything that the agent has sent was handled
}

// NewConnection returns a connection that is not there yet.
func NewConnection(opt ConnectionOptions) *Connection {
	c := &Connection{opt: opt, opened: make(chan struct{}), quit: make(chan struct{}), ended: make(chan struct{})}
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	return c
}

// Context ends when the session begins to leave.
func (c *Connection) Context() context.Context { return c.ctx }

// Ended is closed once everything that the agent has sent was handled, and no more can come.
func (c *Connection) Ended() <-chan struct{} { return c.ended }

// Open starts the agent, or joins a process that it has, and opens a session in it. Joined is called within the step that makes the connection known, and
// open then opens the session, without the lock. Open blocks until that has ended, or until [Connection.Leave] is called. It must be called once. The error is an
// *agentproc.ExclusiveError, or has a sentence for the user if the process was there.
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
		c.opt.AppLog.Info().Err(err).Msg("no session in this process; the space gets one in another process")
		return err
	}
	return c.explain(err)
}

// serve waits until the agent has closed the connection, or the session has left it.
func (c *Connection) serve() {
	<-c.Lane.Done()
	close(c.ended)
	c.opt.Lost()
}

// Leaving is how a session leaves its process.
type Leaving struct {
	Polite bool // the agent is told first
	Lost   bool // the agent has closed the connection
	// State returns in which state the session leaves the process. It is called without the lock.
	State func() agentproc.Detached
	// Beside is called while the session leaves, and waited for, if there was a process.
	Beside func()
}

// Leave ends the session in its process, which ends with its last session, with everything it started, and is waited for. It must be called once, after Open
// was begun; an opening in progress is given up.
func (c *Connection) Leave(how Leaving) {
	c.cancel(context.Canceled)
	<-c.opened
	if how.Polite && !c.over() && c.Lane != nil {
		d := how.State()
		c.Lease.CloseSession(context.Background(), d.SessionID, d.Unused)
	}
	if how.Lost {
		// How the process has ended is known only when it has, which it mostly does at once.
		select {
		case <-c.Lease.Process.Ended():
		case <-time.After(agentproc.EndGrace):
		}
	}
	close(c.quit)
	if c.Lease == nil {
		return
	}
	var beside sync.WaitGroup
	beside.Go(how.Beside)
	if c.Lease.Detach(how.State()) {
		<-c.ended
	}
	beside.Wait()
	_ = c.Files.Close()
	c.Log.Close()
}

// over reports whether nothing can come from the agent any more.
func (c *Connection) over() bool {
	select {
	case <-c.ended:
		return true
	default:
		return false
	}
}

// CatchUp waits until what the agent has written so far was handled, or ctx ends. It must not be called by a handler.
func (c *Connection) CatchUp(ctx context.Context) {
	c.Lease.Process.Delivered(ctx)
	c.Lane.CatchUp(ctx)
}

// Prompt gives the agent a prompt and blocks until it has ended its turn, or the session has left the process, where the agent may continue. Begin is called when
// it is the session's turn to send, without the lock: it returns what [Connection.BeginTurn] has returned, or nil if the prompt isn't sent any more.
// Release lets the next prompt of the process be sent. ctx gives up until then.
//
// Before it returns, Prompt calls the Lost of the options where the connection has ended, and else Failed where the agent has ended the turn with an error.
// These errors have a sentence for the user.
func (c *Connection) Prompt(ctx context.Context, prompt []sdk.ContentBlock, begin func(release func()) Send) (acp.PromptResult, error) {
	release, err := c.Lease.Process.BeginPrompt(ctx)
	if err != nil {
		return acp.PromptResult{}, err
	}
	if err := c.Files.Current(ctx, ""); err != nil { // it may have been replaced while others had their turn
		release()
		return acp.PromptResult{}, err
	}
	c.CatchUp(ctx) // what the agent has said before isn't an answer
	send := begin(release)
	if send == nil {
		return acp.PromptResult{}, context.Canceled
	}
	// Not ctx: a turn is stopped by session/cancel, whose answer is waited for.
	res, err := send(prompt, c.quit)
	switch {
	case err == nil:
		c.Lease.Process.CatchUp()
		return res, nil
	case errors.Is(err, acp.ErrClosed) || errors.Is(err, acp.ErrStalled):
		select {
		case <-c.ended: // what it said before comes before the error
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

// BeginTurn notes that a prompt is about to be sent to an ACP session. What it returns must be called. The lock of the space is held.
func (c *Connection) BeginTurn(sessionID string) Send {
	c.Canceled = time.Time{}
	return c.Lease.BeginTurn(sessionID)
}

// explain makes a sentence for the user of an error, with the agent's last words where it
// died.
func (c *Connection) explain(err error) error {
	return &failure.Error{Failure: c.Failure(c.Lease.Process.Cause(err, c.quit))}
}

// Failure returns what the user is shown of an error, with the last lines that the agent has written beside the protocol.
func (c *Connection) Failure(err error) transcript.Failure {
	output := ""
	if c.Lane != nil {
		output = c.Lease.Process.Output()
	}
	return failure.WithOutput(err, output, c.opt.Redactor.Text)
}
