package service

import (
	"context"
	"os"
	"path/filepath"
	"runtime"

	"weft/backend/command"
	"weft/backend/service/agents"
	"weft/backend/service/appearance"
	"weft/backend/service/order"
	"weft/backend/service/problems"
	"weft/backend/service/spaces"
)

// Bootstrap is all that a frontend needs to draw its first screen.
type Bootstrap struct {
	Version      string                `json:"version"`
	Mode         string                `json:"mode" enum:"window,serve"` // window, serve
	Platform     string                `json:"platform"`
	Home         string                `json:"home"`
	Folder       string                `json:"folder"` // where Weft was started, for the first space; home where that says nothing
	DataDir      string                `json:"dataDir"`
	SettingsPath string                `json:"settingsPath"`
	Spaces       []spaces.Space        `json:"spaces"` // not archived, last activity first
	Order        order.SpaceOrder      `json:"order"`
	Agents       []agents.Agent        `json:"agents"`
	Appearance   appearance.Appearance `json:"appearance"`
	ToolCalls    appearance.ToolCalls  `json:"toolCalls"`
	Problems     []problems.Problem    `json:"problems"`
}

// Bootstrap returns all that a frontend needs for its first screen.
func (s *Service) Bootstrap(ctx context.Context, _ command.None) (Bootstrap, error) {
	list, err := s.spaces.ListSpaces(ctx, spaces.ListSpacesRequest{})
	if err != nil {
		return Bootstrap{}, err
	}
	order, err := s.order.View(ctx)
	if err != nil {
		return Bootstrap{}, err
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = string(filepath.Separator)
	}
	return Bootstrap{
		Version: s.opt.Version, Mode: s.opt.Mode, Platform: runtime.GOOS, Home: home, Folder: startFolder(home), DataDir: s.opt.DataDir,
		SettingsPath: s.settings.Path(), Spaces: list, Order: order, Agents: s.agents.List(),
		Appearance: appearance.Appearance(s.settings.Get().Appearance), ToolCalls: appearance.ToolCallsOf(s.settings.Get()), Problems: s.problems.List(),
	}, nil
}

// startFolder returns the working directory if the user chose it: an app that is started from a menu runs in the root or in the home folder.
func startFolder(home string) string {
	dir, err := os.Getwd()
	if err != nil || dir == filepath.Dir(dir) {
		return home
	}
	return dir
}
