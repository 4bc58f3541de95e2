// Package appearance has the commands about how the window looks, and how it draws calls of tools.
package appearance

import (
	"context"

	"weft/backend/settings"
)

// Appearance is how the window looks.
type Appearance struct {
	settings.Appearance

	Revision int `json:"revision,omitempty"` // of two, the greater is newer, for as long as this Weft runs; who saves leaves it out
}

// Settings are the part of the settings file that is about how things look.
type Settings struct{ file *settings.File }

// New returns the settings of a file.
func New(file *settings.File) *Settings { return &Settings{file: file} }

// Now is how the window looks by the settings in force.
func (s *Settings) Now() Appearance {
	now, changes := s.file.Now()
	return Appearance{Appearance: now.Appearance, Revision: changes}
}

// SaveAppearance changes how the window looks, and answers how it looks then. Who doesn't know of languages leaves it out, and it stays.
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
