// Package scripted is a model that answers as it was told, on loopback, over the real wires of the providers. Every
// delta is flushed on its own; nothing is paced unless a step's Before does it.
//
// One server speaks all wires at once, told apart by their requests: a mapper is given [Server.URL] (OpenAI: with /v1)
// as its base address. Each request for an answer takes the next step; those for lists of models and the like take
// none.
package scripted

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"unicode/utf8"

	"weft/backend/llm"
)

// Step is one answer. It is sent in the order of the fields: thinking, text, calls, usage, end.
type Step struct {
	Text, Thinking string
	Calls          []Call
	// Fragment is how many bytes a delta of text, thinking or input has at most, but no rune is cut; 0 sends each whole.
	Fragment int

	// Status, if it is not 0 or 200, fails the request with the provider's form of an error.
	Status int
	Header map[string]string
	// Body is what is answered instead, byte for byte: a web page, a broken stream. With a status it is the body of that.
	Body string

	// Error ends the stream with the provider's event of an error, Drop by closing the connection, and Hang not at all
	// until the client gives up or the test ends: all after what is above, in place of the end.
	Error      string
	Drop, Hang bool

	Stop  llm.Stop // "" is what fits to the calls
	Usage llm.Usage
	// Before is called before each delta, counted from 0; it may block, and measure. It may be nil.
	Before func(delta int)
}

// Call is a tool call. Input is sent as it is; Ollama and Google need a JSON object.
type Call struct {
	Name  string
	Input string
}

// Request is what a client sent.
type Request struct {
	Method, Path string // Path with the query
	Header       http.Header
	Body         []byte
	Step         int // that answered it, from 0; -1 where it took none
}

// Server answers with the steps.
type Server struct {
	URL      string
	t        testing.TB
	closing  chan struct{}
	mu       sync.Mutex
	steps    []Step
	next     int
	requests []Request
}

// New starts a server that ends with the test. A request for which no step is left fails the test.
func New(t testing.TB, steps ...Step) *Server {
	s := &Server{t: t, steps: steps, closing: make(chan struct{})}
	server := httptest.NewServer(s)
	s.URL = server.URL
	t.Cleanup(func() {
		close(s.closing)
		server.Close()
	})
	return s
}

// Add puts steps behind those that the server has.
func (s *Server) Add(steps ...Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps = append(s.steps, steps...)
}

// Requests are those that came so far, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Left is how many steps no request has taken.
func (s *Server) Left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.steps) - s.next
}

// wire is the form of one provider. Each registers itself in its own file.
type wire struct {
	// asks reports whether a request is for an answer in this form.
	asks func(r *http.Request) bool
	// answer sends a step from its first delta to its end, or to its Error; Drop and Hang are the server's, so
	// the end is left out if step.cut().
	answer func(a *answer, step Step)
	// failure is the body of an error.
	failure func(status int, message string) string
	// aside answers a request that takes no step, or reports false. It may be nil.
	aside func(w http.ResponseWriter, r *http.Request) bool
}

var wires []wire

func register(w wire) { wires = append(wires, w) }

// cut reports whether the answer breaks off before its end.
func (s Step) cut() bool { return s.Drop || s.Hang }

// stop is why the answer ends.
func (s Step) stop() llm.Stop {
	switch {
	case s.Stop != "":
		return s.Stop
	case len(s.Calls) > 0:
		return llm.StopTools
	default:
		return llm.StopEnd
	}
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // a client that breaks off has its own test
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	for _, wire := range wires {
		if wire.asks(r) {
			s.serve(w, r, wire, body)
			return
		}
	}
	s.keep(r, body, -1)
	for _, wire := range wires {
		if wire.aside != nil && wire.aside(w, r) {
			return
		}
	}
	http.NotFound(w, r)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request, wire wire, body []byte) {
	step, number, ok := s.take(r, body)
	if !ok {
		s.t.Errorf("no step is left for %s %s", r.Method, r.URL.Path)
		step = Step{Status: http.StatusTeapot}
	}
	for key, value := range step.Header {
		w.Header().Set(key, value)
	}
	a := &answer{w: w, request: body, path: r.URL.Path, number: number, step: step, t: s.t}
	switch {
	case step.Body != "":
		w.WriteHeader(max(step.Status, http.StatusOK))
		a.raw(step.Body)
	case step.Status > http.StatusOK:
		if w.Header().Get("Content-Type") == "" {
			w.Header().Set("Content-Type", "application/json")
		}
		w.WriteHeader(step.Status)
		a.raw(wire.failure(step.Status, http.StatusText(step.Status)))
	default:
		wire.answer(a, step)
	}
	if step.Hang {
		select {
		case <-r.Context().Done():
		case <-s.closing:
		}
	}
	if step.cut() {
		panic(http.ErrAbortHandler)
	}
}

func (s *Server) take(r *http.Request, body []byte) (step Step, number int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == len(s.steps) {
		s.keepLocked(r, body, -1)
		return Step{}, -1, false
	}
	number = s.next
	s.next++
	s.keepLocked(r, body, number)
	return s.steps[number], number, true
}

func (s *Server) keep(r *http.Request, body []byte, step int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keepLocked(r, body, step)
}

func (s *Server) keepLocked(r *http.Request, body []byte, step int) {
	s.requests = append(s.requests, Request{r.Method, r.URL.RequestURI(), r.Header.Clone(), body, step})
}

// answer is one on its way.
type answer struct {
	w       http.ResponseWriter
	t       testing.TB
	request []byte // the body
	path    string
	number  int // of the step; ids are made of it, so that none is used twice
	step    Step
	deltas  int
}

// header sets the type of the stream; it has to be called before anything is sent.
func (a *answer) header(contentType string) {
	if a.w.Header().Get("Content-Type") == "" {
		a.w.Header().Set("Content-Type", contentType)
	}
}

// delta sends one piece of what the model says.
func (a *answer) delta(line string) {
	if a.step.Before != nil {
		a.step.Before(a.deltas)
	}
	a.deltas++
	a.raw(line)
}

// raw sends something else of the stream: its begin, its end.
func (a *answer) raw(line string) {
	_, _ = io.WriteString(a.w, line) // a client that went away is seen by the next read
	_ = http.NewResponseController(a.w).Flush()
}

// fragments cuts a text as the step says.
func (a *answer) fragments(text string) []string {
	size := a.step.Fragment
	if size <= 0 {
		size = len(text)
	}
	var out []string
	for len(text) > 0 {
		end := min(size, len(text))
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end++
		}
		out, text = append(out, text[:end]), text[end:]
	}
	return out
}
