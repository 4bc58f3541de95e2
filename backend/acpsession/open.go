package acpsession

import (
	"context"
	"errors"
	"time"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/rs/zerolog"

	"weft/backend/acp"
	"weft/backend/agentproc"
	"weft/backend/fault"
	"weft/backend/quantity"
)

// Opener opens a session in a process that is initialized. Its methods block until the agent has answered, or a limit has passed; it doesn't run while the
// user is asked something. Where that is the reason, the error is a *fault.Error with the code agent_silent.
type Opener struct {
	Lease  *agentproc.Lease
	Conn   *acp.Conn // of the lease
	Agent  string    // its name
	Folder string    // that the session works in
	// Servers returns the MCP servers that the session is handed. It may block.
	Servers func() []sdk.McpServer
	// Without is told that the agent has refused them, and opens the session without any.
	Without func()
	// Asking reports whether the user is asked something in the session.
	Asking func() bool
	// Go runs a function in a goroutine of its own.
	Go func(func())
	// Limit is how long the agent may take, Share how long in a process that has other sessions.
	Limit, Share time.Duration
	Log          zerolog.Logger
}

// New makes a session. In a process that serves others too, whatever is refused or takes long may be because of them: the error is an
// *agentproc.ExclusiveError then.
func (o *Opener) New(ctx context.Context) (acp.SessionResult, error) {
	done, err := o.Lease.Process.BeginOpening(ctx)
	if err != nil {
		return acp.SessionResult{}, err
	}
	defer done()
	shared := o.Lease.Shared()
	limit := o.Limit
	if shared {
		limit = min(limit, o.Share)
	}
	sctx, cancel := agentproc.Within(ctx, limit, o.Asking)
	defer cancel()
	var res acp.SessionResult
	err = o.given(func(servers []sdk.McpServer) (err error) {
		res, err = o.Conn.NewSession(sctx, sdk.NewSessionRequest{Cwd: o.Folder, McpServers: servers})
		return err
	})
	switch {
	case err == nil:
		return res, nil
	case errors.Is(err, acp.ErrSessionTaken), shared && Refused(err), shared && errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return res, &agentproc.ExclusiveError{Err: err, Always: true}
	}
	return res, o.silent(ctx, err)
}

// Resume continues a session that is not replayed. The error is [acp.ErrSessionTaken] if the process has that session already.
func (o *Opener) Resume(ctx context.Context, id string) (acp.SessionResult, error) {
	sctx, cancel := agentproc.Within(ctx, o.Limit, o.Asking)
	defer cancel()
	var res acp.SessionResult
	err := o.given(func(servers []sdk.McpServer) (err error) {
		res, err = o.Conn.ResumeSession(sctx, sdk.ResumeSessionRequest{SessionId: sdk.SessionId(id), Cwd: o.Folder, McpServers: servers})
		return err
	})
	return res, o.silent(ctx, err)
}

// errBegun says that a session isn't loaded once more, because part of it was replayed.
var errBegun = errors.New("its replay has begun")

// Load continues a session that the agent replays. It returns when the replay is over and was handled, however long that takes: it gives up when
// nothing has come for the limit. The error is [acp.ErrSessionTaken] if the process has that session already.
func (o *Opener) Load(ctx context.Context, id string, r *Replay) (acp.SessionResult, error) {
	loadCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	o.Go(func() {
		tick := time.NewTicker(o.Limit)
		defer tick.Stop()
		for heard := r.Heard(); ; heard = r.Heard() {
			select {
			case <-tick.C:
				if r.Heard() == heard {
					cancel(context.DeadlineExceeded)
					return
				}
			case <-loadCtx.Done():
				return
			}
		}
	})
	var res acp.SessionResult
	err := o.given(func(servers []sdk.McpServer) (err error) {
		if r.begun.Load() {
			return errBegun
		}
		res, err = o.Conn.LoadSession(loadCtx, sdk.LoadSessionRequest{SessionId: sdk.SessionId(id), Cwd: o.Folder, McpServers: servers})
		return err
	})
	if err == nil {
		r.wait(loadCtx, o.Conn.Done())
	}
	return res, o.silent(ctx, err)
}

// Fork opens a copy of a session. ok is false if the agent makes none. The error is an *agentproc.ExclusiveError if the process has the copy already.
func (o *Opener) Fork(ctx context.Context, id string) (res acp.SessionResult, ok bool, err error) {
	done, err := o.Lease.Process.BeginOpening(ctx)
	if err != nil {
		return res, false, err
	}
	defer done()
	sctx, cancel := agentproc.Within(ctx, o.Limit, o.Asking)
	defer cancel()
	err = o.given(func(servers []sdk.McpServer) (err error) {
		res, err = o.Conn.ForkSession(sctx, id, o.Folder, servers)
		return err
	})
	switch {
	case err == nil:
		return res, true, nil
	case errors.Is(err, acp.ErrSessionTaken):
		return res, false, &agentproc.ExclusiveError{Err: err}
	case errors.Is(err, acp.ErrAuthRequired), errors.Is(err, acp.ErrClosed), errors.Is(err, acp.ErrStalled), sctx.Err() != nil:
		return res, false, o.silent(ctx, err)
	}
	o.Log.Info().Err(err).Msg("the agent did not copy a session for a branch; it is told the conversation")
	return res, false, nil
}

// given has a session opened with its MCP servers, and once more without them where the agent refuses that.
func (o *Opener) given(open func(servers []sdk.McpServer) error) error {
	servers := o.Servers()
	err := open(servers)
	var refused *acp.RPCError
	if len(servers) == 0 || !errors.As(err, &refused) || refused.AsksForSignIn() || refused.Code == acp.CodeMethodNotFound || refused.Code == acp.CodeNotFound {
		return err
	}
	if open([]sdk.McpServer{}) != nil {
		return err // it wasn't because of them
	}
	o.Log.Warn().Err(err).Msg("the agent refused MCP servers, so its session is opened without them")
	o.Without()
	return nil
}

// About implements [Agent].
func (o *Opener) About(ctx context.Context) (acp.InitializeResult, error) {
	select {
	case <-o.Lease.Process.Ready():
	case <-ctx.Done():
		return acp.InitializeResult{}, context.Cause(ctx)
	}
	return o.Lease.Process.About()
}

// Initialize implements [Agent].
func (o *Opener) Initialize(ctx context.Context) { o.Lease.Process.Initialize(ctx) }

// Authenticate implements [Agent]. It has no time limit: the user signs in meanwhile.
func (o *Opener) Authenticate(ctx context.Context, methodID string) error {
	return o.Conn.Authenticate(ctx, methodID)
}

// Choose implements [Agent].
func (o *Opener) Choose(ctx context.Context, sessionID string, option acp.Option, value jsontext.Value) (list jsontext.Value, err error) {
	cctx, cancel := context.WithTimeout(ctx, o.Limit)
	defer cancel()
	return o.Conn.Choose(cctx, sessionID, option, value)
}

// silent makes a sentence of a session that was not opened in time. ctx is the caller's, which may have given up by itself.
func (o *Opener) silent(ctx context.Context, err error) error {
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return fault.New("agent_silent", "{{agent}} didn't open a session within {{time}}.", o.Agent, quantity.Seconds(o.Limit)).Because(err)
	}
	return err
}

// Refused reports whether the agent has answered with an error, other than that it wants a sign-in first: it can't do what it was asked, or
// doesn't know the session any more.
func Refused(err error) bool {
	var refused *acp.RPCError
	return errors.As(err, &refused) && !errors.Is(err, acp.ErrAuthRequired)
}
