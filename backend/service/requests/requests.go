// Package requests has the commands that answer what agents ask the user: permissions, questions and displays.
package requests

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/command"
	"weft/backend/runs"
	"weft/backend/service/ref"
)

// AnswerPermissionRequest answers a permission request; an empty OptionID declines to answer.
type AnswerPermissionRequest struct {
	SpaceID   string `json:"spaceId"`
	RequestID string `json:"requestId"`
	OptionID  string `json:"optionId"`
}

// AnswerDisplayRequest is the user's answer to a display.
type AnswerDisplayRequest struct {
	SpaceID    string         `json:"spaceId"`
	MessageID  string         `json:"messageId"`
	ToolCallID string         `json:"toolCallId"`
	Answer     jsontext.Value `json:"answer"`
	Cancel     bool           `json:"cancel,omitzero"` // there will be no answer
}

// AnswerQuestionRequest answers an agent's question, which is in the transcript as a call of the tool
// weft/question.
type AnswerQuestionRequest struct {
	SpaceID   string         `json:"spaceId"`
	RequestID string         `json:"requestId"`
	Action    string         `json:"action" enum:"accept,decline,cancel"` // accept, decline, cancel
	Content   jsontext.Value `json:"content"`                             // of the form, with accept
}

// Requests are what agents ask the user.
type Requests struct{ runs *runs.Manager }

// New returns the requests of runs.
func New(manager *runs.Manager) *Requests { return &Requests{runs: manager} }

// AnswerPermission answers a permission request. Without `optionId` it is canceled.
func (s *Requests) AnswerPermission(ctx context.Context, req AnswerPermissionRequest) (command.None, error) {
	return command.None{}, s.runs.Requests().Answer(ctx, req.SpaceID, req.RequestID, req.OptionID)
}

// AnswerQuestion gives the agent the user's answer to its question. Error: does_not_fit where a field doesn't match the form; the detail is
// its name.
func (s *Requests) AnswerQuestion(ctx context.Context, req AnswerQuestionRequest) (command.None, error) {
	return command.None{}, s.runs.Requests().AnswerQuestion(ctx, req.SpaceID, req.RequestID, req.Action, req.Content)
}

// Refused is how many requests were refused.
type Refused struct {
	Refused int `json:"refused"`
}

// RefuseAllPermissions refuses everything that the agent of a space asks for just now.
func (s *Requests) RefuseAllPermissions(_ context.Context, req ref.SpaceRef) (Refused, error) {
	n, err := s.runs.Requests().RefuseAll(req.SpaceID)
	return Refused{n}, err
}

// AnswerDisplay answers a display: a call of the kind `display` that is `waiting`, or one that no agent waits for (its output has `state:
// "shown"` and `wait: "none"`), which can't be canceled. An agent that waits gets the answer as the result of its call; otherwise it gets
// it as its next prompt. Errors: not_waiting, invalid.
func (s *Requests) AnswerDisplay(ctx context.Context, req AnswerDisplayRequest) (command.None, error) {
	return command.None{}, s.runs.Requests().AnswerDisplay(ctx, req.SpaceID, req.MessageID, req.ToolCallID, req.Answer, req.Cancel)
}
