package modelproxy

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/rs/zerolog"
)

// setup is a proxy with one tunnel and a route to an upstream.
type setup struct {
	proxy    *Proxy
	tunnel   *Tunnel
	base     string
	upstream *httptest.Server
	log      *lockedBuffer

	mu     sync.Mutex
	events []Event
	change chan struct{} // gets a value when there is a new event
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newSetup(t *testing.T, h http.HandlerFunc) *setup {
	t.Helper()
	s := &setup{log: &lockedBuffer{}, change: make(chan struct{}, 1)}
	s.upstream = httptest.NewServer(h)
	s.proxy = New(zerolog.New(s.log).Level(zerolog.TraceLevel))
	var err error
	if s.tunnel, err = s.proxy.Open(nil, s.see); err != nil {
		t.Fatal(err)
	}
	if s.base, err = s.tunnel.Route(s.upstream.URL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.upstream.CloseClientConnections()
		if err := s.proxy.Close(context.Background()); err != nil {
			t.Error(err)
		}
		s.upstream.Close()
	})
	return s
}

func (s *setup) see(e Event) {
	s.mu.Lock()
	s.events = append(s.events, e)
	s.mu.Unlock()
	select {
	case s.change <- struct{}{}:
	default:
	}
}

// seen waits until an event fits.
func (s *setup) seen(t *testing.T, fits func(Event) bool) Event {
	t.Helper()
	for {
		s.mu.Lock()
		for _, e := range s.events {
			if fits(e) {
				s.mu.Unlock()
				return e
			}
		}
		s.mu.Unlock()
		select {
		case <-s.change:
		case <-t.Context().Done():
			t.Fatal("the event did not come")
		}
	}
}

func (s *setup) answerEnded(t *testing.T) Event {
	return s.seen(t, func(e Event) bool { return e.Call == 0 && e.Ended })
}

// post sends a request that is passed on, and returns the answer as it came, without decoding it.
func post(t *testing.T, url string) (status int, body []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader([]byte(`{"stream":true}`)))
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err = io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, body
}
