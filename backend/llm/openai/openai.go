// Package openai reaches models over OpenAI's two wires, chat completions and Responses: OpenAI's own, and those of the
// many servers that speak one of them (LM Studio, vLLM, llama.cpp, OpenRouter, DeepSeek …). Requests are built and sent
// with the official SDK; its environment variables and its retries are not used. The events of a stream are read
// leniently, since few servers send exactly what the SDK's types hold.
//
// How clean messages look on chat completions is said by package turns; on Responses they are sent as items.
//
// chat_*.go and responses_*.go are the wires, quirks.go knows what compatible servers refuse.
package openai

import (
	"context"
	"net/http"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"weft/backend/llm"
)

const officialURL = "https://api.openai.com/v1"

// New makes the mapper. With no API named in opt, OpenAI's own models that are made for Responses are asked over it,
// and everything else over chat completions. Only OpenAI's own address needs a key.
func New(opt llm.Options) llm.Model {
	opt = opt.WithDefaults(officialURL)
	m := &model{api: opt.API, server: newServer(opt)}
	m.known.official = m.server.official
	m.client = sdk.Client{Options: []option.RequestOption{
		option.WithBaseURL(opt.BaseURL),
		option.WithHTTPClient(opt.Client),
		option.WithMaxRetries(0),
		option.WithMiddleware(m.server.refuse),
	}}
	if opt.Key != "" {
		m.client.Options = append(m.client.Options, option.WithAPIKey(opt.Key))
	}
	return m
}

// model asks the models of a server.
type model struct {
	api    string // the wire that all are asked over, "" if it is chosen for each
	server *server
	client sdk.Client
	known  knownQuirks
}

// Stream implements [llm.Model].
func (m *model) Stream(ctx context.Context, req llm.Request, emit func(llm.Delta)) (llm.Response, error) {
	if err := m.server.ready(); err != nil {
		return llm.Response{Message: llm.Message{Role: llm.RoleModel}}, err
	}
	if m.wire(req.Model) == "responses" {
		return m.streamResponses(ctx, req, emit)
	}
	return m.streamChat(ctx, req, emit)
}

// wire chooses the wire for a model: chat or responses.
func (m *model) wire(name string) string {
	switch {
	case m.api != "":
		return m.api
	case m.server.official && reasons(name):
		return "responses"
	default:
		return "chat"
	}
}

// reasons reports whether a model thinks before it answers, as far as its name tells. All of OpenAI's newer ones do.
func reasons(name string) bool {
	name = name[strings.LastIndex(name, "/")+1:]
	for _, old := range []string{"gpt-3", "gpt-4", "chatgpt-", "davinci", "babbage", "ft:gpt-3", "ft:gpt-4"} {
		if strings.HasPrefix(name, old) {
			return false
		}
	}
	return !strings.Contains(name, "-chat")
}

// send asks for an answer and returns its events. What the server says it does not accept of a request, and the
// request can do without, is taken out of it; so build may be called more than once.
func (m *model) send(ctx context.Context, req llm.Request, path string, build func(quirks) any) (*events, error) {
	known := m.known.of(req.Model)
	for {
		var res *http.Response
		err := m.client.Execute(ctx, http.MethodPost, path, build(known), &res,
			option.WithHeader("Accept", "text/event-stream"), option.WithJSONSet("stream", true))
		if err == nil {
			return newEvents(m.server.end, res)
		}
		err = m.server.end.NetworkError(ctx, err)
		quirk, sentence := known.learn(err)
		if quirk == known {
			return nil, err
		}
		if known = quirk; sentence != "" && req.Log != nil {
			req.Log(sentence)
		}
		m.known.set(req.Model, known)
	}
}
