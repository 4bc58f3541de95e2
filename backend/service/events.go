package service

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/backend/fault"
	"weft/backend/service/news"
	"weft/backend/settings"
)

func (s *Service) spaceChanged(spaceID string) {
	s.news.TellIn(s.tasks.Go, spaceKey(spaceID), func() news.Event { return s.spaceEvent(spaceID) })
}

func spaceKey(spaceID string) string { return "space/" + spaceID }

// spaceEvent returns a space as it is now, or that it is gone. It is nil while the service closes.
func (s *Service) spaceEvent(spaceID string) news.Event {
	sp, err := s.space(s.ctx, spaceID)
	switch {
	case err == nil:
		return SpaceEvent{Space: sp}
	case fault.CodeOf(err) == fault.NotFound:
		return SpaceRemovedEvent{SpaceID: spaceID}
	}
	return nil
}

// Show has the window show a space, for instance because the user has clicked a notice about it.
func (s *Service) Show(spaceID string) {
	s.news.Send(ShowEvent{SpaceID: spaceID})
}

func (s *Service) publishAgents() {
	s.news.Tell("agents", func() news.Event { return AgentsEvent{Agents: s.agentList()} })
}

func (s *Service) settingsChanged(now settings.Settings, problem *settings.Problem) {
	s.settingsProblem(problem)
	s.servers.Refresh()
	s.news.Send(MCPServersEvent{}) // read again: their settings may be what has changed
	s.news.Send(AppearanceEvent{Appearance: Appearance(now.Appearance)})
	s.news.Send(ToolCallsEvent{ToolCalls: toolCallsOf(now)})
	s.mu.Lock()
	other := s.installs.source != now.Registry
	s.installs.source = now.Registry
	s.mu.Unlock()
	if other {
		s.publishRegistry()
	}
}

func (s *Service) settingsProblem(p *settings.Problem) {
	if p == nil {
		s.setProblem("settings", nil)
		return
	}
	s.setProblem("settings", &Problem{
		Code: "settings_broken", Path: p.File, Line: p.Line, Column: p.Col,
		Message: "The settings file has a mistake: " + p.Message + " The last good settings stay in force.",
	})
}

func (s *Service) storageTrouble(err error) {
	if err == nil {
		s.setProblem("storage", nil)
		return
	}
	code, message, _ := Explain(err)
	s.setProblem("storage", &Problem{Code: code, Message: message + " Agents are held up until it can be stored; nothing is lost.", Path: s.opt.DataDir})
}

// setProblem sets or (with nil) removes what is wrong at one place, and publishes it.
func (s *Service) setProblem(where string, p *Problem) {
	s.mu.Lock()
	_, was := s.problems[where]
	if p == nil {
		delete(s.problems, where)
	} else {
		s.problems[where] = *p
	}
	s.mu.Unlock()
	if was || p != nil {
		s.publishProblems()
	}
}

// setProblems replaces all that is wrong at one place that may have several problems.
func (s *Service) setProblems(where string, list []Problem) {
	s.mu.Lock()
	was := len(s.problems)
	maps.DeleteFunc(s.problems, func(key string, _ Problem) bool { return strings.HasPrefix(key, where+"/") })
	changed := len(s.problems) != was || len(list) > 0
	for i, p := range list {
		s.problems[fmt.Sprintf("%s/%04d", where, i)] = p
	}
	s.mu.Unlock()
	if changed {
		s.publishProblems()
	}
}

func (s *Service) publishProblems() {
	s.news.Tell("problems", func() news.Event {
		s.mu.Lock()
		defer s.mu.Unlock()
		return ProblemsEvent{Problems: s.problemList()}
	})
}

func (s *Service) problemList() []Problem {
	list := make([]Problem, 0, len(s.problems))
	for _, where := range slices.Sorted(maps.Keys(s.problems)) {
		list = append(list, s.problems[where])
	}
	return list
}
