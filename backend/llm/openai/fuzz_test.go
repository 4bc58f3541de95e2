package openai

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"

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
	m := New(llm.Options{Key: "k"}).(*model)
	f.Fuzz(func(t *testing.T, viaResponses bool, stream []byte) {
		ev, err := newEvents(m.end, &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(stream))})
		if err != nil {
			return
		}
		var emitted int
		emit := func(d llm.Delta) { emitted += len(d.Text) }
		var r llm.Response
		if viaResponses {
			a := m.newResponses(hello, emit)
			_ = a.read(t.Context(), ev)
			r = a.response()
		} else {
			c := m.newChat(hello, emit)
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
		if _, err := m.chatMessages(next); err != nil {
			t.Fatal(err)
		}
		items, err := m.responseItems(next)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := json.Marshal(items); err != nil {
			t.Fatal(err)
		}
	})
}
