package runs

import (
	"context"
	"fmt"

	"weft/backend/permission"
	"weft/backend/requests"
	"weft/backend/store/events"
	"weft/backend/store/pages"
	"weft/backend/store/permissions"
	"weft/backend/transcript"
)

// Recover ends, after a start, the messages and runs that the app's last session did not
// end: nothing runs any more. It must be called before the first session is made.
func (m *Manager) Recover(ctx context.Context) error {
	if err := m.recoverTerminals(ctx); err != nil {
		return fmt.Errorf("end lost terminals: %w", err)
	}
	list, err := m.opt.Store.Unfinished.Messages(ctx, "")
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

func (m *Manager) closeInterrupted(ctx context.Context, in pages.Interrupted) error {
	var bodies []transcript.Body
	var decisions []permissions.Decision
	for _, open := range in.OpenCalls {
		if open.Call.AwaitsAnswer() {
			continue // it can still be answered
		}
		end := endOfCall(open, requests.Shut)
		for range len(end) - 1 {
			decisions = append(decisions, m.lostDecision(ctx, in, open))
		}
		bodies = append(bodies, end...)
	}
	switch {
	case in.MessageID == "" || in.Ended:
	case in.Role == transcript.RoleAgent:
		bodies = append(bodies,
			&transcript.Error{MessageID: in.MessageID, RunID: in.RunID, Failure: interrupted},
			&transcript.MessageEnd{MessageID: in.MessageID, StopReason: "interrupted"})
	default:
		bodies = append(bodies, &transcript.MessageEnd{MessageID: in.MessageID})
	}
	if in.RunID != "" {
		bodies = append(bodies, &transcript.RunCompleted{RunID: in.RunID, StopReason: "interrupted", Error: &interrupted, SpaceID: in.Home})
	}
	if err := m.append(ctx, in.SpaceID, in.MessageID, decisions, bodies...); err != nil {
		return fmt.Errorf("end an interrupted message: %w", err)
	}
	return nil
}

// endOfCall cancels a call that was left open, after each of its open requests with what becomes of them.
func endOfCall(open pages.OpenCall, why transcript.Resolution) (bodies []transcript.Body) {
	for _, p := range open.Call.Permissions {
		if p.Outcome == "" {
			bodies = append(bodies, &transcript.PermissionResolved{
				At: open.At, ToolCallID: open.Call.ID, RequestID: p.RequestID,
				Outcome: why.Outcome, Status: transcript.StatusCancelled, By: why.By,
			})
		}
	}
	// When it stopped is not known, so there is no duration to tell.
	return append(bodies, &transcript.ToolCallEnd{At: open.At, ToolCallID: open.Call.ID, Status: transcript.StatusCancelled})
}

func (m *Manager) append(ctx context.Context, spaceID, messageID string, decisions []permissions.Decision, bodies ...transcript.Body) error {
	_, err := m.opt.Store.Events.Append(ctx, events.Append{SpaceID: spaceID, At: m.now(), Bodies: bodies, MessageID: messageID, Decisions: decisions})
	return err
}

// lostDecision is what the history keeps of a request that was open when the app ended.
func (m *Manager) lostDecision(ctx context.Context, in pages.Interrupted, open pages.OpenCall) permissions.Decision {
	call := permission.Call{Kind: open.Call.Kind, Title: open.Call.Title}
	for _, l := range open.Call.Locations {
		call.Paths = append(call.Paths, l.Path)
	}
	if detail, err := m.opt.Store.Pages.ToolDetail(ctx, in.SpaceID, in.MessageID, open.At.Segment, open.At.Item); err == nil {
		call.Input = detail.Input
		for _, c := range detail.Content {
			if c.Type == "diff" {
				call.Diffs = append(call.Diffs, c.Path)
			}
		}
	}
	place := permission.Place{SpaceID: in.SpaceID, AgentID: in.AgentID}
	if space, err := m.opt.Store.Spaces.Get(ctx, in.SpaceID); err == nil {
		place.Folder = space.Folder
	}
	lost := requests.Permission{Call: call}
	lost.Describe(place)
	d := lost.Decision(requests.Shut)
	d.At, d.SpaceID, d.AgentID, d.AgentName = m.now(), in.SpaceID, in.AgentID, in.AgentName
	return d
}
