package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/backend/llm"
)

// Whatever a server sends, a message comes out that can be stored and sent again, of what was emitted.
func FuzzStreams(f *testing.F) {
	f.Add(false, []byte(chatOK))
	f.Add(true, []byte(responsesOK))
	f.Add(false, []byte(`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"read","arguments":"{\"n\":"}}],"reasoning":"a","reasoning_details":[{"index":0,"text":"a"}]}}]}`+"\n\n"))
	f.Add(true, []byte(`data: {"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning"}}`+"\n\n"+`data: {"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"text":"a"}]}}`+"\n\n"))
	f.Add(true, []byte(`data: {"type":"response.function_call_arguments.done","output_index":-1,"arguments":"{}"}`+"\n\n"))
	f.Add(false, []byte(`{"error":[{"error":null}]}`))
	f.Fuzz(func(t *testing.T, viaResponses bool, stream []byte) { survives(t, viaResponses, stream) })
}

// Events that are right each by itself, in any order and with any index.
func TestEventsInAnyOrder(t *testing.T) {
	chat := []string{
		`{"choices":[{"delta":{"content":"a","reasoning":"b"}}]}`, `{"choices":[{"delta":{"tool_calls":[{"index":#,"id":"x","function":{"name":"f","arguments":"{}"}}]}}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":#,"function":{"arguments":"{\"a\":"}}]}}]}`, `{"choices":[{"delta":{"tool_calls":[{"id":"y","function":{"name":"f"}},{"function":{"arguments":"1}"}}]}}]}`,
		`{"choices":[{"delta":{"reasoning_details":[{"type":"t","index":#,"text":"a"},7,null]}}]}`, `{"choices":[{"finish_reason":"stop"}],"usage":{"prompt_tokens":#}}`, `{"choices":null}`, `[]`, `{"error":{"code":#}}`,
	}
	responses := []string{
		`{"type":"response.output_item.added","output_index":#,"item":{"type":"message","id":"m"}}`, `{"type":"response.output_item.added","output_index":#,"item":{"type":"reasoning"}}`,
		`{"type":"response.output_item.added","output_index":#,"item":{"type":"function_call","call_id":"x","name":"f"}}`, `{"type":"response.output_item.done","output_index":#,"item":{"type":"function_call","call_id":"x","arguments":"{}"}}`,
		`{"type":"response.output_item.done","output_index":#,"item":{"type":"reasoning","encrypted_content":"e","summary":[{"text":"s"}]}}`, `{"type":"response.output_item.done","output_index":#,"item":{"type":"message","content":[{"type":"refusal","refusal":"r"},{"text":"t"}]}}`,
		`{"type":"response.output_text.delta","output_index":#,"content_index":#,"delta":"d"}`, `{"type":"response.refusal.done","output_index":#,"refusal":"r"}`, `{"type":"response.reasoning_text.delta","output_index":#,"delta":"d"}`,
		`{"type":"response.function_call_arguments.delta","output_index":#,"delta":"{"}`, `{"type":"response.function_call_arguments.done","output_index":#,"arguments":"{}"}`, `{"type":"response.output_item.added","item":null}`,
		`{"type":"response.completed","response":{"status":"completed","output":[{"type":"message","content":[{"text":"t"}]},{"type":"reasoning","content":[{"text":"c"}]},7]}}`, `{"type":"response.failed","response":null}`,
	}
	rapid.Check(t, func(rt *rapid.T) {
		viaResponses, pool := rapid.Bool().Draw(rt, "responses"), chat
		if viaResponses {
			pool = responses
		}
		var stream string
		for _, e := range rapid.SliceOfN(rapid.SampledFrom(pool), 1, 12).Draw(rt, "events") {
			stream += "data: " + strings.ReplaceAll(e, "#", strconv.Itoa(rapid.IntRange(-1, 3).Draw(rt, "index"))) + "\n\n"
		}
		survives(rt, viaResponses, []byte(stream))
	})
}

func survives(t interface {
	Fatal(...any)
	Fatalf(string, ...any)
	Context() context.Context
}, viaResponses bool, stream []byte,
) {
	m := New(llm.Options{Key: "k"}).(*model)
	ev, err := newEvents(m.server.end, &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(stream))})
	if err != nil {
		return
	}
	var emitted int
	emit := func(d llm.Delta) { emitted += len(d.Text) }
	var r llm.Response
	if viaResponses {
		a := newResponses(m.server, hello, emit)
		_ = a.read(t.Context(), ev)
		r = a.response()
	} else {
		c := newChat(m.server, hello, emit)
		_ = c.read(t.Context(), ev)
		r = c.response()
	}
	kept, ids := 0, map[string]bool{}
	for _, p := range r.Message.Parts {
		switch p := p.(type) {
		case llm.Text:
			kept += len(p.Text)
		case llm.Thinking:
			kept += len(p.Text)
		case llm.ToolCall:
			if ids[p.ID] || p.ID == "" {
				t.Fatalf("the id %q", p.ID)
			}
			ids[p.ID] = true
		}
	}
	if kept > emitted {
		t.Fatalf("%d bytes are kept, %d were emitted", kept, emitted)
	}
	stored, err := json.Marshal(r.Message)
	if err != nil {
		t.Fatal(err)
	}
	var back llm.Message
	if err := json.Unmarshal(stored, &back); err != nil {
		t.Fatal(err)
	}
	next := answered(hello, llm.Response{Message: back})
	if _, err := (chatWriter{m.server}).messages(next); err != nil {
		t.Fatal(err)
	}
	items, err := responseItems(m.server, next)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(items); err != nil {
		t.Fatal(err)
	}
}
