package service

import (
	"context"

	"weft/backend/settings"
)

// SaveAppearance changes how the window looks.
func (s *Service) SaveAppearance(_ context.Context, req Appearance) (Appearance, error) {
	err := s.settings.Update(func(now *settings.Settings) error {
		now.Appearance = settings.Appearance(req)
		return nil
	})
	return Appearance(s.settings.Get().Appearance), err
}
