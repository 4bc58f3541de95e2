package gateway

import (
	"crypto/rand"
	"errors"
	"net/http"
	"sync"
	"time"
)

// responseHeader is the request header by which a call finds its response. It is set in the process and replaces any
// value from the client.
const responseHeader = "X-Weft-Response"

// response is a stream that can be kept alive. Clients and proxies close a stream that has been silent for some
// minutes, and the SDK sends nothing, not even headers, before the first message.
type response struct {
	http.ResponseWriter

	mu    sync.Mutex
	begun bool // the headers were written
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

// FlushError implements flushing for [http.ResponseController].
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

// listening keeps the stream alive on which the gateway sends messages by itself. The caller must call done.
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
					out.keepAlive()
				}
			}
		}
	}()
	return out, func() { close(stop); <-stopped }
}

// keepAlive writes an SSE comment, which clients ignore. The header must have its content type.
func (r *response) keepAlive() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over || r.Header().Get("Content-Type") != "text/event-stream" {
		return
	}
	if _, err := r.ResponseWriter.Write([]byte(": waiting\n\n")); err == nil {
		_ = r.flush() // a lost client cancels the call through its context
	}
}

// answering registers the response of a request until done is called.
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

// response returns the response of a call, or nil if it has ended.
func (s *session) response(header http.Header) *response {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open[header.Get(responseHeader)]
}
