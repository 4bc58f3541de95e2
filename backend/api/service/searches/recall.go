package searches

import (
	"context"

	"weft/backend/base/command"
	"weft/backend/settings"
)

// RecallSettings says which earlier conversations agents may search.
type RecallSettings struct {
	Scope string `json:"scope" enum:"off,space,folder,all"`
}

// Recall returns which earlier conversations agents may search.
func (s *Searches) Recall(context.Context, command.None) (RecallSettings, error) {
	now := s.settings.Get()
	return RecallSettings{Scope: now.RecallScope()}, nil
}

// SaveRecall sets which earlier conversations agents may search: none, the one of their space, those in the same
// folder, or all. It applies at once.
func (s *Searches) SaveRecall(ctx context.Context, req RecallSettings) (RecallSettings, error) {
	err := s.settings.Update(func(now *settings.Settings) error {
		now.Recall = req.Scope
		return nil
	})
	if err != nil {
		return RecallSettings{}, err
	}
	return s.Recall(ctx, command.None{})
}
