package scripted

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"weft/backend/llm"
)

// Ollama's wire, as its own server writes it: JSON lines, thinking and text in pieces, each call whole in a line of its
// own, counts in the last line. All models but those named "plain" have tools, vision and thinking.
func init() {
	register(wire{asks: posts("/api/chat"), answer: answerOllama, failure: ollamaFailure, aside: ollamaAside})
}

func ollamaFailure(_ int, message string) string { return encoded(object{"error": message}) }

func ollamaAside(w http.ResponseWriter, r *http.Request) bool {
	switch r.Method + r.URL.Path {
	case "HEAD/", "GET/":
		_, _ = io.WriteString(w, "Ollama is running")
	case "GET/api/tags":
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = io.WriteString(w, encoded(object{"models": []object{ollamaModel("scripted:latest"), ollamaModel("plain:latest")}}))
	case "POST/api/show":
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		ollamaShow(w, r)
	default:
		return false
	}
	return true
}

func ollamaModel(name string) object {
	return object{
		"name": name, "model": name, "modified_at": "2026-01-02T03:04:05.678901234Z", "size": 4661224676, "digest": "365c0bd3c000a25d28ddbf732fe1c6add414de7275464c4e4d1c3b5fcb5d8ad1",
		"details": object{"parent_model": "", "format": "gguf", "family": "scripted", "families": []string{"scripted"}, "parameter_size": "8.0B", "quantization_level": "Q4_0"},
	}
}

func ollamaShow(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Model string `json:"model"`
		Name  string `json:"name"`
	}
	body, _ := r.GetBody()
	if err := json.NewDecoder(body).Decode(&req); err != nil || req.Model == "missing" {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, encoded(object{"error": fmt.Sprintf("model '%s' not found", req.Model)}))
		return
	}
	capabilities := []string{"completion", "tools", "vision", "thinking"}
	if req.Model == "plain" || req.Model == "plain:latest" {
		capabilities = capabilities[:1]
	}
	_, _ = io.WriteString(w, encoded(object{
		"license": "", "modelfile": "", "parameters": "", "template": "{{ .Prompt }}", "modified_at": "2026-01-02T03:04:05Z",
		"details": ollamaModel(req.Model)["details"], "capabilities": capabilities,
		"model_info": object{"general.architecture": "scripted", "scripted.context_length": 131072, "scripted.embedding_length": 4096},
	}))
}

func answerOllama(a *answer, s Step) {
	if !a.streamed() {
		return
	}
	a.header("application/x-ndjson")
	line := func(message object, more object) string {
		message["role"] = "assistant"
		if message["content"] == nil {
			message["content"] = ""
		}
		l := object{"model": "scripted", "created_at": time.Now().UTC().Format(time.RFC3339Nano), "message": message, "done": false}
		for k, v := range more {
			l[k] = v
		}
		return encoded(l) + "\n"
	}
	for _, f := range a.fragments(s.Thinking) {
		a.delta(line(object{"thinking": f}, nil))
	}
	for _, f := range a.fragments(s.Text) {
		a.delta(line(object{"content": f}, nil))
	}
	for i, c := range s.Calls {
		if !json.Valid([]byte(c.Input)) {
			a.t.Errorf("Ollama writes whole calls only; the input of %s isn't JSON: %s", c.Name, c.Input)
			return
		}
		a.delta(line(object{"tool_calls": []object{{"id": a.callID(i), "function": object{"index": i, "name": c.Name, "arguments": json.RawMessage(c.Input)}}}}, nil))
	}
	switch {
	case s.Error != "":
		a.raw(ollamaFailure(0, s.Error) + "\n")
	case !s.cut():
		reason := "stop" // also behind calls
		if s.stop() == llm.StopLength {
			reason = "length"
		}
		a.raw(line(object{}, object{
			"done": true, "done_reason": reason, "total_duration": 174560334, "load_duration": 101397084,
			"prompt_eval_count": s.Usage.Input, "prompt_eval_duration": 13074791, "eval_count": s.Usage.Output, "eval_duration": 52479709,
		}))
	}
}
