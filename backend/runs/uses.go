package runs

import (
	"slices"

	"weft/backend/agent"
)

// Uses gives the spaces in which an agent is running that matches, in no order. What matches is how the process
// was started, also where the settings say something else by now.
func (m *Manager) Uses(match func(agent.Config) bool) []string {
	var list []string
	for _, s := range m.all() {
		s.Lock()
		if l := s.life.Live(); l != nil && match(l.config) && !slices.Contains(list, s.space.ID) {
			list = append(list, s.space.ID)
		}
		s.Unlock()
	}
	return list
}
