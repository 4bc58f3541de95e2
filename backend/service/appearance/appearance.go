// Package appearance has the commands about how the window looks, and how it draws calls of tools.
package appearance

import (
	"context"

	"weft/backend/settings"
)

// Appearance is how the window looks.
type Appearance struct {
	Theme     string `json:"theme" enum:"system,light,dark"`        // system, light, dark
	Density   string `json:"density" enum:"comfortable,compact"`    // comfortable, compact
	TextScale int    `json:"textScale"`                             // percent, 80 to 150
	Thoughts  string `json:"thoughts" enum:"in-place,top,hidden"`   // in-place, top, hidden
	Language  string `json:"language" enum:"system,en,de,es,zh,ja"` // of the window: system, en, de, es, zh (Simplified Chinese), ja
	Revision  int    `json:"revision,omitempty"`                    // of two, the greater is newer, for as long as this Weft runs; who saves leaves it out
}

// Settings are the part of the settings file that is about how things look.
type Settings struct{ file *settings.File }

// New returns the settings of a file.
func New(file *settings.File) *Settings { return &Settings{file: file} }

// Now is how the window looks by the settings in force.
func (s *Settings) Now() Appearance {
	now, changes := s.file.Now()
	return Appearance{
		Theme: now.Appearance.Theme, Density: now.Appearance.Density, TextScale: now.Appearance.TextScale,
		Thoughts: now.Appearance.Thoughts, Language: now.Appearance.Language, Revision: changes,
	}
}

// SaveAppearance changes how the window looks, and answers how it looks then. Who doesn't know of languages leaves it out, and it stays.
func (s *Settings) SaveAppearance(_ context.Context, req Appearance) (Appearance, error) {
	err := s.file.Update(func(now *settings.Settings) error {
		if req.Language == "" {
			req.Language = now.Appearance.Language
		}
		now.Appearance = settings.Appearance{
			Theme: req.Theme, Density: req.Density, TextScale: req.TextScale, Thoughts: req.Thoughts, Language: req.Language,
		}
		return nil
	})
	return s.Now(), err
}
