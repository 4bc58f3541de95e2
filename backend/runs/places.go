package runs

import (
	"cmp"
	"slices"

	"weft/backend/follow"
)

// publishPlace publishes the last place after a frame, if now. The lock is held.
func (s *Session) publishPlace(now bool) {
	if now {
		s.w.After(follow.Frame, s.tellPlace)
	}
}

func (s *Session) tellPlace() {
	s.Lock()
	last, ok := s.trail.Last()
	gone := s.life.Left()
	s.Unlock()
	if tell := s.m.opt.OnPlace; tell != nil && !gone && ok {
		tell(s.space.ID, last)
	}
}

// Places returns where the agents of a space have been since their sessions were made here, oldest first.
func (m *Manager) Places(spaceID string) []follow.Place {
	list := []follow.Place{}
	for _, s := range m.here(spaceID) {
		s.Lock()
		list = append(list, s.trail.Places()...)
		s.Unlock()
	}
	slices.SortStableFunc(list, func(a, b follow.Place) int { return cmp.Compare(a.At, b.At) })
	return list
}
