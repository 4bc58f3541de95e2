package google

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"weft/backend/llm"
	"weft/backend/llm/llmtest"
)

const streamedArguments = `data: {"candidates":[{"content":{"parts":[{"functionCall":{"id":"x","name":"write","willContinue":true},"thoughtSignature":"AA=="}]}}]}

data: {"candidates":[{"content":{"parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$.path","stringValue":"a.txt"}],"willContinue":true}}]}}]}

data: {"candidates":[{"content":{"parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$.text","stringValue":"one ","willContinue":true}],"willContinue":true}}]}}]}

data: {"candidates":[{"content":{"parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$.text","stringValue":"two"}],"willContinue":true}}]}}]}

data: {"candidates":[{"content":{"parts":[{"functionCall":{}}]},"finishReason":"STOP"}]}

`

// TestArgumentsAreStreamedWhereTheyCanBe: a server that knows the field streams the input of calls, one that refuses it is asked without it, once.
func TestArgumentsAreStreamedWhereTheyCanBe(t *testing.T) {
	for _, refuses := range []bool{false, true} {
		var s *llmtest.Server
		asked := 0
		s = llmtest.Serve(t, func(w http.ResponseWriter, _ *http.Request) {
			sent := s.Sent()
			if asked++; refuses && strings.Contains(string(sent[len(sent)-1].Body), streamArguments) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusBadRequest)
				_, _ = io.WriteString(w, `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"Invalid JSON payload received. Unknown name \"streamFunctionCallArguments\" at 'tool_config.function_calling_config': Can't find field."}}`)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, streamedArguments)
		})
		m := New(llm.Options{Key: "k", BaseURL: s.URL})
		req := llm.Request{Model: "gemini-3.8-flash", Messages: []llm.Message{llm.UserText("x")}, Tools: []llm.Tool{{Name: "write", Schema: []byte(`{"type":"object"}`)}}}
		for range 2 {
			var input []string
			res, err := m.Stream(t.Context(), req, func(d llm.Delta) {
				if d.Kind == llm.DeltaCallInput {
					input = append(input, d.Text)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			calls := res.Message.Calls()
			if len(calls) != 1 || string(calls[0].Input) != `{"path":"a.txt","text":"one two"}` || calls[0].ID != "x" || len(input) < 3 {
				t.Errorf("refuses %v: %q, %+v", refuses, input, calls)
			}
		}
		if want := map[bool]int{false: 2, true: 3}[refuses]; asked != want {
			t.Errorf("refuses %v: asked %d times, want %d", refuses, asked, want)
		}
	}
}

func TestArgumentsOutOfOrderAreReportedAsInvalid(t *testing.T) {
	broken := strings.Replace(streamedArguments, `"$.text","stringValue":"two"`, `"$.path","stringValue":"two"`, 1)
	s := llmtest.Serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, broken)
	})
	_, err := New(llm.Options{Key: "k", BaseURL: s.URL}).Stream(t.Context(), llm.Request{Model: "gemini-3.8-flash"}, func(llm.Delta) {})
	if err == nil || !strings.Contains(err.Error(), "out of order") {
		t.Errorf("%v", err)
	}
}
