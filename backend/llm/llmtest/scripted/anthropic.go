package scripted

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"weft/backend/llm"
)

func init() {
	register(wire{
		asks: func(r *http.Request) bool {
			return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/v1/messages")
		},
		answer: anthropicAnswer, failure: anthropicFailure, aside: anthropicModels,
	})
}

func anthropicAnswer(a *answer, step Step) {
	a.header("text/event-stream")
	event := func(kind string, body any) string {
		return fmt.Sprintf("event: %s\ndata: %s\n\n", kind, encoded(body))
	}
	u := step.Usage
	a.raw(event("message_start", object{"type": "message_start", "message": object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": modelOf(a.request), "content": []any{}, "stop_reason": nil,
		"usage": object{
			"input_tokens": u.Input - u.CacheRead - u.CacheWrite, "cache_read_input_tokens": u.CacheRead, "cache_creation_input_tokens": u.CacheWrite, "output_tokens": 0,
		},
	}}))
	index := 0
	block := func(first func(string), start object, pieces []object) {
		first(event("content_block_start", object{"type": "content_block_start", "index": index, "content_block": start}))
		for _, piece := range pieces {
			a.delta(event("content_block_delta", object{"type": "content_block_delta", "index": index, "delta": piece}))
		}
		a.raw(event("content_block_stop", object{"type": "content_block_stop", "index": index}))
		index++
	}
	pieces := func(kind, field, text string) (list []object) {
		for _, s := range a.fragments(text) {
			list = append(list, object{"type": kind, field: s})
		}
		return list
	}
	if step.Thinking != "" {
		signed := append(pieces("thinking_delta", "thinking", step.Thinking), object{"type": "signature_delta", "signature": "c2lnbmF0dXJl"})
		block(a.raw, object{"type": "thinking", "thinking": "", "signature": ""}, signed)
	}
	if step.Text != "" {
		block(a.raw, object{"type": "text", "text": ""}, pieces("text_delta", "text", step.Text))
	}
	for i, c := range step.Calls {
		block(a.delta, object{"type": "tool_use", "id": a.callID(i), "name": c.Name, "input": object{}}, pieces("input_json_delta", "partial_json", c.Input))
	}
	switch {
	case step.cut():
	case step.Error != "":
		a.raw(event("error", object{"type": "error", "error": object{"type": "overloaded_error", "message": step.Error}}))
	default:
		a.raw(event("message_delta", object{
			"type": "message_delta", "delta": object{"stop_reason": anthropicStop(step.stop()), "stop_sequence": nil},
			"usage": object{"output_tokens": u.Output, "output_tokens_details": object{"thinking_tokens": u.Thinking}},
		}))
		a.raw(event("message_stop", object{"type": "message_stop"}))
	}
}

func modelOf(request []byte) string {
	var r struct {
		Model string `json:"model"`
	}
	_ = json.Unmarshal(request, &r) // a request that cannot be read has no model
	return r.Model
}

func anthropicStop(s llm.Stop) string {
	switch s {
	case llm.StopTools:
		return "tool_use"
	case llm.StopLength:
		return "max_tokens"
	case llm.StopRefusal:
		return "refusal"
	case llm.StopEnd:
	}
	return "end_turn"
}

func anthropicFailure(status int, message string) string {
	kind := map[int]string{400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error", 413: "request_too_large", 429: "rate_limit_error", 529: "overloaded_error"}[status]
	if kind == "" {
		kind = "api_error"
	}
	return fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":%q}}`, kind, message)
}

func anthropicModels(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodGet || !strings.HasSuffix(r.URL.Path, "/v1/models") || r.Header.Get("Anthropic-Version") == "" {
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"data":[{"type":"model","id":"test-model","display_name":"Test model","max_input_tokens":200000,"max_tokens":64000,"created_at":"2026-01-01T00:00:00Z"}],"has_more":false,"first_id":"test-model","last_id":"test-model"}`))
	return true
}
