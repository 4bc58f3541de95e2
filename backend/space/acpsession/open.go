package acpsession

import (
	"context"
	"errors"
	"time"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/rs/zerolog"

	"weft/backend/acp"
	"weft/backend/agent/agentproc"
	"weft/backend/base/fault"
	"weft/backend/base/quantity"
)

// Opener opens a session in an initialized process. Its methods block until the agent has answered or the time limit
// has passed. The limit is suspended while the user is asked something. After a timeout, the error is a *fault.Error
// with the code agent_silent.
type Opener struct {
	Lease  *agentproc.Lease
	Conn   *acp.Conn // of the lease
	Agent  string    // the agent's name
	Folder string    // the session's working directory
	// Servers returns the MCP servers for the session. It may block.
	Servers func() []sdk.McpServer
	// ServersRefused is called if the agent refused the MCP servers and opened the session without them.
	ServersRefused func()
	// Asking reports whether a question in the session waits for the user.
	Asking func() bool
	// Go runs a function in a new goroutine.
	Go func(func())
	// Limit is the time limit of a request; Share is a shorter one for session/new in a process with other sessions.
	Limit, Share time.Duration
	Log          zerolog.Logger
}

// New creates a session. If the process has other sessions, these may be why the agent refuses or doesn't answer in
// time: the error is then an *agentproc.ExclusiveError.
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
	err = o.withServers(func(servers []sdk.McpServer) (err error) {
		res, err = o.Conn.NewSession(sctx, sdk.NewSessionRequest{Cwd: o.Folder, McpServers: servers})
		return err
	})
	switch {
	case err == nil:
		return res, nil
	case errors.Is(err, acp.ErrSessionTaken), shared && Refused(err), shared && errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return res, &agentproc.ExclusiveError{Err: err, Always: true}
	}
	return res, o.explainTimeout(ctx, err)
}

// Resume continues a session without a replay. The error is [acp.ErrSessionTaken] if the process already has the
// session.
func (o *Opener) Resume(ctx context.Context, id string) (acp.SessionResult, error) {
	sctx, cancel := agentproc.Within(ctx, o.Limit, o.Asking)
	defer cancel()
	var res acp.SessionResult
	err := o.withServers(func(servers []sdk.McpServer) (err error) {
		res, err = o.Conn.ResumeSession(sctx, sdk.ResumeSessionRequest{SessionId: sdk.SessionId(id), Cwd: o.Folder, McpServers: servers})
		return err
	})
	return res, o.explainTimeout(ctx, err)
}

// errBegun prevents a second session/load after part of the session was replayed.
var errBegun = errors.New("the replay has begun")

// Load continues a session with a replay. It returns when the replay has ended and was handled. There is no limit for
// the whole replay: Load fails if no update arrives for o.Limit. The error is [acp.ErrSessionTaken] if the process
// already has the session.
func (o *Opener) Load(ctx context.Context, id string, r *Replay) (acp.SessionResult, error) {
	loadCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	o.Go(func() {
		tick := time.NewTicker(o.Limit)
		defer tick.Stop()
		for count := r.UpdateCount(); ; count = r.UpdateCount() {
			select {
			case <-tick.C:
				if r.UpdateCount() == count {
					cancel(context.DeadlineExceeded)
					return
				}
			case <-loadCtx.Done():
				return
			}
		}
	})
	var res acp.SessionResult
	err := o.withServers(func(servers []sdk.McpServer) (err error) {
		if r.begun.Load() {
			return errBegun
		}
		res, err = o.Conn.LoadSession(loadCtx, sdk.LoadSessionRequest{SessionId: sdk.SessionId(id), Cwd: o.Folder, McpServers: servers})
		return err
	})
	if err == nil {
		r.wait(loadCtx, o.Conn.Done())
	}
	return res, o.explainTimeout(ctx, err)
}

// Fork opens a copy of a session. ok is false if the agent refuses. The error is an *agentproc.ExclusiveError if
// another session of the process has the id of the copy.
func (o *Opener) Fork(ctx context.Context, id string) (res acp.SessionResult, ok bool, err error) {
	done, err := o.Lease.Process.BeginOpening(ctx)
	if err != nil {
		return res, false, err
	}
	defer done()
	sctx, cancel := agentproc.Within(ctx, o.Limit, o.Asking)
	defer cancel()
	err = o.withServers(func(servers []sdk.McpServer) (err error) {
		res, err = o.Conn.ForkSession(sctx, id, o.Folder, servers)
		return err
	})
	switch {
	case err == nil:
		return res, true, nil
	case errors.Is(err, acp.ErrSessionTaken):
		return res, false, &agentproc.ExclusiveError{Err: err}
	case errors.Is(err, acp.ErrAuthRequired), errors.Is(err, acp.ErrClosed), errors.Is(err, acp.ErrStalled), sctx.Err() != nil:
		return res, false, o.explainTimeout(ctx, err)
	}
	o.Log.Info().Err(err).Msg("the agent didn't copy the session for a branch; sending it the conversation instead")
	return res, false, nil
}

// withServers calls open with the MCP servers, and again without them if the agent refuses.
func (o *Opener) withServers(open func(servers []sdk.McpServer) error) error {
	servers := o.Servers()
	err := open(servers)
	var refused *acp.RPCError
	if len(servers) == 0 || !errors.As(err, &refused) || refused.AsksForSignIn() || refused.Code == acp.CodeMethodNotFound || refused.Code == acp.CodeNotFound {
		return err
	}
	if open([]sdk.McpServer{}) != nil {
		return err // the servers weren't the reason
	}
	o.Log.Warn().Err(err).Msg("the agent refused the MCP servers; opened the session without them")
	o.ServersRefused()
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

// Authenticate implements [Agent]. It has no time limit, because it waits for the user to sign in.
func (o *Opener) Authenticate(ctx context.Context, methodID string) error {
	return o.Conn.Authenticate(ctx, methodID)
}

// Choose implements [Agent].
func (o *Opener) Choose(ctx context.Context, sessionID string, option acp.Option, value jsontext.Value) (list jsontext.Value, err error) {
	cctx, cancel := context.WithTimeout(ctx, o.Limit)
	defer cancel()
	return o.Conn.Choose(cctx, sessionID, option, value)
}

// explainTimeout replaces err by a sentence for the user if the time limit has passed. ctx is the caller's, without the
// limit.
func (o *Opener) explainTimeout(ctx context.Context, err error) error {
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return fault.New("agent_silent", "{{agent}} didn't open a session within {{time}}.", o.Agent, quantity.Seconds(o.Limit)).Because(err)
	}
	return err
}

// Refused reports whether the agent answered with an error other than [acp.ErrAuthRequired]: it doesn't support the
// method or doesn't know the session.
func Refused(err error) bool {
	var refused *acp.RPCError
	return errors.As(err, &refused) && !errors.Is(err, acp.ErrAuthRequired)
}
