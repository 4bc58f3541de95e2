package openai

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"weft/backend/llm"
	"weft/backend/llm/llmtest"
)

// The shortest answers of both wires.
const (
	chatOK      = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
	responsesOK = "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"ok\"}]}]}}\n\n"
)

var wires = map[string]string{"chat": chatOK, "responses": responsesOK}

// body answers with a stream, flushed line by line.
func body(stream string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, line := range strings.SplitAfter(stream, "\n") {
			_, _ = io.WriteString(w, line)
			_ = http.NewResponseController(w).Flush()
		}
	}
}

func newModel(s *llmtest.Server, api string) llm.Model {
	return New(llm.Options{Key: "test-key", KeyFrom: "TEST_KEY", BaseURL: s.URL + "/v1", API: api, Now: func() time.Time { return time.Unix(0, 0) }})
}

// sent maps a request and returns the body that went out.
func sent(t testing.TB, s *llmtest.Server, api string, req llm.Request) []byte {
	t.Helper()
	if _, err := newModel(s, api).Stream(t.Context(), req, func(llm.Delta) {}); err != nil {
		t.Fatal(err)
	}
	all := s.Sent()
	return all[len(all)-1].Body
}

// The exact requests of the shared conversations are in testdata.
func TestRequests(t *testing.T) {
	for api, ok := range wires {
		for _, c := range llmtest.Cases() {
			t.Run(api+"/"+c.Name, func(t *testing.T) {
				s := llmtest.Serve(t, body(ok))
				var log []string
				c.Request.Log = func(s string) { log = append(log, s) }
				llmtest.Golden(t, api+"/"+c.Name, sent(t, s, api, c.Request))
				if len(log) > 0 {
					t.Errorf("something got lost: %q", log)
				}
				r := s.Sent()[0]
				if path := map[string]string{"chat": "/v1/chat/completions", "responses": "/v1/responses"}[api]; r.Path != path || r.Header.Get("Authorization") != "Bearer test-key" {
					t.Errorf("asked %s with %q", r.Path, r.Header.Get("Authorization"))
				}
			})
		}
	}
}

// told writes what came of a request for a reader: the deltas, then the message, then how it ended.
func told(t testing.TB, model llm.Model, req llm.Request) string {
	t.Helper()
	var out strings.Builder
	kinds := map[llm.DeltaKind]string{llm.DeltaText: "text", llm.DeltaThinking: "think"}
	r, err := model.Stream(t.Context(), req, func(d llm.Delta) {
		switch d.Kind {
		case llm.DeltaCallStart:
			fmt.Fprintf(&out, "call %d %s(%s)\n", d.Call, d.Name, d.ID)
		case llm.DeltaCallInput:
			fmt.Fprintf(&out, "input %d %s\n", d.Call, d.Text)
		default:
			fmt.Fprintf(&out, "%s %q\n", kinds[d.Kind], d.Text)
		}
	})
	for _, p := range r.Message.Parts {
		b, _ := json.Marshal(p)
		fmt.Fprintf(&out, "= %T %s\n", p, b)
	}
	fmt.Fprintf(&out, "%s", r.Stop)
	if r.Usage != (llm.Usage{}) {
		fmt.Fprintf(&out, " %+v", r.Usage)
	}
	if err != nil {
		fmt.Fprintf(&out, " ! %s", err)
		if llm.Retryable(err) {
			out.WriteString(" [retryable]")
		}
	}
	return strings.ReplaceAll(strings.ReplaceAll(out.String(), "llm.", ""), "\\u003c", "<")
}

var hello = llm.Request{Model: "test-model", Messages: []llm.Message{llm.UserText("Hello.")}}

// check compares what came of a stream with lines that the test holds. HOST stands for the server's.
func check(t *testing.T, api, stream, want string) {
	t.Helper()
	s := llmtest.Serve(t, body(stream))
	got := strings.ReplaceAll(told(t, newModel(s, api), hello), strings.TrimPrefix(s.URL, "http://"), "HOST")
	if want = strings.TrimSpace(want); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
