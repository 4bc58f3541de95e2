// Package appearance implements the commands about how the window looks and how it draws tool calls.
package appearance

import (
	"context"

	"weft/backend/settings"
)

// Appearance is the look of the window.
type Appearance struct {
	settings.Appearance

	Revision int `json:"revision,omitempty"` // the greater one is newer, until Weft exits; absent when saving
}

// Settings is the appearance part of the settings file.
type Settings struct{ file *settings.File }

// New returns the appearance settings of a file.
func New(file *settings.File) *Settings { return &Settings{file: file} }

// Now returns the current appearance.
func (s *Settings) Now() Appearance {
	now, changes := s.file.Now()
	return Appearance{Appearance: now.Appearance, Revision: changes}
}

// SaveAppearance changes how the window looks and returns the new appearance. Without `language`, the language stays.
func (s *Settings) SaveAppearance(_ context.Context, req Appearance) (Appearance, error) {
	err := s.file.Update(func(now *settings.Settings) error {
		if req.Language == "" {
			req.Language = now.Appearance.Language
		}
		now.Appearance = req.Appearance
		return nil
	})
	return s.Now(), err
}
