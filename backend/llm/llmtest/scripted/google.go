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
			return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, ":streamGenerateContent")
		},
		answer: googleAnswer, failure: googleFailure, aside: googleModels,
	})
}

func googleAnswer(a *answer, step Step) {
	a.header("text/event-stream")
	event := func(body object) string {
		return fmt.Sprintf("data: %s\r\n\r\n", encoded(body))
	}
	part := func(p object) string {
		return event(object{"candidates": []object{{"content": object{"role": "model", "parts": []object{p}}, "index": 0}}, "modelVersion": googleModel(a.path)})
	}
	for _, s := range a.fragments(step.Thinking) {
		a.delta(part(object{"text": s, "thought": true}))
	}
	for _, s := range a.fragments(step.Text) {
		a.delta(part(object{"text": s}))
	}
	for i, c := range step.Calls {
		p := object{"functionCall": object{"id": a.callID(i), "name": c.Name, "args": json.RawMessage(c.Input)}}
		if i == 0 {
			p["thoughtSignature"] = "c2lnbmF0dXJl"
		}
		a.delta(part(p))
	}
	switch {
	case step.cut():
	case step.Error != "":
		a.raw(event(object{"error": object{"code": 503, "message": step.Error, "status": "UNAVAILABLE"}}))
	default:
		u := step.Usage
		a.raw(event(object{
			"candidates":   []object{{"content": object{"role": "model", "parts": []object{{"text": ""}}}, "finishReason": googleStop(step.stop()), "index": 0}},
			"modelVersion": googleModel(a.path),
			"usageMetadata": object{
				"promptTokenCount": u.Input, "cachedContentTokenCount": u.CacheRead, "candidatesTokenCount": u.Output - u.Thinking, "thoughtsTokenCount": u.Thinking,
			},
		}))
	}
}

func googleModel(path string) string {
	_, name, _ := strings.Cut(path, "/models/")
	name, _, _ = strings.Cut(name, ":")
	return name
}

func googleStop(s llm.Stop) string {
	switch s {
	case llm.StopLength:
		return "MAX_TOKENS"
	case llm.StopRefusal:
		return "SAFETY"
	case llm.StopEnd, llm.StopTools:
	}
	return "STOP"
}

func googleFailure(status int, message string) string {
	name := map[int]string{400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}[status]
	if name == "" {
		name = "INTERNAL"
	}
	return fmt.Sprintf(`{"error":{"code":%d,"message":%q,"status":%q}}`, status, message, name)
}

func googleModels(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodGet || !strings.HasSuffix(r.URL.Path, "/v1beta/models") {
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"models":[{"name":"models/test-model","displayName":"Test model","inputTokenLimit":1000000,"supportedGenerationMethods":["generateContent"]},{"name":"models/embed","supportedGenerationMethods":["embedContent"]}]}`))
	return true
}
