package runs

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"weft/backend/transcript"
)

// Place is where in a file an agent was at: what it read, changed or named as a location.
type Place struct {
	Path string `json:"path"` // as the agent tells it
	Line int    `json:"line"` // from 1; 0 where it tells none
	To   int    `json:"to"`   // the last line of the stretch, at least Line
	At   int64  `json:"at"`   // unix ms
}

const (
	keptPlaces   = 50      // of a session
	maxPlacePath = 4 << 10 // bytes
	// maxPlaceDiff is the largest diff, in bytes of both sides, whose lines are looked for.
	maxPlaceDiff = 1 << 20
	placeFrame   = 16 * time.Millisecond
)

// place notes where the agent is at; what comes within a frame is told as one. The lock is held.
func (s *Session) at(path string, line, to int, changed bool) {
	if path == "" || len(path) > maxPlacePath || strings.ContainsRune(path, 0) {
		return
	}
	p := Place{Path: path, Line: max(line, 0), To: max(to, line, 0), At: s.m.now()}
	if n := len(s.places); n > 0 && s.places[n-1].Path == path {
		last := &s.places[n-1]
		if !changed && last.Line == p.Line && last.To == p.To {
			return // agents repeat themselves
		}
		*last = p
	} else {
		if s.places = append(s.places, p); len(s.places) > keptPlaces {
			s.places = slices.Delete(s.places, 0, 1)
		}
	}
	if !s.placeTold {
		s.placeTold = true
		s.w.after(placeFrame, s.tellPlace)
	}
}

func (s *Session) tellPlace() {
	s.Lock()
	s.placeTold = false
	var last Place
	if n := len(s.places); n > 0 {
		last = s.places[n-1]
	}
	gone := s.left
	s.Unlock()
	if tell := s.m.opt.OnPlace; tell != nil && !gone && last.Path != "" {
		tell(s.space.ID, last)
	}
}

// visit notes where a tool call is at. The lock is held.
func (s *Session) visit(p *transcript.ToolPatch) {
	done := p.Status != nil && p.Status.Ended()
	if p.Content != nil {
		for i := len(*p.Content) - 1; i >= 0; i-- {
			if c := (*p.Content)[i]; c.Type == "diff" {
				from, to := changedLines(c.OldText, c.NewText)
				s.at(c.Path, from, to, done)
				return
			}
		}
	}
	if p.Locations != nil && len(*p.Locations) > 0 {
		l := (*p.Locations)[len(*p.Locations)-1]
		line := 0
		if l.Line != nil {
			line = *l.Line
		}
		s.at(l.Path, line, line, done)
	} else if n := len(s.places); done && n > 0 {
		// What it was at may have changed.
		last := s.places[n-1]
		s.at(last.Path, last.Line, last.To, true)
	}
}

// changedLines are the first and the last line of after that differ from before, 0 where that is not known.
func changedLines(before, after string) (from, to int) {
	if len(before)+len(after) > maxPlaceDiff {
		return 0, 0
	}
	if before == "" {
		return 1, 1
	}
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return min(start+1, len(b)), max(start+1, len(b)-end)
}

// Places answers where the agents of a space have been since their sessions were made here, oldest first.
func (m *Manager) Places(spaceID string) []Place {
	list := []Place{}
	for _, s := range m.here(spaceID) {
		s.Lock()
		list = append(list, s.places...)
		s.Unlock()
	}
	slices.SortStableFunc(list, func(a, b Place) int { return cmp.Compare(a.At, b.At) })
	return list
}
