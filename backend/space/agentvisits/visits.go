// Package agentvisits launches agents outside of any space, to ask or tell them something: what they can do, which
// sessions they have kept, to delete some of these, to sign in, to log out. The agent is ended again.
//
// The methods of [Visits] may be called from any goroutine, and block until the agent's processes are gone. Their
// errors are those of starting the agent, as the user is shown them, and those that each of them names.
package agentvisits

import (
	"context"
	"errors"
	"time"

	"weft/backend/acp"
	"weft/backend/agent"
	"weft/backend/agent/agentauth"
	"weft/backend/agent/agentproc"
	"weft/backend/agent/failure"
	"weft/backend/base/fault"
	"weft/backend/space/sessionoptions"
)

// Processes launch agents. [agentproc.Pool] implements it.
type Processes interface {
	VisitWords(agentID string) string
	Visit(ctx context.Context, config agent.Config, do func(context.Context, *acp.Conn, acp.InitializeResult) error) (acp.InitializeResult, error)
}

// Options are what [Visits] need.
type Options struct {
	Processes Processes
	// SawLogOut is told whether an agent offers to log out. It may block for the store.
	SawLogOut func(config agent.Config, offers bool)
	// Hide takes secrets out of what an agent has written.
	Hide func(string) string
	// Limit is how long an agent may take to answer.
	Limit time.Duration
}

// Visits launch agents.
type Visits struct{ opt Options }

// New returns visits.
func New(opt Options) *Visits { return &Visits{opt: opt} }

// Look initializes an agent and returns what it says of itself. An error's failure has the last lines of the agent's
// stderr.
func (v *Visits) Look(ctx context.Context, config agent.Config) (acp.InitializeResult, error) {
	return v.visit(ctx, config, func(context.Context, *acp.Conn, acp.InitializeResult) error { return nil })
}

// Earlier asks an agent for the sessions that it has kept, those of one folder if cwd is not empty. Next asks for more;
// it is empty where there are no more. Can is what the agent can do. Error: unsupported where the agent cannot list or
// load sessions.
func (v *Visits) Earlier(ctx context.Context, config agent.Config, cwd, cursor string) (list []acp.SessionInfo, next string, can sessionoptions.Can, err error) {
	about, err := v.visit(ctx, config, func(ctx context.Context, conn *acp.Conn, about acp.InitializeResult) error {
		if !about.Capabilities.ListSessions || !about.Capabilities.LoadSession {
			return fault.New("unsupported", "{{agent}} doesn't share its earlier conversations.", config.Name)
		}
		ctx, cancel := context.WithTimeout(ctx, v.opt.Limit)
		defer cancel()
		list, next, err = conn.ListSessions(ctx, cwd, cursor)
		return err
	})
	return list, next, sessionoptions.CanOf(about.Capabilities), err
}

// Forget has an agent delete sessions that it has kept. It continues with the others where the agent refuses one.
// Errors: unsupported where the agent deletes none, refused, agent_silent.
func (v *Visits) Forget(ctx context.Context, config agent.Config, sessionIDs []string) error {
	_, err := v.visit(ctx, config, func(ctx context.Context, conn *acp.Conn, about acp.InitializeResult) error {
		if !about.Capabilities.DeleteSession {
			return fault.New("unsupported", "{{agent}} doesn't support deleting conversations.", config.Name)
		}
		var errs []error
		for _, id := range sessionIDs {
			cctx, cancel := context.WithTimeout(ctx, v.opt.Limit)
			err := conn.DeleteSession(cctx, id)
			cancel()
			var refused *acp.RPCError
			switch {
			case errors.As(err, &refused):
				errs = append(errs, fault.New("refused", "{{agent}} couldn't delete it: {{reason}}", config.Name, failure.WithPeriod(refused.Message)).Because(err))
			case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
				errs = append(errs, fault.New("agent_silent", "{{agent}} didn't confirm the deletion.", config.Name).Because(err))
			case err != nil:
				return err
			}
		}
		if len(errs) > 0 {
			return errs[0]
		}
		return nil
	})
	return err
}

// Words returns the last that an agent has written beside the protocol while it is visited, "" if it isn't. It doesn't
// block.
func (v *Visits) Words(config agent.Config) string {
	return v.opt.Hide(v.opt.Processes.VisitWords(config.ID))
}

// SignIn has an agent sign in. Of a way in a terminal, it has happened by then. Error: refused.
func (v *Visits) SignIn(ctx context.Context, config agent.Config, method agentauth.Method) error {
	if method.Type == agentauth.ByTerminal {
		return nil
	}
	_, err := v.visit(ctx, config, func(ctx context.Context, conn *acp.Conn, _ acp.InitializeResult) error {
		err := conn.Authenticate(ctx, method.ID)
		var refused *acp.RPCError
		if errors.As(err, &refused) {
			if method.Type == agentauth.ByVariables && refused.Code == acp.CodeMethodNotFound {
				return nil // it only reads its environment
			}
			return fault.New("refused", "{{agent}} couldn't sign you in: {{reason}}", config.Name, v.opt.Hide(failure.WithPeriod(refused.Message))).Because(err)
		}
		return err
	})
	return err
}

// Methods returns the ways to sign in that an agent has, which some name only as they refuse to start.
func (v *Visits) Methods(ctx context.Context, config agent.Config) ([]acp.AuthMethod, error) {
	about, err := v.Look(ctx, config)
	if named := agentauth.InRefusal(err); err != nil && len(named) > 0 {
		return named, nil
	}
	return about.AuthMethods, err
}

// LogOut has an agent log out (ACP logout). Errors are those of [Visits.LogOutOf].
func (v *Visits) LogOut(ctx context.Context, config agent.Config) error {
	_, err := v.visit(ctx, config, func(ctx context.Context, conn *acp.Conn, about acp.InitializeResult) error {
		return v.LogOutOf(ctx, config, conn, about)
	})
	return err
}

// LogOutOf has an agent log out on a connection that there is. Errors: unsupported where the agent does not offer it,
// refused.
func (v *Visits) LogOutOf(ctx context.Context, config agent.Config, conn *acp.Conn, about acp.InitializeResult) error {
	if !about.Capabilities.Logout {
		return fault.New("unsupported", "{{agent}} doesn't support logging out from Weft. See its documentation.", config.Name)
	}
	ctx, cancel := context.WithTimeout(ctx, v.opt.Limit)
	defer cancel()
	err := conn.Call(ctx, "logout", nil, nil)
	var refused *acp.RPCError
	if errors.As(err, &refused) {
		return fault.New("refused", "{{agent}} couldn't log out: {{reason}}", config.Name, failure.WithPeriod(refused.Message)).Because(err)
	}
	return err
}

// visit launches an agent, initializes it, does something with it and ends it.
func (v *Visits) visit(ctx context.Context, config agent.Config, do func(context.Context, *acp.Conn, acp.InitializeResult) error) (acp.InitializeResult, error) {
	about, err := v.opt.Processes.Visit(ctx, config, func(ctx context.Context, conn *acp.Conn, about acp.InitializeResult) error {
		v.opt.SawLogOut(config, about.Capabilities.Logout)
		return do(ctx, conn, about)
	})
	var failed *agentproc.VisitError
	if errors.As(err, &failed) {
		f := failure.WithOutput(failed.Err, failed.Stderr, v.opt.Hide)
		if failed.Written != "" {
			f.Detail += "\n\nOutput that isn't a protocol message:\n" + v.opt.Hide(failed.Written)
		}
		err = &failure.Error{Failure: f}
	}
	return about, err
}
