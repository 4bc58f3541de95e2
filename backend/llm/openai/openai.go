// Package openai reaches models over OpenAI's two wires, chat completions and Responses: OpenAI's own, and those of
// the many servers that speak one of them (LM Studio, vLLM, llama.cpp, OpenRouter, DeepSeek …). Requests are built and sent
// with the official SDK; its environment variables and its retries are not used. The events of a stream are read
// leniently, since few servers send exactly what the SDK's types hold.
//
// How clean messages look on chat completions is said by package turns; on Responses they are sent as items.
package openai

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"weft/backend/llm"
)

const officialURL = "https://api.openai.com/v1"

// New makes the mapper. With no API named in opt, OpenAI's own models that are made for Responses are asked over it, and
// everything else over chat completions. Only OpenAI's own address needs a key.
func New(opt llm.Options) llm.Model {
	opt = opt.WithDefaults(officialURL)
	m := &model{opt: opt, end: llm.Endpoint{Provider: "OpenAI", URL: opt.BaseURL, KeyFrom: opt.KeyFrom}, quirks: map[string]quirks{}}
	if u, err := url.Parse(opt.BaseURL); err == nil {
		m.host = u.Host
	}
	m.official = m.host == "api.openai.com"
	if !m.official && m.host != "" {
		m.end.Provider = m.host
	}
	m.client = sdk.Client{Options: []option.RequestOption{
		option.WithBaseURL(opt.BaseURL),
		option.WithHTTPClient(opt.Client),
		option.WithMaxRetries(0),
		option.WithMiddleware(m.refuse),
	}}
	if opt.Key != "" {
		m.client.Options = append(m.client.Options, option.WithAPIKey(opt.Key))
	}
	return m
}

type model struct {
	opt      llm.Options
	end      llm.Endpoint
	host     string
	official bool
	client   sdk.Client

	mu     sync.Mutex
	quirks map[string]quirks // what a model was found not to accept
}

// Stream implements [llm.Model].
func (m *model) Stream(ctx context.Context, req llm.Request, emit func(llm.Delta)) (llm.Response, error) {
	if err := m.ready(); err != nil {
		return llm.Response{Message: llm.Message{Role: llm.RoleModel}}, err
	}
	if m.api(req.Model) == "responses" {
		return m.streamResponses(ctx, req, emit)
	}
	return m.streamChat(ctx, req, emit)
}

func (m *model) ready() error {
	if u, err := url.Parse(m.opt.BaseURL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return &llm.Error{Code: llm.CodeUnreachable, Message: "The base URL of " + m.end.Provider + " isn't an address such as https://example.com/v1."}
	}
	if m.official && m.opt.Key == "" {
		return m.end.NoKey()
	}
	return nil
}

// api chooses the wire.
func (m *model) api(name string) string {
	switch {
	case m.opt.API != "":
		return m.opt.API
	case m.official && reasons(name):
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
	known := m.quirksOf(req.Model)
	for {
		var res *http.Response
		err := m.client.Execute(ctx, http.MethodPost, path, build(known), &res,
			option.WithHeader("Accept", "text/event-stream"), option.WithJSONSet("stream", true))
		if err == nil {
			return newEvents(m.end, res)
		}
		err = m.failure(ctx, err)
		quirk, sentence := known.learn(err)
		if quirk == known {
			return nil, err
		}
		if known = quirk; sentence != "" && req.Log != nil {
			req.Log(sentence)
		}
		m.mu.Lock()
		m.quirks[req.Model] = known
		m.mu.Unlock()
	}
}

func (m *model) quirksOf(name string) quirks {
	m.mu.Lock()
	defer m.mu.Unlock()
	q, ok := m.quirks[name]
	if !ok {
		q.maxTokens = !m.official // the older name is what most others know
	}
	return q
}
