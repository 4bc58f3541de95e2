package service

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"weft/backend/attachment"
	"weft/backend/runs"
	"weft/backend/service/ref"
)

// MaxPrompt is the largest prompt, in bytes.
const MaxPrompt = 8 << 20

// SendPrompt says something to members of a space, and queues it for those that work. Where a run waits for any reply in the space and nobody is
// named, it is that run's answer.
func (s *Service) SendPrompt(ctx context.Context, req SendPromptRequest) (SendPromptResult, error) {
	if strings.TrimSpace(req.Text) == "" {
		if len(req.Parts) == 0 {
			return SendPromptResult{}, invalid("Write something first.")
		}
		req.Text = ""
	}
	if err := sendable(req.Text); err != nil {
		return SendPromptResult{}, err
	}
	parts, err := s.parts(ctx, req.SpaceID, req.Parts)
	if err != nil {
		return SendPromptResult{}, err
	}
	if req.Answers != "" || len(req.To) == 0 {
		answered, id, err := s.runs.Reply(ctx, req.SpaceID, req.Answers, req.Text, parts...)
		var e *runs.Error
		if err == nil || req.Answers != "" || !errors.As(err, &e) || e.Code != "not_waiting" {
			return SendPromptResult{PromptID: id, Answered: answered}, err
		}
	}
	return s.send(ctx, req.SpaceID, req.To, req.Text, parts)
}

func sendable(text string) error {
	if len(text) > MaxPrompt {
		return invalid("This prompt is larger than 8 MB. Put the text into a file in the space's folder and mention that.")
	}
	return nil
}

func (s *Service) send(ctx context.Context, spaceID string, to []string, text string, parts []runs.Part) (SendPromptResult, error) {
	queued, id, err := s.runs.Send(ctx, spaceID, to, text, parts...)
	if err != nil {
		return SendPromptResult{}, err
	}
	if text == "" {
		text = attachment.Shown(cmp.Or(parts[0].Name, parts[0].Path))
	}
	s.title(ctx, spaceID, text, "prompt")
	return SendPromptResult{Queued: queued, PromptID: id}, nil
}

// EditQueued changes a prompt that waits.
func (s *Service) EditQueued(ctx context.Context, req QueuedPromptRequest) (none, error) {
	if strings.TrimSpace(req.Text) == "" {
		return none{}, invalid("Write something, or remove the prompt.")
	}
	return none{}, s.runs.EditQueued(ctx, req.SpaceID, req.PromptID, req.Text)
}

// RemoveQueued takes a prompt that waits out of the queue.
func (s *Service) RemoveQueued(ctx context.Context, req QueuedPromptRequest) (none, error) {
	return none{}, s.runs.EditQueued(ctx, req.SpaceID, req.PromptID, "")
}

// SendQueued sends a prompt that waits, after a stop.
func (s *Service) SendQueued(ctx context.Context, req QueuedPromptRequest) (none, error) {
	return none{}, s.runs.SendQueued(ctx, req.SpaceID, req.PromptID)
}

// StopRun asks a member to end its turn; without one, all of the space. With a run it is that one alone, in whatever space it works.
func (s *Service) StopRun(ctx context.Context, req StopRunRequest) (none, error) {
	if req.RunID != "" {
		return none{}, s.runs.StopRun(ctx, req.RunID)
	}
	return none{}, s.runs.Stop(ctx, req.SpaceID, req.MemberID)
}

// RetryRun sends the last prompt once more, to that member.
func (s *Service) RetryRun(ctx context.Context, req ref.MemberRef) (SendPromptResult, error) {
	text, parts, err := s.lastPrompt(ctx, req.SpaceID)
	if err != nil {
		return SendPromptResult{}, err
	}
	if text == "" && len(parts) == 0 {
		return SendPromptResult{}, &Error{Code: "not_found", Message: "There is no prompt to send again."}
	}
	if s.works(req.SpaceID, req.MemberID) {
		return SendPromptResult{}, &Error{Code: "conflict", Message: "The agent is still working. Stop it first."}
	}
	return s.send(ctx, req.SpaceID, someone(req.MemberID), text, parts)
}

// works reports whether a member has a turn in progress; "" is any of the space.
func (s *Service) works(spaceID, memberID string) bool {
	return slices.ContainsFunc(s.runs.State(spaceID).Runs, func(r runs.RunState) bool { return r.Home == "" && (memberID == "" || r.MemberID == memberID) })
}

func someone(memberID string) []string {
	if memberID == "" {
		return nil
	}
	return []string{memberID}
}

// RestartAgent starts a member's agent anew, continues its session where it can, and
// asks it to go on.
func (s *Service) RestartAgent(ctx context.Context, req ref.MemberRef) (none, error) {
	text, parts, err := s.lastPrompt(ctx, req.SpaceID)
	if err != nil {
		return none{}, err
	}
	return none{}, s.runs.Restart(ctx, req.SpaceID, req.MemberID, runs.ContinuePrompt, runs.Prompt{Text: text, Parts: parts})
}

// AnswerPermission answers a permission request.
func (s *Service) AnswerPermission(ctx context.Context, req AnswerPermissionRequest) (none, error) {
	return none{}, s.runs.Answer(ctx, req.SpaceID, req.RequestID, req.OptionID)
}
