// Package problems keeps what is wrong with the app itself.
package problems

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"weft/backend/fault"
)

// Problem is something about the app itself that the user should know: a settings file that does not parse, a database
// that had to be recovered, each tool of the user's own that is left out ("tools"). With the code "tool_notice" it is no
// more than a note on a tool that is there.
type Problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Path    string `json:"path"`
	Line    int    `json:"line"` // 1-based, 0 if unknown
	Column  int    `json:"column"`
	// Said is the template of the message and its values, for other languages. It is missing where the message has no template.
	Said fault.Said `json:"said,omitzero"`
}

// Of returns a problem with a sentence as its message.
func Of(code string, sentence fault.Said) Problem {
	return Problem{Code: code, Message: sentence.String(), Said: sentence}
}

// Problems are known by where they come from.
type Problems struct {
	changed func()

	mu       sync.Mutex
	bySource map[string]Problem
}

// New returns no problems. It calls changed after each change, without a lock.
func New(changed func()) *Problems {
	return &Problems{changed: changed, bySource: map[string]Problem{}}
}

// Set replaces the problem of a source, or removes it with nil.
func (s *Problems) Set(source string, p *Problem) {
	s.mu.Lock()
	_, was := s.bySource[source]
	if p == nil {
		delete(s.bySource, source)
	} else {
		s.bySource[source] = *p
	}
	s.mu.Unlock()
	if was || p != nil {
		s.changed()
	}
}

// SetAll replaces all problems of a source that may have several.
func (s *Problems) SetAll(source string, list []Problem) {
	s.mu.Lock()
	was := len(s.bySource)
	maps.DeleteFunc(s.bySource, func(key string, _ Problem) bool { return strings.HasPrefix(key, source+"/") })
	changed := len(s.bySource) != was || len(list) > 0
	for i, p := range list {
		s.bySource[fmt.Sprintf("%s/%04d", source, i)] = p
	}
	s.mu.Unlock()
	if changed {
		s.changed()
	}
}

// List returns all problems in the order of their sources.
func (s *Problems) List() []Problem {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Problem, 0, len(s.bySource))
	for _, source := range slices.Sorted(maps.Keys(s.bySource)) {
		list = append(list, s.bySource[source])
	}
	return list
}
