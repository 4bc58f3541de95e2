// Package ollama reaches local models through Ollama's own wire (/api/chat) and its official client. How clean messages
// look on it is said by package turns; images are before the text of a message, so a picture begins a message of its own.
//
// A model is asked first what it can do, once: tools and pictures for a model that has no use for them are an error with
// a sentence, since Ollama would leave them out of the prompt. For the same reason a conversation that is too long is refused
// instead of cut, and the context is asked for as large as the conversation needs.
package ollama

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/ollama/ollama/api"

	"weft/backend/llm"
	"weft/backend/llm/assemble"
)

const localURL = "http://127.0.0.1:11434"

// New makes the mapper. A key is needed only by a server that asks for one, such as ollama.com.
func New(opt llm.Options) llm.Model {
	opt = opt.WithDefaults(localURL)
	m := &model{opt: opt, end: llm.Endpoint{Provider: "Ollama", URL: opt.BaseURL, KeyFrom: opt.KeyFrom}, known: map[string]traits{}}
	base, err := url.Parse(opt.BaseURL)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return m
	}
	for _, suffix := range []string{"/", "/v1", "/api"} { // of its other wire, and of this one
		base.Path = strings.TrimSuffix(base.Path, suffix)
	}
	if opt.Key != "" && base.Host == "ollama.com" {
		base.Host = "OLLAMA.COM" // the client would sign with a key of its own for the host that it knows
	}
	m.base = base
	return m
}

type model struct {
	opt  llm.Options
	end  llm.Endpoint
	base *url.URL // nil where the address is none

	mu    sync.Mutex
	known map[string]traits
}

// client makes a client for one request, whose lines the trace keeps.
func (m *model) client() (*api.Client, *trace, error) {
	if m.base == nil {
		return nil, nil, llm.Fail(llm.CodeUnreachable, "The base URL of {{provider}} isn't an address such as {{example}}.", "Ollama", "http://127.0.0.1:11434")
	}
	t := &trace{model: m, next: m.opt.Client.Transport}
	if t.next == nil {
		t.next = http.DefaultTransport
	}
	c := *m.opt.Client
	c.Transport = t
	return api.NewClient(m.base, &c), t, nil
}

// Stream implements [llm.Model].
func (m *model) Stream(ctx context.Context, req llm.Request, emit func(llm.Delta)) (llm.Response, error) {
	c := &chat{model: m, answer: assemble.New(req, emit)}
	traits, err := m.check(ctx, req)
	if err != nil {
		return c.response(), err
	}
	wire, err := m.request(req, traits)
	if err != nil {
		return c.response(), err
	}
	err = c.read(ctx, wire)
	return c.response(), err
}
