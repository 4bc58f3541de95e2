package runs

import (
	"context"
	"errors"

	"weft/backend/acp"
	"weft/backend/agent"
	"weft/backend/failure"
)

// Forget launches an agent outside of any space and has it delete sessions that it has kept. It continues with the others
// where it refuses one, and blocks until the agent's processes are gone. Error: unsupported where the agent deletes none.
func (m *Manager) Forget(ctx context.Context, config agent.Config, sessionIDs []string) error {
	_, err := m.visit(ctx, config, func(ctx context.Context, conn *acp.Conn, about acp.InitializeResult) error {
		if !about.Capabilities.DeleteSession {
			return &Error{Code: "unsupported", Message: config.Name + " does not delete conversations for others."}
		}
		var errs []error
		for _, id := range sessionIDs {
			cctx, cancel := context.WithTimeout(ctx, m.opt.Limits.Session)
			err := conn.DeleteSession(cctx, id)
			cancel()
			var refused *acp.RPCError
			switch {
			case errors.As(err, &refused):
				errs = append(errs, &Error{Code: "refused", Message: config.Name + " did not delete it: " + failure.WithPeriod(refused.Message), Err: err})
			case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
				errs = append(errs, &Error{Code: "agent_silent", Message: config.Name + " did not say that it has deleted it.", Err: err})
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
