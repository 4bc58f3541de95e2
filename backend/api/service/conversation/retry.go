package conversation

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/command"
	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
	"weft/backend/gateway"
	"weft/backend/space/runs"
)

// CallRef names a call in a message.
type CallRef struct {
	SpaceID    string `json:"spaceId"`
	MessageID  string `json:"messageId"`
	ToolCallID string `json:"toolCallId"`
}

// RetryCall runs a failed call again. If the gateway runs the tool, Weft calls it, shows the new result in the same
// place, and sends the result to the agent with its next prompt. The built-in agent begins its next turn with the call.
// Weft asks any other agent to repeat it. Errors: not_found, conflict (it has not failed, or the agent is working).
func (s *Prompts) RetryCall(ctx context.Context, req CallRef) (command.None, error) {
	again, err := s.failedCall(ctx, req)
	if err != nil {
		return command.None{}, err
	}
	if s.spaces.Works(again.Of.SpaceID, again.Of.MemberID) {
		return command.None{}, fault.New(fault.Conflict, "The agent is still working. Try again when it has finished, or stop it first.")
	}
	input := again.Call.Input
	if again.Call.InputRef != nil {
		raw, _, err := s.store.Blobs.Bytes(ctx, again.Call.InputRef.Hash)
		if err != nil {
			return command.None{}, err
		}
		input = raw
	}
	if tool, ok := s.tools.Repeatable(&again.Call); ok {
		caller := gateway.Caller{SpaceID: again.Of.SpaceID, MemberID: again.Of.MemberID, AgentID: again.agent}
		return command.None{}, s.runs.Tools().RepeatBy(ctx, again.ToRepeat, func(ctx context.Context) (jsontext.Value, error) {
			return s.tools.Repeat(ctx, caller, tool, input)
		})
	}
	name := again.Call.Title
	if name == "" {
		name = again.Call.Name
	}
	text := fmt.Sprintf("Please try this tool call again: %s. It failed: %s", name, again.Call.Error)
	if !s.runs.Tools().NoteRepeat(ctx, again.Of, again.Call.Name, input) && len(input) > 0 && len(input) < 2000 {
		text += fmt.Sprintf("\n\nIts arguments were: %s", input)
	}
	_, _, err = s.runs.Prompts().Send(ctx, again.Of.SpaceID, []string{again.Of.MemberID}, text)
	return command.None{}, err
}

type failedCall struct {
	runs.ToRepeat
	agent string
}

// failedCall returns a failed call and its author.
func (s *Prompts) failedCall(ctx context.Context, req CallRef) (c failedCall, err error) {
	if err := s.store.Events.Flush(ctx, req.SpaceID); err != nil {
		return c, err
	}
	m, err := s.store.Pages.Message(ctx, req.SpaceID, req.MessageID)
	if err != nil {
		return c, err
	}
	asker, err := s.store.Pages.Asker(ctx, req.SpaceID, req.MessageID)
	if err != nil {
		return c, err
	}
	c.Of, c.SpaceID, c.MessageID, c.agent = runs.MemberKey{SpaceID: req.SpaceID, MemberID: m.Author.MemberID}, req.SpaceID, m.ID, m.Author.ID
	if asker.Source != "" { // it may be a call from another space
		c.Of = runs.MemberKey{SpaceID: asker.Source, MemberID: asker.MemberID}
	}
	for i, segment := range m.Segments {
		for k, item := range segment.Items {
			if item.Call == nil || item.Call.ID != req.ToolCallID {
				continue
			}
			if item.Call.Status != transcript.StatusFailed {
				return c, fault.New(fault.Conflict, "This call hasn't failed.")
			}
			c.Call, c.At = *item.Call, transcript.At{MessageID: m.ID, Segment: i, Item: k}
			return c, nil
		}
	}
	return c, fault.New(fault.NotFound, "This call no longer exists.")
}
