package modelproxy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"weft/backend/llm"
)

// wire writes an answer with texts and two calls as a provider streams it.
type wire struct {
	name, path, kind string
	write            func(r *rand.Rand, calls []wantCall) string
	ids              bool // its calls have ids
	usage            llm.Usage
}

type wantCall struct{ ID, Name, Input string }

func event(name string, v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	data := bytes.TrimSpace(b.Bytes())
	if name != "" {
		name = "event: " + name + "\n"
	}
	return name + "data: " + string(data) + "\n\n"
}

type obj = map[string]any

// cut cuts a text into random pieces.
func cut(r *rand.Rand, s string) (pieces []string) {
	runes := []rune(s)
	for len(runes) > 0 {
		n := min(len(runes), 1+r.IntN(9))
		pieces, runes = append(pieces, string(runes[:n])), runes[n:]
	}
	return pieces
}

var wires = []wire{
	{"anthropic", "/v1/messages?beta=true", "text/event-stream", func(r *rand.Rand, calls []wantCall) string {
		var b strings.Builder
		e := func(kind string, v obj) { v["type"] = kind; b.WriteString(event(kind, v)) }
		e("message_start", obj{"message": obj{"model": "m-1", "usage": obj{"input_tokens": 10, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 5, "output_tokens": 1}}})
		b.WriteString(": a comment\n\n")
		e("ping", obj{})
		e("content_block_start", obj{"index": 0, "content_block": obj{"type": "text", "text": ""}})
		e("content_block_delta", obj{"index": 0, "delta": obj{"type": "text_delta", "text": "Let me \"see\""}})
		e("content_block_stop", obj{"index": 0})
		for i, c := range calls {
			e("content_block_start", obj{"index": i + 1, "content_block": obj{"type": "tool_use", "id": c.ID, "name": c.Name, "input": obj{}}})
			for _, p := range cut(r, c.Input) {
				e("content_block_delta", obj{"index": i + 1, "delta": obj{"type": "input_json_delta", "partial_json": p}})
			}
			e("content_block_stop", obj{"index": i + 1})
		}
		e("message_delta", obj{"delta": obj{"stop_reason": "tool_use"}, "usage": obj{"output_tokens": 42}})
		e("message_stop", obj{})
		return b.String()
	}, true, llm.Usage{Input: 115, CacheRead: 100, CacheWrite: 5, Output: 42}},
	{"chat", "/v1/chat/completions", "text/event-stream", func(r *rand.Rand, calls []wantCall) string {
		var b strings.Builder
		chunk := func(delta obj, finish any) {
			b.WriteString(event("", obj{"model": "m-1", "choices": []obj{{"index": 0, "delta": delta, "finish_reason": finish}}}))
		}
		chunk(obj{"role": "assistant", "content": "Hi"}, nil)
		for i, c := range calls {
			chunk(obj{"tool_calls": []obj{{"index": i, "id": c.ID, "type": "function", "function": obj{"name": c.Name, "arguments": ""}}}}, nil)
			for _, p := range cut(r, c.Input) {
				chunk(obj{"tool_calls": []obj{{"index": i, "function": obj{"arguments": p}}}}, nil)
			}
		}
		chunk(obj{}, "tool_calls")
		b.WriteString(event("", obj{"model": "m-1", "choices": []obj{}, "usage": obj{"prompt_tokens": 115, "completion_tokens": 42, "prompt_tokens_details": obj{"cached_tokens": 100}, "completion_tokens_details": obj{"reasoning_tokens": 7}}}))
		b.WriteString("data: [DONE]\n\n")
		return b.String()
	}, true, llm.Usage{Input: 115, CacheRead: 100, Output: 42, Thinking: 7}},
	{"responses", "/v1/responses", "text/event-stream; charset=utf-8", func(r *rand.Rand, calls []wantCall) string {
		var b strings.Builder
		e := func(kind string, v obj) { v["type"] = kind; b.WriteString(event(kind, v)) }
		e("response.created", obj{"response": obj{"model": "m-1", "usage": nil}})
		for i, c := range calls {
			item := obj{"type": "function_call", "id": fmt.Sprint("fc_", i), "call_id": c.ID, "name": c.Name, "arguments": ""}
			if server, tool, ok := strings.Cut(strings.TrimPrefix(c.Name, "mcp__"), "__"); ok && r.IntN(2) == 0 { // codex puts a server's tools into a namespace
				item["namespace"], item["name"] = "mcp__"+server+[]string{"", "__"}[r.IntN(2)], tool
			}
			e("response.output_item.added", obj{"output_index": i, "item": item})
			for _, p := range cut(r, c.Input) {
				e("response.function_call_arguments.delta", obj{"output_index": i, "item_id": fmt.Sprint("fc_", i), "delta": p})
			}
			e("response.function_call_arguments.done", obj{"output_index": i, "arguments": c.Input})
			e("response.output_item.done", obj{"output_index": i, "item": obj{"type": "function_call", "call_id": c.ID, "name": c.Name, "arguments": c.Input}})
		}
		e("response.output_item.added", obj{"output_index": 9, "item": obj{"type": "custom_tool_call", "call_id": "ctc", "name": "apply_patch", "input": ""}})
		e("response.custom_tool_call_input.delta", obj{"output_index": 9, "delta": "*** Begin"})
		e("response.completed", obj{"response": obj{"model": "m-1", "usage": obj{"input_tokens": 115, "output_tokens": 42, "input_tokens_details": obj{"cached_tokens": 100}, "output_tokens_details": obj{"reasoning_tokens": 7}}}})
		return b.String()
	}, true, llm.Usage{Input: 115, CacheRead: 100, Output: 42, Thinking: 7}},
	{"gemini", "/v1beta/models/m-1:streamGenerateContent?alt=sse", "text/event-stream", geminiEvents, false, geminiUsage},
	{"gemini as a list", "/v1beta/models/m-1:streamGenerateContent", "application/json", func(r *rand.Rand, calls []wantCall) string {
		var list []string
		for line := range strings.Lines(geminiEvents(r, calls)) {
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				list = append(list, data)
			}
		}
		return "[" + strings.Join(list, ",\r\n") + "]"
	}, false, geminiUsage},
	{"gemini with streamed arguments", "/v1/projects/p/locations/l/publishers/google/models/m-1:streamGenerateContent?alt=sse", "text/event-stream", func(r *rand.Rand, calls []wantCall) string {
		var b strings.Builder
		parts := func(finish string, parts ...obj) {
			b.WriteString(event("", obj{"modelVersion": "m-1", "candidates": []obj{{"content": obj{"parts": parts}, "finishReason": finish}}, "usageMetadata": geminiCounts}))
		}
		for _, c := range calls {
			parts("", obj{"functionCall": obj{"name": c.Name, "willContinue": true}})
			var fields struct{ SpaceID, Text string }
			_ = json.Unmarshal([]byte(c.Input), &fields)
			parts("", obj{"functionCall": obj{"partialArgs": []obj{{"jsonPath": "$.spaceId", "stringValue": fields.SpaceID}}, "willContinue": true}})
			for _, p := range cut(r, fields.Text) {
				parts("", obj{"functionCall": obj{"partialArgs": []obj{{"jsonPath": "$.text", "stringValue": p, "willContinue": true}}, "willContinue": true}})
			}
			parts("", obj{"functionCall": obj{}})
		}
		parts("STOP")
		return b.String()
	}, false, geminiUsage},
}

var (
	geminiUsage  = llm.Usage{Input: 115, CacheRead: 100, Output: 42, Thinking: 7}
	geminiCounts = obj{"promptTokenCount": 115, "cachedContentTokenCount": 100, "candidatesTokenCount": 35, "thoughtsTokenCount": 7}
)

func geminiEvents(_ *rand.Rand, calls []wantCall) string {
	var b strings.Builder
	e := func(finish string, parts ...obj) {
		b.WriteString(event("", obj{"modelVersion": "m-1", "candidates": []obj{{"content": obj{"parts": parts}, "finishReason": finish}}, "usageMetadata": geminiCounts}))
	}
	e("", obj{"text": "Thinking", "thought": true})
	for _, c := range calls {
		e("", obj{"functionCall": obj{"name": c.Name, "args": json.RawMessage(c.Input)}})
	}
	e("STOP", obj{"text": ""})
	return b.String()
}

func randomCalls(r *rand.Rand) (calls []wantCall) {
	for i := range 1 + r.IntN(3) {
		var text strings.Builder
		for range r.IntN(60) {
			text.WriteString([]string{"a", "\"", "\\", "\n", "ü", "👍", "data: ", "}", "<x>"}[r.IntN(9)])
		}
		var input bytes.Buffer
		e := json.NewEncoder(&input)
		e.SetEscapeHTML(false)
		_ = e.Encode(struct {
			SpaceID string `json:"spaceId"`
			Text    string `json:"text"`
		}{fmt.Sprint("sp", i), text.String()})
		calls = append(calls, wantCall{fmt.Sprintf("call_%d_%d", r.IntN(1000), i), []string{"mcp__weft__sendSpaceMessage", "Bash", "edit"}[r.IntN(3)], strings.TrimSpace(input.String())})
	}
	return calls
}

func randomAnswer(r *rand.Rand) string { return wires[r.IntN(len(wires))].write(r, randomCalls(r)) }

// Random calls in every format, split and encoded randomly, are parsed correctly.
func TestToolCallsAreParsed(t *testing.T) {
	for _, w := range wires {
		for seed := range uint64(12) {
			r := rand.New(rand.NewPCG(seed, 3))
			want := randomCalls(r)
			encoding := []string{"", "gzip", "br", "zstd"}[seed%4]
			body := encoded(t, []byte(w.write(r, want)), encoding)
			s := newSetup(t, func(rw http.ResponseWriter, _ *http.Request) {
				rw.Header().Set("Content-Type", w.kind)
				if encoding != "" {
					rw.Header().Set("Content-Encoding", encoding)
				}
				for rest := body; len(rest) > 0; {
					n := min(len(rest), 1+r.IntN(200))
					_, _ = rw.Write(rest[:n])
					_ = http.NewResponseController(rw).Flush()
					rest = rest[n:]
				}
			})
			post(t, s.base+w.path)
			s.tunnel.CatchUp(t.Context())
			end := s.answerEnded(t)
			if end.Broken || end.Model != "m-1" || end.Usage == nil || *end.Usage != w.usage || end.Cost != nil {
				t.Fatalf("%s, seed %d: the answer ended as %+v with %+v", w.name, seed, end, end.Usage)
			}
			got := make([]wantCall, len(want))
			fragments := make([]int, len(want))
			last := 0
			for _, e := range s.events {
				if e.Call == 0 {
					continue
				}
				if e.Call > len(want) || e.Broken {
					t.Fatalf("%s, seed %d: %+v", w.name, seed, e)
				}
				c := &got[e.Call-1]
				c.ID, c.Name = e.ID, e.Name
				if c.Input += e.Fragment; e.Fragment != "" {
					fragments[e.Call-1]++
				}
				if e.Ended {
					last++
				}
			}
			for i := range want {
				if !w.ids {
					want[i].ID = ""
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(want) || last != len(want) {
				t.Fatalf("%s, seed %d:\n%q\nwant\n%q", w.name, seed, got, want)
			}
		}
	}
}

func TestUsageOfUnstreamedAnswersIsRead(t *testing.T) {
	for _, c := range []struct{ path, body string }{
		{"/v1/messages", `{"type":"message","model":"m-1","usage":{"input_tokens":10,"cache_read_input_tokens":100,"cache_creation_input_tokens":5,"output_tokens":42}}`},
		{"/v1/chat/completions", `{"model":"m-1","choices":[{"index":0,"message":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":115,"completion_tokens":42,"cost":0.25}}`},
		{"/v1/responses", `{"object":"response","model":"m-1","usage":{"input_tokens":115,"output_tokens":42}}`},
		{"/v1beta/models/m-1:generateContent", `{"modelVersion":"m-1","candidates":[{"content":{"parts":[]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":115,"candidatesTokenCount":42}}`},
	} {
		s := newSetup(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, c.body)
		})
		post(t, s.base+c.path)
		e := s.answerEnded(t)
		if e.Broken || e.Usage == nil || e.Usage.Input != 115 || e.Usage.Output != 42 || e.Model != "m-1" {
			t.Errorf("%s: %+v %+v", c.path, e, e.Usage)
		}
		if told := strings.Contains(c.body, "cost"); told != (e.Cost != nil) || told && *e.Cost != 0.25 {
			t.Errorf("%s: cost %v", c.path, e.Cost)
		}
	}
}

// The prices of other servers for a model of the same name are unknown.
func TestListPricesApplyOnlyAtTheProvider(t *testing.T) {
	p := New(newSetup(t, func(http.ResponseWriter, *http.Request) {}).proxy.log)
	defer p.Close(t.Context())
	tunnel, err := p.Open(nil, func(Event) {})
	if err != nil {
		t.Fatal(err)
	}
	for upstream, known := range map[string]bool{"https://api.anthropic.com": true, "https://gateway.example": false, "http://127.0.0.1:1": false} {
		if _, err := tunnel.Route(upstream); err != nil {
			t.Fatal(err)
		}
		a := &answer{of: &passing{t: tunnel, to: tunnel.routes[len(tunnel.routes)-1]}, model: "claude-opus-5", usage: &llm.Usage{Input: 1_000_000}}
		if cost := a.cost(); (cost != nil) != known || known && *cost != 5 {
			t.Errorf("%s: %v", upstream, cost)
		}
	}
}
