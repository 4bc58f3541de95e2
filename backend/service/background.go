package service

import (
	"context"

	"weft/backend/agent"
	"weft/backend/settings"
	"weft/backend/store/spaces"
)

// Desk is what a window asks of a service besides its commands.
type Desk struct{ s *Service }

// DeskOf returns that of a service.
func DeskOf(s *Service) Desk { return Desk{s} }

// ShowFolder has the window, and all pages of a browser, begin a new space in a folder.
func (d Desk) ShowFolder(path string) {
	d.s.news.Send(ShowEvent{Folder: path})
}

// ShowRequest has the window, and all pages of a browser, show a request of a space; with an empty id, or once it was answered, the space.
func (d Desk) ShowRequest(spaceID, requestID string) {
	d.s.news.Send(ShowEvent{SpaceID: spaceID, RequestID: requestID})
}

// Withhold returns a text without known secrets.
func (d Desk) Withhold(text string) string { return d.s.secrets.Withhold(text) }

// AskToClose has the window ask the user what becomes of the agents that work.
func (d Desk) AskToClose(working int) {
	d.s.news.Send(ClosingEvent{Working: working})
}

// Working returns how many agents work on something now, in all spaces.
func (d Desk) Working(ctx context.Context) int {
	n, err := working(ctx, d.s)
	if err != nil {
		return 0 // Weft is closing
	}
	return n
}

// working returns how many turns are running, in all spaces.
func working(ctx context.Context, s *Service) (n int, err error) {
	rows, err := s.store.Spaces.List(ctx, spaces.Filter{})
	if err != nil {
		return 0, err
	}
	ids := map[string]bool{}
	for _, row := range rows {
		ids[row.ID] = true
	}
	for _, id := range s.runs.Uses(func(agent.Config) bool { return true }) { // in archived spaces, too
		ids[id] = true
	}
	for id := range ids {
		for _, run := range s.runs.State(id).Runs {
			if run.Home == "" { // what works for another space is counted there
				n++
			}
		}
	}
	return n, nil
}

// KeepsRunning reports whether Weft keeps running when its window is closed.
func (d Desk) KeepsRunning() bool {
	return d.s.settings.Get().WhenClosed == settings.ClosedBackground
}

// SetWhenClosed changes what happens when the window is closed: quit or background.
func (d Desk) SetWhenClosed(how string) error {
	return d.s.settings.Update(func(now *settings.Settings) error {
		now.WhenClosed = how
		return nil
	})
}
