package gateway

import (
	"crypto/rand"
	"errors"
	"net/http"
	"sync"
	"time"
)

// responseHeader is how a call finds the response that it is answered in. It never leaves the process, and what a
// client sends under this name is replaced.
const responseHeader = "X-Weft-Response"

// response is a stream that can be kept alive: clients and proxies close a stream that has been silent for
// some minutes, and the SDK sends nothing, not even headers, before there is something to say.
type response struct {
	http.ResponseWriter

	mu    sync.Mutex
	begun bool // the headers are out
	over  bool
}

func (r *response) WriteHeader(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begun = true
	r.ResponseWriter.WriteHeader(status)
}

func (r *response) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ResponseWriter.Write(b)
}

// FlushError is what http.ResponseController looks for.
func (r *response) FlushError() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.flush()
}

func (r *response) flush() error {
	if f, ok := r.ResponseWriter.(http.Flusher); ok {
		f.Flush()
		return nil
	}
	return errors.ErrUnsupported
}

// listening keeps a stream awake that waits for whatever the gateway says by itself. Its headers go out at once.
func (s *session) listening(w http.ResponseWriter) (out *response, done func()) {
	out = &response{ResponseWriter: w}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(s.g.opt.beat)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				out.mu.Lock()
				begun := out.begun
				out.mu.Unlock()
				if begun {
					out.breathe()
				}
			}
		}
	}()
	return out, func() { close(stop); <-stopped }
}

// breathe writes a comment, which every reader of events skips. The headers have to be settled.
func (r *response) breathe() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over || r.Header().Get("Content-Type") != "text/event-stream" {
		return
	}
	if _, err := r.ResponseWriter.Write([]byte(": waiting\n\n")); err == nil {
		_ = r.flush() // a client that is gone cancels the call by other ways
	}
}

// answering notes the response of a request until it is over.
func (s *session) answering(w http.ResponseWriter, r *http.Request) (out *response, done func()) {
	out = &response{ResponseWriter: w}
	name := rand.Text()
	r.Header.Set(responseHeader, name)
	s.mu.Lock()
	s.open[name] = out
	s.mu.Unlock()
	return out, func() {
		s.mu.Lock()
		delete(s.open, name)
		s.mu.Unlock()
		out.mu.Lock()
		out.over = true
		out.mu.Unlock()
	}
}

// response is the one that a call is answered in, nil if that is over.
func (s *session) response(header http.Header) *response {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open[header.Get(responseHeader)]
}
