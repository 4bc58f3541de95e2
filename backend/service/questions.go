package service

import (
	"context"

	"weft/backend/service/ref"

	"github.com/go-json-experiment/json/jsontext"
)

// AnswerQuestionRequest answers an agent's question, which stands in the transcript as a call of the tool
// weft/question.
type AnswerQuestionRequest struct {
	SpaceID   string         `json:"spaceId"`
	RequestID string         `json:"requestId"`
	Action    string         `json:"action" enum:"accept,decline,cancel"` // accept, decline, cancel
	Content   jsontext.Value `json:"content"`                             // of the form, with accept
}

// AnswerQuestion gives the agent what the person has answered.
func (s *Service) AnswerQuestion(ctx context.Context, req AnswerQuestionRequest) (none, error) {
	return none{}, s.runs.AnswerQuestion(ctx, req.SpaceID, req.RequestID, req.Action, req.Content)
}

// Refused is how many requests were refused.
type Refused struct {
	Refused int `json:"refused"`
}

// RefuseAllPermissions refuses everything that the agent of a space asks for just now.
func (s *Service) RefuseAllPermissions(_ context.Context, req ref.SpaceRef) (Refused, error) {
	n, err := s.runs.RefuseAll(req.SpaceID)
	return Refused{n}, err
}
