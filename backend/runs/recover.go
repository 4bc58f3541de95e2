package runs

import (
	"context"
	"fmt"

	"weft/backend/store"
	"weft/backend/transcript"
)

// Recover ends, after a start, the messages and runs that the app's last session did not
// end: nothing runs any more. It is to be called before the first session is made.
func (m *Manager) Recover(ctx context.Context) error {
	if err := m.recoverTerminals(ctx); err != nil {
		return fmt.Errorf("end lost terminals: %w", err)
	}
	list, err := m.opt.Store.Interrupted(ctx)
	if err != nil {
		return fmt.Errorf("look for interrupted runs: %w", err)
	}
	for _, in := range list {
		if err := m.closeInterrupted(ctx, in); err != nil {
			return err
		}
	}
	return nil
}

var interrupted = transcript.Failure{
	Code: "interrupted", Message: "Weft was closed while the agent was working. What it had said until then is here.", Retryable: true,
}

func (m *Manager) closeInterrupted(ctx context.Context, in store.Interrupted) error {
	var bodies []transcript.Body
	for _, open := range in.OpenCalls {
		for _, p := range open.Call.Permissions {
			if p.Outcome == "" {
				bodies = append(bodies, &transcript.PermissionResolved{At: open.At, ToolCallID: open.Call.ID, RequestID: p.RequestID, Outcome: "lost", Status: transcript.StatusCancelled})
			}
		}
		// When it stopped is not known, so there is no duration to tell.
		bodies = append(bodies, &transcript.ToolCallEnd{At: open.At, ToolCallID: open.Call.ID, Status: transcript.StatusCancelled})
	}
	if in.MessageID != "" && in.Role == transcript.RoleAgent {
		bodies = append(bodies,
			&transcript.Error{MessageID: in.MessageID, RunID: in.RunID, Failure: interrupted},
			&transcript.MessageEnd{MessageID: in.MessageID, StopReason: "interrupted"})
	} else if in.MessageID != "" {
		bodies = append(bodies, &transcript.MessageEnd{MessageID: in.MessageID})
	}
	if in.RunID != "" {
		bodies = append(bodies, &transcript.RunCompleted{RunID: in.RunID, StopReason: "interrupted", Error: &interrupted})
	}
	if err := m.append(ctx, in.SpaceID, in.MessageID, bodies...); err != nil {
		return fmt.Errorf("end an interrupted message: %w", err)
	}
	return nil
}

func (m *Manager) append(ctx context.Context, spaceID, messageID string, bodies ...transcript.Body) error {
	_, err := m.opt.Store.Append(ctx, store.Append{SpaceID: spaceID, At: m.now(), Bodies: bodies, MessageID: messageID})
	return err
}
