package app

import (
	"context"

	"weft/backend/settings"
)

// Appearance is the look of the window.
type Appearance struct {
	settings.Appearance

	Revision int `json:"revision,omitempty"` // the greater one is newer, until Weft exits; absent when saving
}

// AppearanceSettings is the appearance part of the settings file.
type AppearanceSettings struct{ file *settings.File }

// NewAppearanceSettings returns the appearance settings of a file.
func NewAppearanceSettings(file *settings.File) *AppearanceSettings {
	return &AppearanceSettings{file: file}
}

// Now returns the current appearance.
func (s *AppearanceSettings) Now() Appearance {
	now, changes := s.file.Now()
	return Appearance{Appearance: now.Appearance, Revision: changes}
}

// SaveAppearance changes how the window looks and returns the new appearance. Without `language`, the language stays.
func (s *AppearanceSettings) SaveAppearance(_ context.Context, req Appearance) (Appearance, error) {
	err := s.file.Update(func(now *settings.Settings) error {
		if req.Language == "" {
			req.Language = now.Appearance.Language
		}
		now.Appearance = req.Appearance
		return nil
	})
	return s.Now(), err
}
