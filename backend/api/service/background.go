package service

import (
	"context"

	"weft/backend/agent"
	"weft/backend/settings"
	"weft/backend/store/spaces"
)

// Desk offers the window more than the commands.
type Desk struct{ s *Service }

// DeskOf returns the Desk of a service.
func DeskOf(s *Service) Desk { return Desk{s} }

// ShowFolder asks the window and all browser pages to begin a new space in a folder.
func (d Desk) ShowFolder(path string) {
	d.s.news.Send(ShowEvent{Folder: path})
}

// ShowRequest asks the window and all browser pages to show a request of a space. If id is empty or the request was
// answered, they show the space.
func (d Desk) ShowRequest(spaceID, requestID string) {
	d.s.news.Send(ShowEvent{SpaceID: spaceID, RequestID: requestID})
}

// Withhold returns a text without known secrets.
func (d Desk) Withhold(text string) string { return d.s.secrets.Withhold(text) }

// AskToClose asks the user in the window what happens to the working agents.
func (d Desk) AskToClose(working int) {
	d.s.news.Send(ClosingEvent{Working: working})
}

// Working returns how many agents are working, in all spaces.
func (d Desk) Working(ctx context.Context) int {
	n, err := working(ctx, d.s)
	if err != nil {
		return 0 // Weft is closing
	}
	return n
}

// working returns the number of running turns in all spaces.
func working(ctx context.Context, s *Service) (n int, err error) {
	rows, err := s.store.Spaces.List(ctx, spaces.Filter{})
	if err != nil {
		return 0, err
	}
	ids := map[string]bool{}
	for _, row := range rows {
		ids[row.ID] = true
	}
	for _, id := range s.runs.Uses(func(agent.Config) bool { return true }) { // includes archived spaces
		ids[id] = true
	}
	for id := range ids {
		for _, run := range s.runs.State(id).Runs {
			if run.Home == "" { // a run for another space is counted there
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
