package modelproxy

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// encoded is a body in an encoding, as far as it is known: an unknown one is left as it is.
func encoded(t *testing.T, body []byte, encoding string) []byte {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser
	switch encoding {
	case "gzip":
		w = gzip.NewWriter(&out)
	case "br":
		w = brotli.NewWriter(&out)
	case "zstd":
		z, err := zstd.NewWriter(&out)
		if err != nil {
			t.Fatal(err)
		}
		w = z
	default:
		return body
	}
	if _, err := w.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Random requests through the proxy and directly to the upstream look the same to both sides, whatever the response is
// and whether it can be parsed or not.
func TestProxyPassesEverythingUnchanged(t *testing.T) {
	type asked struct {
		Method, URI, Body string
		Header            http.Header
	}
	var saw []asked
	var answer func(http.ResponseWriter)
	s := newSetup(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		saw = append(saw, asked{r.Method, r.RequestURI, string(body), r.Header.Clone()})
		answer(w)
	})
	client := &http.Client{
		Transport:     &http.Transport{DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	defer client.CloseIdleConnections()
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 24))
		pick := func(of ...string) string { return of[r.IntN(len(of))] }
		method := pick("POST", "POST", "POST", "GET", "PUT", "DELETE")
		path := pick("/v1/messages", "/v1/chat/completions", "/v1/responses", "/v1beta/models/gemini-x:streamGenerateContent", "/v1/models", "/a%2Fb/c", "/v1/messages/", "")
		path += pick("", "", "?alt=sse", "?beta=true&x=%20y;z")
		header := http.Header{"User-Agent": {pick("claude-cli/1", "")}, "X-Api-Key": {"sk-secret"}, "Accept-Encoding": {pick("identity", "gzip, br", "gzip, deflate, br, zstd")}}
		if r.IntN(2) == 0 {
			header["X-Forwarded-For"] = []string{"10.0.0.1"}
			header["Anthropic-Beta"] = []string{"a", "b"}
		}
		sent := make([]byte, r.IntN(3000))
		for i := range sent {
			sent[i] = byte(r.IntN(256))
		}
		status := []int{200, 200, 200, 200, 201, 204, 302, 400, 401, 404, 429, 500, 529}[r.IntN(13)]
		kind := pick("text/event-stream", "text/event-stream; charset=utf-8", "application/json", "text/html", "")
		encoding := pick("", "", "gzip", "br", "zstd", "x-unknown")
		body := encoded(t, []byte(randomAnswer(r)), encoding)
		if r.IntN(8) == 0 {
			body = sent // garbage, in whatever encoding
		}
		chunked, cuts := r.IntN(2) == 0, 1+r.IntN(6)
		answer = func(w http.ResponseWriter) {
			w.Header()["Date"] = nil
			w.Header().Set("X-Request-Id", "req_1")
			w.Header()["Set-Cookie"] = []string{"a=1", "b=2"}
			w.Header()["Content-Type"] = nil
			if kind != "" {
				w.Header().Set("Content-Type", kind)
			}
			if encoding != "" {
				w.Header().Set("Content-Encoding", encoding)
			}
			if status == 302 {
				w.Header().Set("Location", "https://elsewhere.example/x")
			}
			if !chunked && status != 204 {
				w.Header().Set("Content-Length", fmt.Sprint(len(body)))
			}
			w.WriteHeader(status)
			for rest := body; len(rest) > 0 && status != 204; {
				n := min(len(rest), 1+len(body)/cuts)
				_, _ = w.Write(rest[:n])
				_ = http.NewResponseController(w).Flush()
				rest = rest[n:]
			}
		}
		type got struct {
			Status        int
			Header        http.Header
			Body, Trouble string
			Length        int64
		}
		ask := func(base string) got {
			req, err := http.NewRequestWithContext(t.Context(), method, base+path, bytes.NewReader(sent))
			if err != nil {
				t.Fatal(err)
			}
			req.Header = header.Clone()
			res, err := client.Do(req)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			defer res.Body.Close()
			all, err := io.ReadAll(res.Body)
			return got{res.StatusCode, res.Header, string(all), fmt.Sprint(err), res.ContentLength}
		}
		saw = nil
		straight, through := ask(s.upstream.URL), ask(s.base)
		if !reflect.DeepEqual(straight, through) {
			t.Fatalf("seed %d: %s %s: the answer differs:\n%d %v %s, %d bytes of %d\n%d %v %s, %d bytes of %d", seed, method, path,
				straight.Status, straight.Header, straight.Trouble, len(straight.Body), straight.Length, through.Status, through.Header, through.Trouble, len(through.Body), through.Length)
		}
		if path == "" || path[0] == '?' { // a client sends "/" for an empty path
			saw[0].URI, saw[1].URI = strings.TrimPrefix(saw[0].URI, "/"), strings.TrimPrefix(saw[1].URI, "/")
		}
		if !reflect.DeepEqual(saw[0], saw[1]) {
			t.Fatalf("seed %d: the request differs:\n%+v\n%+v", seed, saw[0], saw[1])
		}
	}
	if text := s.log.String(); strings.Contains(text, "sk-secret") || strings.Contains(text, s.tunnel.Token()) {
		t.Error("a key or the token is in the log")
	}
}

// The upstream writes the next chunk only when the last one has arrived.
func TestChunksPassAtOnce(t *testing.T) {
	for _, encoding := range []string{"", "gzip", "br"} {
		arrived := make(chan struct{})
		s := newSetup(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			var out io.Writer = w
			flush := func() {}
			switch encoding {
			case "gzip":
				z := gzip.NewWriter(w)
				out, flush = z, func() { _ = z.Flush() }
			case "br":
				z := brotli.NewWriter(w)
				out, flush = z, func() { _ = z.Flush() }
			}
			if encoding != "" {
				w.Header().Set("Content-Encoding", encoding)
			}
			for i := range 20 {
				fmt.Fprintf(out, "data: {\"type\":\"content_block_start\",\"index\":%d,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t%d\",\"name\":\"x\"}}\n\n", i, i)
				flush()
				_ = http.NewResponseController(w).Flush()
				select {
				case <-arrived:
				case <-r.Context().Done():
					return
				}
			}
		})
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, s.base+"/v1/messages", http.NoBody)
		res, err := (&http.Client{Transport: &http.Transport{DisableCompression: true}}).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, free, err := decoded(res.Body, encoding)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			for text := ""; !strings.Contains(text, "\n\n"); {
				b := make([]byte, 400)
				n, err := body.Read(b)
				if text += string(b[:n]); err != nil {
					t.Fatalf("%q: chunk %d: %v after %q", encoding, i, err, text)
				}
			}
			s.seen(t, func(e Event) bool { return e.ID == fmt.Sprintf("t%d", i) }) // read along before the next one is there
			arrived <- struct{}{}
		}
		free()
		res.Body.Close()
	}
}

func TestAgentDisconnectEndsTheUpstreamRequest(t *testing.T) {
	over := make(chan struct{})
	s := newSetup(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(over)
	})
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, s.base+"/v1/messages", http.NoBody)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	<-over
	if e := s.answerEnded(t); !e.Broken {
		t.Error("an answer that broke off counts as complete")
	}
}

func TestUpstreamDisconnectReachesTheAgent(t *testing.T) {
	s := newSetup(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"x\"}}\n\n")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, s.base+"/v1/messages", http.NoBody)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.ReadAll(res.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the agent reads %v, want an answer that breaks off", err)
	}
	if e := s.seen(t, func(e Event) bool { return e.Call == 1 && e.Ended }); !e.Broken {
		t.Error("a call that broke off counts as complete")
	}
}

// Parsing is blocked permanently.
func TestForwardingContinuesIfParsingIsStuck(t *testing.T) {
	const size = 3 * maxBehind
	event := []byte("data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"partial_json\":\"" + strings.Repeat("x", 4000) + "\"}}\n\n")
	s := newSetup(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"x\"}}\n\n")
		for n := 0; n < size; n += len(event) {
			if _, err := w.Write(event); err != nil {
				return
			}
		}
	})
	free := make(chan struct{})
	var err error
	if s.tunnel, err = s.proxy.Open(nil, func(e Event) { <-free; s.see(e) }); err != nil {
		t.Fatal(err)
	}
	base, err := s.tunnel.Route(s.upstream.URL)
	if err != nil {
		t.Fatal(err)
	}
	if _, body := post(t, base+"/v1/messages"); len(body) < size {
		t.Errorf("%d bytes arrived, want at least %d", len(body), size)
	}
	close(free)
	if e := s.answerEnded(t); !e.Broken {
		t.Error("an answer of which a part was not read counts as complete")
	}
}

func TestUnreachableUpstreamErrorHidesTheRoute(t *testing.T) {
	s := newSetup(t, func(http.ResponseWriter, *http.Request) {})
	s.upstream.Close()
	status, body := post(t, s.base+"/v1/messages")
	if status != http.StatusBadGateway || !strings.Contains(string(body), "Couldn't reach the model at "+strings.TrimPrefix(s.upstream.URL, "http://")) {
		t.Errorf("%d %s", status, body)
	}
	if strings.Contains(string(body), s.tunnel.Token()) {
		t.Error("the token is in the sentence")
	}
}
