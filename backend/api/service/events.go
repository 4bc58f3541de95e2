package service

import (
	"weft/backend/api/service/app"
	"weft/backend/api/service/conversation"
	"weft/backend/base/fault"
	"weft/backend/base/link"
	"weft/backend/settings"
)

func (s *Service) spaceChanged(spaceID string) {
	s.news.TellIn(s.work.Go, spaceKey(spaceID), func() app.Event {
		s.updates.TurnsChanged()
		return s.spaceEvent(spaceID)
	})
}

func spaceKey(spaceID string) string { return "space/" + spaceID }

// spaceEvent returns the current state of a space, or that it is gone. It is nil while the service closes.
func (s *Service) spaceEvent(spaceID string) app.Event {
	sp, err := s.spaces.Latest(s.work.Context(), spaceID)
	switch {
	case err == nil:
		return SpaceEvent{Space: sp}
	case fault.CodeOf(err) == fault.NotFound:
		return SpaceRemovedEvent{SpaceID: spaceID}
	}
	return nil
}

// ShowPlace asks the window and all browser pages to show a place. They explain if it doesn't exist.
func (s *Service) ShowPlace(p link.Place) {
	event := ShowEvent{SpaceID: p.SpaceID}
	if p.MessageID != "" {
		event.Place = &conversation.Place{MessageID: p.MessageID, Segment: p.Segment, Item: p.Item}
	}
	s.news.Send(event)
}

func (s *Service) publishAgents() {
	s.news.Tell("agents", func() app.Event { return AgentsEvent{Agents: s.agents.List()} })
}

func (s *Service) settingsChanged(now settings.Settings, problem *settings.Problem) {
	s.problems.Set("settings", settingsProblem(problem))
	s.servers.Refresh()
	s.news.Send(MCPServersEvent{}) // read again, because their settings may have changed
	s.news.Send(AppearanceEvent{Appearance: s.appearance.Now()})
	s.news.Send(ToolCallsEvent{ToolCalls: app.ToolCallsOf(now)})
	s.installs.SettingsChanged(now)
	s.updates.SettingsChanged()
}

// settingsProblem returns the problem of a settings file for the user, or nil.
func settingsProblem(p *settings.Problem) *app.Problem {
	if p == nil {
		return nil
	}
	one := app.ProblemOf("settings_broken", fault.Say("The settings file has a mistake: {{mistake}} Weft uses the last valid settings.", p.Said()))
	one.Path, one.Line, one.Column = p.File, p.Line, p.Col
	return &one
}

func (s *Service) storageTrouble(err error) {
	if err == nil {
		s.problems.Set("storage", nil)
		return
	}
	f := Fault(err)
	p := app.ProblemOf(f.Code, fault.Say("{{why}} Agents wait until it can be saved. Nothing is lost.", f))
	p.Path = s.opt.DataDir
	s.problems.Set("storage", &p)
}

// publishOrder returns a function that publishes the current order of the list of spaces.
func publishOrder(s *Service) func() {
	return func() {
		s.news.TellIn(s.work.Go, "order", func() app.Event {
			order, err := s.order.View(s.work.Context())
			if err != nil {
				return nil // Weft is closing
			}
			return SpaceOrderEvent{Order: order}
		})
	}
}

func (s *Service) publishInstalls() {
	s.news.Tell("installs", func() app.Event { return InstallsEvent{Installs: s.installs.Jobs()} })
}

// spaceDeleted publishes the removal of a space before it returns.
func (s *Service) spaceDeleted(spaceID string) {
	s.news.Tell(spaceKey(spaceID), func() app.Event { return s.spaceEvent(spaceID) })
}
