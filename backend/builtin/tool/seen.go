package tool

import (
	"crypto/sha256"
	"sync"
)

// Seen remembers the files as the model saw them last, so that a file that changed meanwhile is not
// overwritten. Its methods may be called from any goroutine; the zero value has seen nothing.
type Seen struct {
	mu    sync.Mutex
	files map[string][sha256.Size]byte
}

// Note says that the model knows a file with this content now: it has read or written all of it, or a part.
func (s *Seen) Note(rel, content string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files == nil {
		s.files = map[string][sha256.Size]byte{}
	}
	s.files[rel] = sha256.Sum256([]byte(content))
}

// Knows reports whether the model has seen the file, and whether it still is as it was then.
func (s *Seen) Knows(rel, content string) (seen, same bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum, seen := s.files[rel]
	return seen, sum == sha256.Sum256([]byte(content))
}
