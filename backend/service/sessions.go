package service

import (
	"context"

	"weft/backend/service/ref"

	"github.com/go-json-experiment/json/jsontext"
)

// SetOptionRequest sets an option of a member's session: its model, mode, thinking level …
type SetOptionRequest struct {
	SpaceID  string         `json:"spaceId"`
	MemberID string         `json:"memberId"` // "": the default member
	OptionID string         `json:"optionId"`
	Value    jsontext.Value `json:"value"` // a string, or a boolean
}

// PrepareAgent starts a member's agent and opens a session, so that it can say what it offers
// (the state `session`, and its slash commands) before the first prompt.
func (s *Service) PrepareAgent(ctx context.Context, req ref.MemberRef) (none, error) {
	return none{}, s.runs.Prepare(ctx, req.SpaceID, req.MemberID)
}

// SetOption sets an option of a member's session. It starts the agent if need be, and
// blocks until the agent has taken it.
func (s *Service) SetOption(ctx context.Context, req SetOptionRequest) (none, error) {
	if len(req.Value) == 0 || req.Value[0] != '"' && req.Value[0] != 't' && req.Value[0] != 'f' {
		return none{}, invalid("The value of an option is a text, or true or false.")
	}
	return none{}, s.runs.Choose(ctx, req.SpaceID, req.MemberID, req.OptionID, req.Value)
}
