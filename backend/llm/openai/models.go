package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"

	"weft/backend/llm"
)

// listed is a model as the several servers list it.
type listed struct {
	ID            string `json:"id"`
	Name          string `json:"name"`           // OpenRouter, Mistral
	ContextLength int64  `json:"context_length"` // OpenRouter
	MaxContext    int64  `json:"max_context_length"`
	MaxModelLen   int64  `json:"max_model_len"` // vLLM
	Meta          struct {
		Context int64 `json:"n_ctx_train"` // llama.cpp
	} `json:"meta"`
	Architecture struct {
		Output []string `json:"output_modalities"`
	} `json:"architecture"`
	Capabilities struct {
		Chat *bool `json:"completion_chat"` // Mistral
	} `json:"capabilities"`
}

// Models implements [llm.Model]. Those that cannot chat are left out, as far as the list or their names tell.
func (m *model) Models(ctx context.Context) ([]llm.ModelInfo, error) {
	if err := m.server.ready(); err != nil {
		return nil, err
	}
	var res *http.Response
	if err := m.client.Execute(ctx, http.MethodGet, "models", nil, &res); err != nil {
		return nil, m.server.end.NetworkError(ctx, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(llm.Bounded(res.Body, 64<<20))
	if err != nil {
		return nil, m.server.end.NetworkError(ctx, err)
	}
	body = bytes.TrimSpace(body)
	if bytes.HasPrefix(body, []byte("<")) {
		return nil, m.server.statusError(res.StatusCode, http.Header{"Content-Type": {"text/html"}}, body)
	}
	var list struct {
		Data []listed `json:"data"`
	}
	if bytes.HasPrefix(body, []byte("[")) { // Together's list is bare
		err = json.Unmarshal(body, &list.Data)
	} else {
		err = json.Unmarshal(body, &list)
	}
	if err = lenient(err); err != nil {
		return nil, m.server.end.NetworkError(ctx, err)
	}
	var out []llm.ModelInfo
	for _, l := range list.Data {
		if l.ID != "" && l.chats() {
			out = append(out, llm.ModelInfo{ID: l.ID, Name: l.Name, Context: max(l.ContextLength, l.MaxContext, l.MaxModelLen, l.Meta.Context)})
		}
	}
	return out, nil
}

func (l listed) chats() bool {
	if l.Capabilities.Chat != nil && !*l.Capabilities.Chat {
		return false
	}
	if out := l.Architecture.Output; len(out) > 0 && !slices.Contains(out, "text") {
		return false
	}
	for _, other := range []string{
		"embed", "tts", "whisper", "dall-e", "image", "audio", "realtime", "moderation", "transcribe", "davinci-002", "babbage-002", "sora", "rerank", "bge-", "gpt-3.5-turbo-instruct",
	} {
		if strings.Contains(strings.ToLower(l.ID), other) {
			return slices.Contains(l.Architecture.Output, "text") // the list knows better than the name
		}
	}
	return true
}
