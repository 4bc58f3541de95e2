package conversation

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"weft/backend/api/service/ref"
	"weft/backend/api/service/spaces"
	"weft/backend/api/service/tools"
	"weft/backend/base/command"
	"weft/backend/base/fault"
	"weft/backend/files/attachment"
	"weft/backend/space/prompt"
	"weft/backend/space/runs"
	"weft/backend/store"
)

// Prompts sends the user's prompts to members of spaces.
type Prompts struct {
	store       *store.Store
	runs        *runs.Manager
	spaces      *spaces.Spaces
	attachments *Attachments
	tools       *tools.OwnServer
}

// NewPrompts returns prompts for the spaces of a store. It retries failed tool calls through the tool server.
func NewPrompts(st *store.Store, manager *runs.Manager, all *spaces.Spaces, files *Attachments, tools *tools.OwnServer) *Prompts {
	return &Prompts{store: st, runs: manager, spaces: all, attachments: files, tools: tools}
}

// maxPrompt is the maximum size of a prompt, in bytes.
const maxPrompt = 8 << 20

// SendPrompt sends a prompt to members of a space, or queues it for busy ones. If `to` is empty and a run waits for any
// reply in the space, the prompt is the reply to that run. Errors: not_waiting if the wait named by `answers` has
// ended.
func (s *Prompts) SendPrompt(ctx context.Context, req SendPromptRequest) (SendPromptResult, error) {
	if strings.TrimSpace(req.Text) == "" {
		if len(req.Parts) == 0 {
			return SendPromptResult{}, fault.New(fault.Invalid, "Enter a message.")
		}
		req.Text = ""
	}
	if err := checkPrompt(req.Text); err != nil {
		return SendPromptResult{}, err
	}
	parts, err := s.attachments.parts(ctx, req.SpaceID, req.Parts)
	if err != nil {
		return SendPromptResult{}, err
	}
	if req.Answers != "" || len(req.To) == 0 {
		answered, id, err := s.runs.Prompts().Reply(ctx, req.SpaceID, req.Answers, req.Text, parts...)
		var e *runs.Error
		if err == nil || req.Answers != "" || !errors.As(err, &e) || e.Code != "not_waiting" {
			return SendPromptResult{PromptID: id, Answered: answered}, err
		}
	}
	return s.send(ctx, req.SpaceID, req.To, req.Text, parts)
}

// checkPrompt returns why a text can't be a prompt, or nil.
func checkPrompt(text string) error {
	if len(text) > maxPrompt {
		return fault.New(fault.Invalid, "This prompt is larger than 8 MB. Put the text in a file in the space's folder and mention the file.")
	}
	return nil
}

// send sends a prompt to members of a space, and names a new space after it.
func (s *Prompts) send(ctx context.Context, spaceID string, to []string, text string, parts []runs.Part) (SendPromptResult, error) {
	queued, id, err := s.runs.Prompts().Send(ctx, spaceID, to, text, parts...)
	if err != nil {
		return SendPromptResult{}, err
	}
	if text == "" {
		text = attachment.Shown(cmp.Or(parts[0].Name, parts[0].Path))
	}
	s.spaces.Title(ctx, spaceID, text, spaces.TitledByPrompt)
	return SendPromptResult{Queued: queued, PromptID: id}, nil
}

// EditQueued changes a queued prompt.
func (s *Prompts) EditQueued(ctx context.Context, req QueuedPromptRequest) (command.None, error) {
	if strings.TrimSpace(req.Text) == "" {
		return command.None{}, fault.New(fault.Invalid, "Enter a message, or remove the prompt.")
	}
	return command.None{}, s.runs.Prompts().EditQueued(ctx, req.SpaceID, req.PromptID, req.Text)
}

// RemoveQueued removes a prompt from the queue.
func (s *Prompts) RemoveQueued(ctx context.Context, req QueuedPromptRequest) (command.None, error) {
	return command.None{}, s.runs.Prompts().EditQueued(ctx, req.SpaceID, req.PromptID, "")
}

// MoveQueued moves a queued prompt. Errors: not_found if the agent has started the prompt, changed if it has started
// the one in `before`.
func (s *Prompts) MoveQueued(ctx context.Context, req MoveQueuedRequest) (command.None, error) {
	return command.None{}, s.runs.Prompts().MoveQueued(ctx, req.SpaceID, req.PromptID, req.Before)
}

// SendQueued sends a queued prompt now. Prompts held by a stop follow it; during a turn they wait for its end.
func (s *Prompts) SendQueued(ctx context.Context, req QueuedPromptRequest) (command.None, error) {
	return command.None{}, s.runs.Prompts().SendQueued(ctx, req.SpaceID, req.PromptID)
}

// StopRun asks a member to end its turn, or all members without `memberId`. With `runId` it stops only that run, in
// whatever space it works.
func (s *Prompts) StopRun(ctx context.Context, req StopRunRequest) (command.None, error) {
	if req.RunID != "" {
		return command.None{}, s.runs.Prompts().StopRun(ctx, req.RunID)
	}
	return command.None{}, s.runs.Prompts().Stop(ctx, req.SpaceID, req.MemberID)
}

// RetryRun sends the last prompt to that member again.
func (s *Prompts) RetryRun(ctx context.Context, req ref.MemberRef) (SendPromptResult, error) {
	text, parts, err := s.lastPrompt(ctx, req.SpaceID)
	if err != nil {
		return SendPromptResult{}, err
	}
	if text == "" && len(parts) == 0 {
		return SendPromptResult{}, fault.New(fault.NotFound, "There is no prompt to send again.")
	}
	if s.spaces.Works(req.SpaceID, req.MemberID) {
		return SendPromptResult{}, fault.New(fault.Conflict, "The agent is still working. Stop it first.")
	}
	return s.send(ctx, req.SpaceID, someone(req.MemberID), text, parts)
}

func someone(memberID string) []string {
	if memberID == "" {
		return nil
	}
	return []string{memberID}
}

// RestartAgent restarts a member's agent, resumes its session if possible, and asks it to continue its work.
func (s *Prompts) RestartAgent(ctx context.Context, req ref.MemberRef) (command.None, error) {
	text, parts, err := s.lastPrompt(ctx, req.SpaceID)
	if err != nil {
		return command.None{}, err
	}
	return command.None{}, s.runs.Prompts().Restart(ctx, req.SpaceID, req.MemberID, runs.ContinuePrompt, prompt.Said{Text: text, Attachments: parts})
}
