package gateway

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/base/simtest"
)

// asking is a host whose displays wait until they are let through.
func asking() (*fakeHost, *gate) {
	wait := newGate()
	return &fakeHost{show: func(ctx context.Context, _ Caller, s Show) (Shown, error) {
		if !s.Await {
			return Shown{State: StateShown}, nil
		}
		if err := wait.wait(ctx); err != nil {
			return Shown{}, err
		}
		return Shown{State: StateAnswered, Answer: json.RawMessage(`{"selected":["a"]}`)}, nil
	}}, wait
}

const choice = `{"targetSpaceId":"home","question":"Which?","options":[{"id":"a","label":"A"}]}`

// Several calls wait at once, others continue meanwhile, and a client that gave a token is told that they do.
func TestWaiting(t *testing.T) {
	t.Parallel()
	h, wait := asking()
	g := open(t, Options{Host: h, beat: 10 * time.Millisecond})
	var mu sync.Mutex
	var told []float64
	client, _ := dial(t, g, &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
		mu.Lock()
		defer mu.Unlock()
		if req.Params.ProgressToken == "token" {
			told = append(told, req.Params.Progress)
		}
	}})
	results := make(chan *sdk.CallToolResult, 3)
	for i := range 3 {
		go func() {
			params := &sdk.CallToolParams{Name: "showChoice", Arguments: json.RawMessage(choice)}
			if i == 0 {
				params.SetProgressToken("token")
			}
			res, err := client.CallTool(t.Context(), params)
			if err != nil {
				t.Error(err)
			}
			results <- res
		}()
	}
	simtest.Eventually(t, "three do not wait", func() bool { n, _ := wait.counts(); return n == 3 })
	if got, failed := calls(t.Context(), t, client, "showMarkdown", `{"targetSpaceId":"home","text":"meanwhile"}`); failed || got != `{"state":"shown"}` {
		t.Error(got)
	}
	simtest.Eventually(t, "no progress", func() bool { mu.Lock(); defer mu.Unlock(); return len(told) >= 3 })
	close(wait.through)
	for range 3 {
		res := received(t, "a call goes on", results)
		raw, _ := json.Marshal(res.StructuredContent)
		if res.IsError || textOf(res) != `{"selected":["a"]}` || string(raw) != `{"selected":["a"]}` {
			t.Errorf("%+v", res)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	for i := 1; i < len(told); i++ {
		if told[i] <= told[i-1] {
			t.Errorf("progress that doesn't grow: %v", told)
		}
	}
}

// A client that gave no token hears nothing, but its connection does not sleep.
func TestStreamIsKeptAlive(t *testing.T) {
	t.Parallel()
	h, wait := asking()
	g := open(t, Options{Host: h, beat: 10 * time.Millisecond})
	url, token, release := g.Session(caller)
	defer release()
	send := func(method, body, session string) (id string, answer *bufio.Reader) {
		req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set(responseHeader, "forged")
		if session != "" {
			req.Header.Set("Mcp-Session-Id", session)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = res.Body.Close() })
		return res.Header.Get("Mcp-Session-Id"), bufio.NewReader(res.Body)
	}
	id, _ := send(http.MethodPost, hello, "")
	send(http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, id)
	// That there is a response at all is due to the comments: the call waits.
	_, called := send(http.MethodPost, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"showChoice","arguments":`+choice+`}}`, id)
	_, standing := send(http.MethodGet, "", id)
	for _, stream := range []*bufio.Reader{called, standing} {
		for heard := 0; heard < 3; {
			line, err := stream.ReadString('\n')
			if err != nil || line != "\n" && line[0] != ':' {
				t.Fatalf("%q, %v", line, err)
			}
			if line == ": waiting\n" {
				heard++
			}
		}
	}
	close(wait.through)
	rest, err := io.ReadAll(called)
	if err != nil || !strings.Contains(string(rest), `"selected"`) {
		t.Errorf("%s, %v", rest, err)
	}
}

// How a display ended is told in a sentence and in a word.
func TestStates(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{StateCancelled: "closed showChoice without an answer", StateExpired: "Do not ask again"} {
		g := open(t, Options{Host: &fakeHost{show: func(context.Context, Caller, Show) (Shown, error) { return Shown{State: name}, nil }}})
		client, _ := dial(t, g, nil)
		res, err := client.CallTool(t.Context(), &sdk.CallToolParams{Name: "showChoice", Arguments: json.RawMessage(choice)})
		if err != nil || res.IsError || !strings.Contains(textOf(res), want) || res.StructuredContent.(map[string]any)["state"] != name {
			t.Errorf("%+v, %v", res, err)
		}
	}
}

// A wait ends when the client calls it off, when the token is released, and when the gateway closes.
func TestWaitingCallEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(g *Gateway, cancel, release func()){
		"cancelled": func(_ *Gateway, cancel, _ func()) { cancel() },
		"released":  func(_ *Gateway, _, release func()) { release() },
		"closed":    func(g *Gateway, _, _ func()) { _ = g.Close(t.Context()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, wait := asking()
			g := open(t, Options{Host: h})
			client, release := dial(t, g, nil)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan struct{})
			go func() {
				defer close(done)
				res, err := client.CallTool(ctx, &sdk.CallToolParams{Name: "showChoice", Arguments: json.RawMessage(choice)})
				if err == nil && (!res.IsError || !strings.Contains(textOf(res), "has ended")) {
					t.Errorf("%+v", res)
				}
			}()
			simtest.Eventually(t, "it doesn't wait", func() bool { n, _ := wait.counts(); return n == 1 })
			end(g, cancel, release)
			simtest.Eventually(t, "it still waits", func() bool { _, n := wait.counts(); return n == 1 })
			select {
			case <-done:
			case <-time.After(simtest.Patience):
				t.Error("the client still waits")
			}
		})
	}
}

// Nothing is left of a gateway, whatever was going on when it was closed.
func TestLeaks(t *testing.T) { //nolint:paralleltest // it looks at all goroutines
	h, wait := asking()
	g := open(t, Options{Host: h, beat: time.Millisecond})
	for range 3 {
		url, token, _ := g.Session(caller)
		client, err := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: "1"}, nil).
			Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer{token}}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		params := &sdk.CallToolParams{Name: "showChoice", Arguments: json.RawMessage(choice)}
		params.SetProgressToken("t")
		go func() { _, _ = client.CallTool(t.Context(), params) }()
		t.Cleanup(func() { _ = client.Close() })
	}
	simtest.Eventually(t, "they do not wait", func() bool { n, _ := wait.counts(); return n == 3 })
	if err := g.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	simtest.Eventually(t, "goroutines are left", func() bool {
		b.Reset()
		_ = pprof.Lookup("goroutine").WriteTo(&b, 2)
		return !strings.Contains(b.String(), "gateway.(*") && !strings.Contains(b.String(), "mcp.(*ServerSession)")
	})
	if t.Failed() {
		t.Log(b.String())
	}
	if _, token, release := g.Session(caller); token == "" {
		t.Error("no token")
	} else {
		release()
	}
}

// A megabyte of text arrives whole.
func TestMegabyte(t *testing.T) {
	t.Parallel()
	var got string
	g := open(t, Options{Host: &fakeHost{post: func(_ context.Context, _ Caller, p Post) (Posted, error) {
		got = p.Text
		return Posted{MessageID: "m"}, nil
	}}})
	client, _ := dial(t, g, nil)
	long := strings.Repeat("größe ", 1<<20/8)
	input, err := json.Marshal(map[string]string{"spaceId": "home", "text": long})
	if err != nil {
		t.Fatal(err)
	}
	if res, failed := calls(t.Context(), t, client, "sendSpaceMessage", string(input)); failed || got != long {
		t.Errorf("%.100s, %d bytes", res, len(got))
	}
}

// Arguments that are no object, or say a thing twice, are refused in a sentence.
func TestArguments(t *testing.T) {
	t.Parallel()
	g := open(t, Options{})
	client, _ := dial(t, g, nil)
	for _, c := range []struct{ tool, input, says string }{
		{"showMarkdown", `[1]`, "must be a JSON object"},
		{"showMarkdown", `"text"`, "must be a JSON object"},
		{"showMarkdown", `{"text":"a","text":"b"}`, "duplicate"},
		{"listSpaces", `[]`, "must be a JSON object"},
		{"showMarkdown", ``, `"text" is missing: it must be a text of at least 1 character. Example: {"text":`},
		{"sendSpaceMessage", `{"spaceId":"home","text":5}`, `"text" must be a text of at least 1 character, but it is a number. Example: {"spaceId":`},
	} {
		if got, failed := calls(t.Context(), t, client, c.tool, c.input); !failed || !strings.Contains(got, c.says) {
			t.Errorf("%s %s: %q", c.tool, c.input, got)
		}
	}
	if _, err := client.CallTool(t.Context(), &sdk.CallToolParams{Name: "noSuchTool"}); err == nil || !strings.Contains(err.Error(), "noSuchTool") {
		t.Error(err)
	}
}

// A host that panics is one failed call.
func TestPanic(t *testing.T) {
	t.Parallel()
	g := open(t, Options{Host: &fakeHost{spaces: func(Caller) ([]Space, error) { panic("boo") }}})
	client, _ := dial(t, g, nil)
	if got, failed := calls(t.Context(), t, client, "listSpaces", `{}`); !failed || got != "Something went wrong in Weft." {
		t.Error(got)
	}
}
