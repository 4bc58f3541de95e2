// Package unfinished ends what has no end in the store although nothing of it is running: work that was interrupted
// when the app was closed or crashed, and work that was copied into a branch while it was running.
//
// It appends the missing events: open permission requests are lost or canceled, open calls are canceled, messages and
// runs end as interrupted. It must be called before anything runs in the spaces in question. All methods block for
// the store.
package unfinished

import (
	"context"
	"fmt"

	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
	"weft/backend/permission"
	"weft/backend/space/requests"
	"weft/backend/store"
	"weft/backend/store/events"
	"weft/backend/store/pages"
	"weft/backend/store/permissions"
	"weft/backend/store/spaces"
)

// Work lists unfinished work in the store, in one space or, with "", in all of them. [pages.Unfinished] implements
// it.
type Work interface {
	Messages(ctx context.Context, spaceID string) ([]pages.Interrupted, error)
	Terminals(ctx context.Context, spaceID string) ([]pages.LiveTerminal, error)
}

// Ender ends unfinished work. Its fields are parts of the store.
type Ender struct {
	Work   Work
	Events interface {
		Append(ctx context.Context, a events.Append) ([]transcript.Event, error)
	}
	Pages interface {
		ToolDetail(ctx context.Context, spaceID, messageID string, segment, item int) (pages.ToolDetail, error)
	}
	Spaces interface {
		Get(ctx context.Context, id string) (spaces.Space, error)
	}
	Now func() int64 // unix ms
}

// In returns an Ender for a store.
func In(s *store.Store, now func() int64) *Ender {
	return &Ender{Work: s.Unfinished, Events: s.Events, Pages: s.Pages, Spaces: s.Spaces, Now: now}
}

// AfterStart ends, at startup, everything that the app's last session left unfinished.
func (e *Ender) AfterStart(ctx context.Context) error {
	if err := e.endTerminals(ctx, "", true); err != nil {
		return fmt.Errorf("end lost terminals: %w", err)
	}
	list, err := e.Work.Messages(ctx, "")
	if err != nil {
		return fmt.Errorf("look for interrupted runs: %w", err)
	}
	for _, in := range list {
		if err := e.endInterrupted(ctx, in); err != nil {
			return err
		}
	}
	return nil
}

// OfBranch ends what was copied into a branch unfinished. If the app crashes before it is done, [Ender.AfterStart]
// ends the rest.
func (e *Ender) OfBranch(ctx context.Context, spaceID string) error {
	if err := e.endTerminals(ctx, spaceID, false); err != nil {
		return err
	}
	list, err := e.Work.Messages(ctx, spaceID)
	if err != nil {
		return err
	}
	for _, in := range list {
		var bodies []transcript.Body
		for _, open := range in.OpenCalls {
			bodies = append(bodies, endOfCall(open, requests.Stopped)...)
		}
		if !in.Ended {
			bodies = append(bodies, &transcript.MessageEnd{MessageID: in.MessageID, StopReason: transcript.StopBranched})
		}
		if err := e.append(ctx, spaceID, in.MessageID, nil, bodies...); err != nil {
			return err
		}
	}
	return nil
}

// endTerminals ends terminals that were running; lost means that their processes ended without Weft.
func (e *Ender) endTerminals(ctx context.Context, spaceID string, lost bool) error {
	list, err := e.Work.Terminals(ctx, spaceID)
	if err != nil {
		return err
	}
	for _, t := range list {
		end := &transcript.TerminalEnd{At: t.At, ToolCallID: t.ToolCallID, TerminalID: t.TerminalID, TerminalExit: transcript.TerminalExit{Lost: lost}}
		if err := e.append(ctx, t.SpaceID, t.At.MessageID, nil, end); err != nil {
			return err
		}
	}
	return nil
}

var interrupted = transcript.Failure{
	Code: "interrupted", Message: fault.Text("Weft was closed while the agent was working. Its answer up to then is kept."), Retryable: true,
}

func (e *Ender) endInterrupted(ctx context.Context, in pages.Interrupted) error {
	var bodies []transcript.Body
	var decisions []permissions.Decision
	for _, open := range in.OpenCalls {
		if open.Call.AwaitsAnswer() {
			continue // it can still be answered
		}
		end := endOfCall(open, requests.Shut)
		for range len(end) - 1 {
			decisions = append(decisions, e.lostDecision(ctx, in, open))
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
	if err := e.append(ctx, in.SpaceID, in.MessageID, decisions, bodies...); err != nil {
		return fmt.Errorf("end an interrupted message: %w", err)
	}
	return nil
}

// endOfCall cancels a call that was left open, after resolving its open requests with why.
func endOfCall(open pages.OpenCall, why transcript.Resolution) (bodies []transcript.Body) {
	for _, p := range open.Call.Permissions {
		if p.Outcome == "" {
			bodies = append(bodies, &transcript.PermissionResolved{
				At: open.At, ToolCallID: open.Call.ID, RequestID: p.RequestID,
				Outcome: why.Outcome, Status: transcript.StatusCancelled, By: why.By,
			})
		}
	}
	// It isn't known when it stopped, so there is no duration.
	return append(bodies, transcript.NotDone(open.At, open.Call.ID, transcript.StatusCancelled))
}

func (e *Ender) append(ctx context.Context, spaceID, messageID string, decisions []permissions.Decision, bodies ...transcript.Body) error {
	_, err := e.Events.Append(ctx, events.Append{SpaceID: spaceID, At: e.Now(), Bodies: bodies, MessageID: messageID, Decisions: decisions})
	return err
}

// lostDecision returns the history entry for a request that was open when the app ended.
func (e *Ender) lostDecision(ctx context.Context, in pages.Interrupted, open pages.OpenCall) permissions.Decision {
	call := permission.Call{Kind: open.Call.Kind, Title: open.Call.Title}
	for _, l := range open.Call.Locations {
		call.Paths = append(call.Paths, l.Path)
	}
	if detail, err := e.Pages.ToolDetail(ctx, in.SpaceID, in.MessageID, open.At.Segment, open.At.Item); err == nil {
		call.Input = detail.Input
		for _, c := range detail.Content {
			if c.Type == "diff" {
				call.Diffs = append(call.Diffs, c.Path)
			}
		}
	}
	place := permission.Place{SpaceID: in.SpaceID, AgentID: in.AgentID}
	if space, err := e.Spaces.Get(ctx, in.SpaceID); err == nil {
		place.Folder = space.Folder
	}
	lost := requests.Permission{Call: call}
	lost.Describe(place)
	d := lost.Decision(requests.Shut)
	d.At, d.SpaceID, d.AgentID, d.AgentName = e.Now(), in.SpaceID, in.AgentID, in.AgentName
	return d
}
