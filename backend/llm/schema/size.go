package schema

import "fmt"

// size is how large a document has become with its references replaced, in parts.
type size struct{ parts int }

// grow adds parts at a place. It returns an error if the document is too large or nested too deeply.
func (s *size) grow(parts int, p place) error {
	if s.parts += parts; s.parts > maxParts {
		return fmt.Errorf("the schema is too large: with its references replaced it has more than %d parts", maxParts)
	}
	if p.depth > maxDepth {
		return &nestingError{}
	}
	return nil
}
