package main

import (
	"github.com/wailsapp/wails/v2/pkg/options"

	"weft/backend/settings"
	"weft/frontend"
)

// What is seen of the window before its page is there: --page of frontend/src/theme/tokens.css.
var (
	lightPage = options.NewRGB(253, 253, 254)
	darkPage  = options.NewRGB(19, 20, 26)
)

// lookOf returns what a page begins with. system is empty where the browser can be asked for its languages.
func lookOf(a settings.Appearance, system string) frontend.Look {
	return frontend.Look{Language: a.Language, System: system, Theme: a.Theme}
}
