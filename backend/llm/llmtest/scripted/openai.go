package scripted

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"weft/backend/llm"
)

func init() {
	register(wire{asks: posts("/v1/chat/completions"), answer: answerChat, failure: openAIFailure, aside: openAIModels})
	register(wire{asks: posts("/v1/responses"), answer: answerResponses, failure: openAIFailure})
}

func posts(path string) func(*http.Request) bool {
	return func(r *http.Request) bool { return r.Method == http.MethodPost && r.URL.Path == path }
}

func openAIModels(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodGet || r.URL.Path != "/v1/models" || r.Header.Get("Anthropic-Version") != "" {
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, `{"object":"list","data":[{"id":"scripted","object":"model"},{"id":"text-embedding-scripted","object":"model"}]}`)
	return true
}

func openAIFailure(status int, message string) string {
	return encoded(object{"error": object{"message": message, "type": openAIErrors[status], "code": nil}})
}

var openAIErrors = map[int]string{
	http.StatusUnauthorized: "authentication_error", http.StatusTooManyRequests: "rate_limit_error", http.StatusInternalServerError: "server_error",
}

type object = map[string]any

func encoded(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain data
	}
	return string(b)
}

// streamed reports whether the client wants a stream, and fails the test if not: every mapper streams.
func (a *answer) streamed() bool {
	var req struct {
		Stream *bool `json:"stream"`
	}
	if err := json.Unmarshal(a.request, &req); err != nil || req.Stream != nil && !*req.Stream {
		a.t.Errorf("%s: no stream is asked for (%v): %s", a.path, err, a.request)
		return false
	}
	return true
}

func answerChat(a *answer, s Step) {
	if !a.streamed() {
		return
	}
	a.header("text/event-stream")
	chunk := func(delta object, finish any) string {
		return "data: " + encoded(object{
			"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "scripted",
			"choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}},
		}) + "\n\n"
	}
	a.raw(chunk(object{"role": "assistant", "content": ""}, nil))
	for _, f := range a.fragments(s.Thinking) {
		a.delta(chunk(object{"reasoning_content": f}, nil))
	}
	for _, f := range a.fragments(s.Text) {
		a.delta(chunk(object{"content": f}, nil))
	}
	for i, c := range s.Calls {
		a.raw(chunk(object{"tool_calls": []object{{"index": i, "id": a.callID(i), "type": "function", "function": object{"name": c.Name, "arguments": ""}}}}, nil))
		for _, f := range a.fragments(c.Input) {
			a.delta(chunk(object{"tool_calls": []object{{"index": i, "function": object{"arguments": f}}}}, nil))
		}
	}
	switch {
	case s.Error != "":
		a.raw("data: " + openAIFailure(http.StatusInternalServerError, s.Error) + "\n\n")
		return
	case s.cut():
		return
	}
	a.raw(chunk(object{}, map[llm.Stop]string{
		llm.StopEnd: "stop", llm.StopTools: "tool_calls", llm.StopLength: "length", llm.StopRefusal: "content_filter",
	}[s.stop()]))
	if strings.Contains(string(a.request), `"include_usage":true`) {
		u := s.Usage
		a.raw("data: " + encoded(object{"choices": []any{}, "usage": object{
			"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output,
			"prompt_tokens_details":     object{"cached_tokens": u.CacheRead},
			"completion_tokens_details": object{"reasoning_tokens": u.Thinking},
		}}) + "\n\n")
	}
	a.raw("data: [DONE]\n\n")
}

// callID is different for each call of the server.
func (a *answer) callID(i int) string { return fmt.Sprintf("call_%d_%d", a.number, i) }

// responsesWriter sends the events of one answer.
type responsesWriter struct {
	*answer
	sequence, index int
	output          []object
}

func (w *responsesWriter) event(kind string, send func(string), fields object) {
	fields["type"], fields["sequence_number"] = kind, w.sequence
	w.sequence++
	send("event: " + kind + "\ndata: " + encoded(fields) + "\n\n")
}

// item sends an item: its begin, its deltas, its end.
func (w *responsesWriter) item(begin, end object, pieces func()) {
	w.event("response.output_item.added", w.raw, object{"output_index": w.index, "item": begin})
	pieces()
	if w.step.cut() && w.last() {
		return
	}
	w.event("response.output_item.done", w.raw, object{"output_index": w.index, "item": end})
	w.output = append(w.output, end)
	w.index++
}

// last reports whether the item that is being written is the answer's last.
func (w *responsesWriter) last() bool {
	items := len(w.step.Calls)
	for _, s := range []string{w.step.Thinking, w.step.Text} {
		if s != "" {
			items++
		}
	}
	return w.index == items-1
}

func (w *responsesWriter) deltas(kind, text string, fields object) {
	for _, f := range w.fragments(text) {
		e := object{"output_index": w.index, "delta": f}
		for k, v := range fields {
			e[k] = v
		}
		w.event(kind, w.delta, e)
	}
}

func answerResponses(a *answer, s Step) {
	if !a.streamed() {
		return
	}
	a.header("text/event-stream")
	w := &responsesWriter{answer: a}
	w.event("response.created", a.raw, object{"response": object{"id": "resp_1", "object": "response", "status": "in_progress", "model": "scripted", "output": []any{}}})
	if s.Thinking != "" {
		item := object{"id": fmt.Sprintf("rs_%d", a.number), "type": "reasoning", "summary": []any{}}
		w.item(item, object{
			"id": item["id"], "type": "reasoning", "summary": []object{{"type": "summary_text", "text": s.Thinking}}, "encrypted_content": "sealed " + s.Thinking,
		}, func() { w.deltas("response.reasoning_summary_text.delta", s.Thinking, object{"summary_index": 0}) })
	}
	if s.Text != "" {
		id := fmt.Sprintf("msg_%d", a.number)
		content := []object{{"type": "output_text", "text": s.Text, "annotations": []any{}}}
		w.item(
			object{"id": id, "type": "message", "role": "assistant", "status": "in_progress", "content": []any{}},
			object{"id": id, "type": "message", "role": "assistant", "status": "completed", "content": content},
			func() { w.deltas("response.output_text.delta", s.Text, object{"item_id": id, "content_index": 0}) },
		)
	}
	for i, c := range s.Calls {
		item := func(arguments, status string) object {
			return object{"id": fmt.Sprintf("fc_%d_%d", a.number, i), "type": "function_call", "call_id": a.callID(i), "name": c.Name, "arguments": arguments, "status": status}
		}
		w.item(item("", "in_progress"), item(c.Input, "completed"), func() { w.deltas("response.function_call_arguments.delta", c.Input, nil) })
	}
	if s.Error != "" {
		w.event("error", a.raw, object{"code": "server_error", "message": s.Error, "param": nil})
	} else if !s.cut() {
		w.end(s)
	}
}

func (w *responsesWriter) end(s Step) {
	kind, status, details := "response.completed", "completed", any(nil)
	if reason := map[llm.Stop]string{llm.StopLength: "max_output_tokens", llm.StopRefusal: "content_filter"}[s.stop()]; reason != "" {
		kind, status, details = "response.incomplete", "incomplete", object{"reason": reason}
	}
	u := s.Usage
	w.event(kind, w.raw, object{"response": object{
		"id": "resp_1", "object": "response", "model": "scripted", "status": status, "incomplete_details": details, "output": w.output,
		"usage": object{
			"input_tokens": u.Input, "output_tokens": u.Output, "total_tokens": u.Input + u.Output,
			"input_tokens_details": object{"cached_tokens": u.CacheRead}, "output_tokens_details": object{"reasoning_tokens": u.Thinking},
		},
	}})
}
