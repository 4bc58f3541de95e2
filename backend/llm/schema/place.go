package schema

import (
	"fmt"
	"slices"
	"strings"
)

// place is a location in the document.
type place struct {
	path    string   // for people: edits[].path
	depth   int      // schemas around it
	stack   []string // references that are being replaced
	def     string   // the definition around it, "#" for the document
	top     bool     // it is the document
	keyword string   // it is under
}

func (p place) in(keyword, path string) place {
	p.keyword, p.path, p.top = keyword, path, false
	p.depth++
	return p
}

func (p place) through(pointer string) place {
	p.stack = append(slices.Clone(p.stack), pointer)
	p.depth++
	return p
}

func (p place) String() string {
	if p.path == "" {
		return "the schema"
	}
	return bounded(strings.TrimPrefix(p.path, "."), 80)
}

func bounded(s string, limit int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	return s
}

// size is how large a document has become with its references replaced, in parts.
type size struct{ parts int }

// grow adds parts at a place. It returns an error if the document is too large or nested too deeply.
func (s *size) grow(parts int, p place) error {
	if s.parts += parts; s.parts > maxParts {
		return fmt.Errorf("the schema is too large: with its references replaced it has more than %d parts", maxParts)
	}
	if p.depth > maxDepth {
		return errNested
	}
	return nil
}
