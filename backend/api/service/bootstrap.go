package service

import (
	"context"
	"os"
	"path/filepath"
	"runtime"

	"weft/backend/api/service/agents"
	"weft/backend/api/service/app"
	"weft/backend/api/service/conversation"
	"weft/backend/api/service/ref"
	"weft/backend/api/service/spaces"
	"weft/backend/base/fault"
)

// BootstrapRequest asks for the data of the first screen.
type BootstrapRequest struct {
	SpaceID string `json:"spaceId"` // the space to show first, or ""
}

// Bootstrap has all data that a frontend needs for its first screen.
type Bootstrap struct {
	Version      string `json:"version"`
	Mode         string `json:"mode" enum:"window,serve"` // window, serve
	Platform     string `json:"platform"`
	Home         string `json:"home"`
	Folder       string `json:"folder"` // where Weft was started, for the first space; home if that is no useful folder
	DataDir      string `json:"dataDir"`
	SettingsPath string `json:"settingsPath"`
	// Spaces are the first spaces that are not archived, last activity first, and the pinned ones. If there may be
	// more, SpacesUntil is the time to pass to ListSpaces for the others, in unix ms, else 0.
	Spaces      []spaces.Space    `json:"spaces"`
	SpacesUntil int64             `json:"spacesUntil"`
	Order       spaces.SpaceOrder `json:"order"`
	Agents      []agents.Agent    `json:"agents"`
	Appearance  app.Appearance    `json:"appearance"`
	ToolCalls   app.ToolCalls     `json:"toolCalls"`
	Problems    []app.Problem     `json:"problems"`
	// Opened is the requested space, as OpenSpace returns it, or null if it can't be opened. Then OpenSpace returns the
	// error.
	Opened *conversation.Snapshot `json:"opened"`
}

// firstSpaces is how many spaces a frontend gets with its first screen. Reading and sending that many takes a few
// milliseconds.
const firstSpaces = 200

// Bootstrap returns all data that a frontend needs for its first screen, including the space to show.
func (s *Service) Bootstrap(ctx context.Context, req BootstrapRequest) (Bootstrap, error) {
	order, err := s.order.View(ctx)
	if err != nil {
		return Bootstrap{}, err
	}
	list, until, err := forFirstScreen(ctx, s.spaces, order.Pins)
	if err != nil {
		return Bootstrap{}, err
	}
	var opened *conversation.Snapshot
	if req.SpaceID != "" {
		if snap, err := s.transcripts.OpenSpace(ctx, ref.SpaceRef{SpaceID: req.SpaceID}); err == nil {
			opened = &snap
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = string(filepath.Separator)
	}
	return Bootstrap{
		Version: s.opt.Version, Mode: s.opt.Mode, Platform: runtime.GOOS, Home: home, Folder: startFolder(home), DataDir: s.opt.DataDir,
		SettingsPath: s.settings.Path(), Spaces: list, SpacesUntil: until, Order: order, Agents: s.agents.List(),
		Appearance: s.appearance.Now(), ToolCalls: app.ToolCallsOf(s.settings.Get()), Problems: s.problems.List(), Opened: opened,
	}, nil
}

// forFirstScreen returns the spaces of the first screen, and the time from which the others are listed, 0 if there are
// none.
func forFirstScreen(ctx context.Context, all *spaces.Spaces, pins []string) (list []spaces.Space, until int64, err error) {
	list, err = all.ListSpaces(ctx, spaces.ListSpacesRequest{Limit: firstSpaces})
	if err != nil || len(list) < firstSpaces {
		return list, 0, err
	}
	until = list[len(list)-1].LastActivity
	listed := map[string]bool{}
	for _, sp := range list {
		listed[sp.ID] = true
	}
	for _, id := range pins[:min(len(pins), firstSpaces)] {
		if listed[id] {
			continue
		}
		if sp, err := all.Get(ctx, id); err == nil && !sp.Archived {
			list = append(list, sp)
		} else if err != nil && fault.CodeOf(err) != fault.NotFound {
			return nil, 0, err
		}
	}
	return list, until, nil
}

// startFolder returns the working directory if the user chose it. An app started from a menu runs in the root or in the
// home folder.
func startFolder(home string) string {
	dir, err := os.Getwd()
	if err != nil || dir == filepath.Dir(dir) {
		return home
	}
	return dir
}
