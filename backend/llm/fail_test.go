package llm

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestStatusErrors(t *testing.T) {
	e := Endpoint{Provider: "OpenAI", URL: "https://api.example.com/v1", KeyFrom: "OPENAI_API_KEY"}
	now := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name      string
		status    int
		header    http.Header
		said      string
		code      Code
		retryable bool
		after     time.Duration
		contains  string
	}{
		{"wrong key", 401, nil, "Incorrect API key provided: sk-proj-abcdefghijkl.", CodeAuth, false, 0, "OPENAI_API_KEY"},
		{"wrong model", 404, nil, "The model `x` doesn't exist", CodeModel, false, 0, "doesn't exist"},
		{"a web page", 404, http.Header{"Content-Type": {"text/html"}}, "<html>", CodeUnreachable, false, 0, "web page"},
		{"a web page with 200", 200, http.Header{}, "<!DOCTYPE html><p>hi", CodeUnreachable, false, 0, "base URL"},
		{"limit, with seconds", 429, http.Header{"Retry-After": {"2"}}, "slow down", CodeLimit, true, 2 * time.Second, "slow down"},
		{"limit, with a date", 429, http.Header{"Retry-After": {"Sat, 21 Nov 2026 00:00:05 GMT"}}, "", CodeLimit, true, 5 * time.Second, "429"},
		{"limit, with ms", 429, http.Header{"Retry-After-Ms": {"250"}, "Retry-After": {"9"}}, "", CodeLimit, true, 250 * time.Millisecond, ""},
		{"a wait that is too long", 503, http.Header{"Retry-After": {"1e9"}}, "", CodeServer, true, longestWait, ""},
		{"no credit", 429, nil, "insufficient_quota", CodeLimit, false, 0, "credit"},
		{"overloaded", 529, nil, "Overloaded", CodeServer, true, 0, "Overloaded"},
		{"too long", 400, nil, "This model's maximum context length is 8192 tokens", CodeContext, false, 0, "too long"},
		{"bad request", 400, nil, "policy", CodeRequest, false, 0, "policy"},
		{"not implemented", 501, nil, "", CodeServer, false, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := e.StatusError(c.status, c.header, c.said, now, nil)
			if f.Code != c.code || f.Retryable != c.retryable || f.After != c.after || !strings.Contains(f.Message, c.contains) {
				t.Errorf("got %q retryable=%v after=%v: %s", f.Code, f.Retryable, f.After, f.Message)
			}
			if f.Said == "" || f.Said.String() != f.Message {
				t.Errorf("%q has the template %s", f.Message, f.Said)
			}
			if strings.Contains(f.Message, "abcdefghijkl") {
				t.Errorf("the key stands in %q", f.Message)
			}
		})
	}
}

func TestASilentServerIsGivenUp(t *testing.T) {
	release := make(chan struct{})
	for name, handler := range map[string]http.HandlerFunc{
		"before the answer": func(_ http.ResponseWriter, r *http.Request) { wait(r, release) },
		"in the answer": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "begin")
			_ = http.NewResponseController(w).Flush()
			wait(r, release)
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(handler)
			defer server.Close()
			res, err := NewClient(3 * time.Second).Get(server.URL)
			if err == nil {
				_, err = io.ReadAll(res.Body)
				res.Body.Close()
			}
			if !errors.Is(err, ErrSilent) {
				t.Fatalf("got %v", err)
			}
			if f := (Endpoint{Provider: "X"}).NetworkError(t.Context(), err); !Retryable(f) {
				t.Errorf("not retryable: %v", f)
			}
		})
	}
	close(release)
}

func wait(r *http.Request, release chan struct{}) {
	select {
	case <-release:
	case <-r.Context().Done():
	}
}

func TestNetworkErrors(t *testing.T) {
	e := Endpoint{Provider: "OpenAI", URL: "http://127.0.0.1:1/v1"}
	_, err := NewClient(time.Second).Get("http://127.0.0.1:1/") //nolint:bodyclose // there is no answer
	var f *Error
	if !errors.As(e.NetworkError(t.Context(), err), &f) || f.Code != CodeUnreachable || !strings.Contains(f.Message, "127.0.0.1:1") {
		t.Errorf("refused: %v", f)
	}
	if !errors.As(e.NetworkError(t.Context(), io.ErrUnexpectedEOF), &f) || f.Code != CodeBroken || !f.Retryable {
		t.Errorf("broken off: %v", f)
	}
	if !errors.As(e.NetworkError(t.Context(), &net.DNSError{Name: "nowhere.invalid", IsNotFound: true}), &f) || f.Retryable {
		t.Errorf("unknown host: %v", f)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.NetworkError(ended, io.EOF); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
