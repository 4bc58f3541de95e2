package app

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"weft/backend/base/fault"
)

// Problem is a problem of the app itself that the user should know: a settings file that does not parse, a recovered
// database, or a custom tool that was left out ("tools"). The code "tool_notice" is only a note about a tool.
type Problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Path    string `json:"path"`
	Line    int    `json:"line"` // 1-based, 0 if unknown
	Column  int    `json:"column"`
	// Said has the template of the message and its values, for translation. It is empty if the message has no template.
	Said fault.Said `json:"said,omitzero"`
}

// ProblemOf returns a problem with this sentence as its message.
func ProblemOf(code string, sentence fault.Said) Problem {
	return Problem{Code: code, Message: sentence.String(), Said: sentence}
}

// Problems holds the problems by source.
type Problems struct {
	changed func()

	mu       sync.Mutex
	bySource map[string]Problem
}

// NewProblems returns empty Problems. It calls changed after each change, without a lock.
func NewProblems(changed func()) *Problems {
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

// SetAll replaces all problems of a source.
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

// List returns all problems, sorted by source.
func (s *Problems) List() []Problem {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Problem, 0, len(s.bySource))
	for _, source := range slices.Sorted(maps.Keys(s.bySource)) {
		list = append(list, s.bySource[source])
	}
	return list
}
