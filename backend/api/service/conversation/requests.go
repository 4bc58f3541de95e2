package conversation

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/api/service/ref"
	"weft/backend/base/command"
	"weft/backend/space/runs"
)

// AnswerPermissionRequest answers a permission request. An empty OptionID cancels it.
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
	Cancel     bool           `json:"cancel,omitzero"` // end the display without an answer
}

// AnswerQuestionRequest answers an agent's question, a call of the tool weft/question in the transcript.
type AnswerQuestionRequest struct {
	SpaceID   string         `json:"spaceId"`
	RequestID string         `json:"requestId"`
	Action    string         `json:"action" enum:"accept,decline,cancel"` // accept, decline, cancel
	Content   jsontext.Value `json:"content"`                             // values of the form, with accept
}

// Requests answers agents' requests.
type Requests struct{ runs *runs.Manager }

// NewRequests returns the requests of runs.
func NewRequests(manager *runs.Manager) *Requests { return &Requests{runs: manager} }

// AnswerPermission answers a permission request. Without `optionId` it cancels the request.
func (s *Requests) AnswerPermission(ctx context.Context, req AnswerPermissionRequest) (command.None, error) {
	return command.None{}, s.runs.Requests().Answer(ctx, req.SpaceID, req.RequestID, req.OptionID)
}

// AnswerQuestion sends the user's answer to an agent's question. Error: does_not_fit if a field doesn't match the form;
// the detail is the field's name.
func (s *Requests) AnswerQuestion(ctx context.Context, req AnswerQuestionRequest) (command.None, error) {
	return command.None{}, s.runs.Requests().AnswerQuestion(ctx, req.SpaceID, req.RequestID, req.Action, req.Content)
}

// Refused is the number of refused requests.
type Refused struct {
	Refused int `json:"refused"`
}

// RefuseAllPermissions refuses all open permission requests of a space's agents.
func (s *Requests) RefuseAllPermissions(_ context.Context, req ref.SpaceRef) (Refused, error) {
	n, err := s.runs.Requests().RefuseAll(req.SpaceID)
	return Refused{n}, err
}

// AnswerDisplay answers a display: a call of the kind `display` that is `waiting`, or one that no agent waits for (its
// output has `state: "shown"` and `wait: "none"`), which can't be canceled. A waiting agent gets the answer as the
// result of its call, any other as its next prompt. Errors: not_waiting, invalid.
func (s *Requests) AnswerDisplay(ctx context.Context, req AnswerDisplayRequest) (command.None, error) {
	return command.None{}, s.runs.Requests().AnswerDisplay(ctx, req.SpaceID, req.MessageID, req.ToolCallID, req.Answer, req.Cancel)
}
