// Package ollama reaches local models through Ollama's own wire (/api/chat). How clean messages look on it is said by
// package turns; images are before the text of a message, so a picture begins a message of its own.
//
// It doesn't use Ollama's client, because the client's types lose the order of keys and the digits of large numbers,
// and it hides the headers of an error and the reason why a stream ended.
//
// A model is asked first what it can do, once: tools and pictures for a model that has no use for them are an error
// with a sentence, since Ollama would leave them out of the prompt. For the same reason a conversation that is too long
// is refused instead of cut, and the context is asked for as large as the conversation needs.
package ollama

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

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

// Stream implements [llm.Model].
func (m *model) Stream(ctx context.Context, req llm.Request, emit func(llm.Delta)) (llm.Response, error) {
	c := &chat{model: m, answer: assemble.New(req, emit)}
	traits, err := m.check(ctx, req)
	if err != nil {
		return c.response(), err
	}
	asked, err := newRequest(req, traits)
	if err != nil {
		return c.response(), err
	}
	err = c.read(ctx, asked)
	return c.response(), err
}

// The bounds of an answer, of a line of it, and of an error, in bytes.
const (
	maxAnswer = 256 << 20
	maxLine   = 64 << 20
	maxError  = 1 << 20
)

// ask sends a request to a path of the API and returns the body of the answer, which the caller closes. Without a
// request it is a GET.
func (m *model) ask(ctx context.Context, path string, request any) (io.ReadCloser, error) {
	if m.base == nil {
		return nil, llm.Fail(llm.CodeUnreachable, "The base URL of {{provider}} isn't an address such as {{example}}.", "Ollama", localURL)
	}
	method, sent := http.MethodGet, []byte(nil)
	if request != nil {
		method = http.MethodPost
		var err error
		if sent, err = json.Marshal(request); err != nil {
			return nil, llm.Fail(llm.CodeUnmappable, "{{reason}} Nothing was sent.", "The request can't be written: "+err.Error()+".").Because(err)
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, m.base.JoinPath(path).String(), bytes.NewReader(sent))
	if err != nil {
		return nil, m.end.NetworkError(ctx, err)
	}
	req.Header.Set("Content-Type", "application/json")
	if m.opt.Key != "" {
		req.Header.Set("Authorization", "Bearer "+m.opt.Key)
	}
	res, err := m.opt.Client.Do(req)
	if err != nil {
		return nil, m.end.NetworkError(ctx, err)
	}
	body := bufio.NewReader(llm.Bounded(res.Body, maxAnswer))
	if head, _ := body.Peek(1); res.StatusCode == http.StatusOK && string(head) != "<" {
		return answer{body, res.Body}, nil
	}
	defer res.Body.Close()
	said, err := io.ReadAll(io.LimitReader(body, maxError))
	switch {
	case err != nil && len(said) == 0:
		return nil, m.end.NetworkError(ctx, err)
	case res.StatusCode == http.StatusOK:
		res.Header.Set("Content-Type", "text/html")
	}
	return nil, m.statusError(res.StatusCode, res.Header, said)
}

type answer struct {
	io.Reader
	io.Closer
}

// get sends a request to a path of the API and decodes the answer.
func (m *model) get(ctx context.Context, path string, request, into any) error {
	body, err := m.ask(ctx, path, request)
	if err != nil {
		return err
	}
	defer body.Close()
	if err := json.NewDecoder(body).Decode(into); err != nil {
		return m.end.NetworkError(ctx, err)
	}
	return nil
}

func (m *model) statusError(status int, header http.Header, body []byte) *llm.Error {
	var s failure
	if json.Unmarshal(body, &s) != nil || s.Error == "" {
		s.Error = string(body)
	}
	if m.opt.Key != "" {
		s.Error = strings.ReplaceAll(s.Error, m.opt.Key, "[key]")
	}
	return m.end.StatusError(status, header, s.Error, m.opt.Now(), nil)
}
