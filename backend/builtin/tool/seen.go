package tool

import (
	"crypto/sha256"
	"sync"
)

// Seen records the content of files as the model last saw them, so that files that changed since then are not
// overwritten. It is safe for concurrent use. The zero value is empty.
type Seen struct {
	mu    sync.Mutex
	files map[string][sha256.Size]byte
}

// Note records that the model has read or written the file, or a part of it, with this content.
func (s *Seen) Note(rel, content string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files == nil {
		s.files = map[string][sha256.Size]byte{}
	}
	s.files[rel] = sha256.Sum256([]byte(content))
}

// Knows reports whether the model has seen the file, and whether content is the same as then.
func (s *Seen) Knows(rel, content string) (seen, same bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum, seen := s.files[rel]
	return seen, sum == sha256.Sum256([]byte(content))
}
