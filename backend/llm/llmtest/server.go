package llmtest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// Silence is after how long a client in a test gives a silent server up: longer than a busy machine holds up what was
// sent.
const Silence = 3 * time.Second

// Sent is one request that an SDK made.
type Sent struct {
	Method, Path string
	Header       http.Header
	Body         []byte
}

// Server answers every request with a handler and keeps what was sent.
type Server struct {
	URL  string
	mu   sync.Mutex
	sent []Sent
}

// Serve starts a loopback server that ends with the test.
func Serve(t testing.TB, answer http.HandlerFunc) *Server {
	s := &Server{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // what is missing of it fails the test that looks
		s.mu.Lock()
		s.sent = append(s.sent, Sent{r.Method, r.URL.RequestURI(), r.Header.Clone(), body})
		s.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Sent are the requests so far.
func (s *Server) Sent() []Sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Sent(nil), s.sent...)
}
