// Package google maps clean messages to the Gemini API and its stream back.
//
// It doesn't use the official SDK: its maps change the order of keys and round large numbers, it hides headers, and it
// brings gRPC and the sign-in of a cloud along, which was a third of the program.
//
// The results of tools come first in a user message, which is how clean messages have them already; nothing else moves
// but the pictures and files of results for models older than Gemini 3: they are behind all results, each with a line
// that says whose it is, as those models take none inside of a result. Files are announced by a line with their name.
// Blank texts are left out, and GIFs, which the API does not take, become PNGs of their first frame.
package google

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"weft/backend/llm"
	"weft/backend/llm/sse"
)

// Provider is the mapper's name in sealed data.
const Provider = "google"

const baseURL = "https://generativelanguage.googleapis.com"

type model struct {
	opt   llm.Options
	e     llm.Endpoint
	whole atomic.Bool // the server has refused to stream arguments
}

// New makes the mapper.
func New(opt llm.Options) llm.Model {
	opt = opt.WithDefaults(baseURL)
	opt.BaseURL = strings.TrimRight(opt.BaseURL, "/")
	for _, version := range []string{"/v1beta", "/v1"} { // one of them is added
		opt.BaseURL = strings.TrimSuffix(opt.BaseURL, version)
	}
	return &model{opt: opt, e: llm.Endpoint{Provider: "Google", URL: opt.BaseURL, KeyFrom: opt.KeyFrom}}
}

// Stream implements llm.Model.
func (m *model) Stream(ctx context.Context, req llm.Request, emit func(llm.Delta)) (llm.Response, error) {
	if err := m.ready(); err != nil {
		return llm.Response{}, err
	}
	r, err := newRequest(req)
	if err != nil {
		return llm.Response{}, err
	}
	r.body.ToolConfig.Calling.Streams = len(req.Tools) > 0 && m.streamsArguments(req.Model)
	res, err := m.send(ctx, req.Model, r)
	if r.body.ToolConfig.Calling.Streams && refusesField(err) {
		m.whole.Store(true)
		r.body.ToolConfig.Calling.Streams = false
		res, err = m.send(ctx, req.Model, r)
	}
	if err != nil {
		return llm.Response{}, err
	}
	defer res.Body.Close()
	if err := sse.Check(res, m.e, m.opt.Now()); err != nil {
		return llm.Response{}, err
	}
	a := newReader(req, emit)
	err = a.read(res.Body, m)
	if err != nil {
		err = m.fail(ctx, err)
	}
	return a.response(), err
}

// streamsArguments reports whether the arguments of calls are asked for as the model writes them. Google documents that
// for Gemini 3 on Vertex AI, and not for the Gemini API; who serves a model elsewhere is asked once.
func (m *model) streamsArguments(name string) bool {
	return m.opt.BaseURL != baseURL && !m.whole.Load() && generationOf(name) >= 30 && generationOf(name) < newest
}

// refusesField reports whether a server refuses a request because it does not know how to stream arguments.
func refusesField(err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	return ok && e.Status == http.StatusBadRequest && strings.Contains(strings.ToLower(e.Message), strings.ToLower(streamArguments))
}

// send sends a request. The caller closes the body of the answer.
func (m *model) send(ctx context.Context, name string, r *request) (*http.Response, error) {
	text, err := json.Marshal(r.body)
	if err != nil {
		return nil, m.fail(ctx, err)
	}
	if !strings.HasPrefix(name, "models/") && !strings.HasPrefix(name, "tunedModels/") {
		name = "models/" + name
	}
	return m.ask(ctx, http.MethodPost, name+":streamGenerateContent?alt=sse", bytes.NewReader(text))
}

// ask sends a request to a path of the API. An answer with another status than 200 is an error.
func (m *model) ask(ctx context.Context, method, path string, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, m.opt.BaseURL+"/v1beta/"+path, body)
	if err != nil { // which may print the key of an address
		return nil, llm.Fail(llm.CodeRequest, "The connection to Google can't be set up with this base URL and key.")
	}
	req.Header.Set("Content-Type", "application/json")
	if m.opt.Key != "" {
		req.Header.Set("X-Goog-Api-Key", m.opt.Key)
	}
	res, err := m.opt.Client.Do(req)
	if err != nil {
		return nil, m.fail(ctx, err)
	}
	if res.StatusCode == http.StatusOK {
		return res, nil
	}
	defer res.Body.Close()
	said, err := io.ReadAll(io.LimitReader(res.Body, maxError))
	if err != nil && len(said) == 0 {
		return nil, m.fail(ctx, err)
	}
	return nil, m.status(res.StatusCode, res.Header, readError(said))
}

// Models implements llm.Model.
func (m *model) Models(ctx context.Context) ([]llm.ModelInfo, error) {
	if err := m.ready(); err != nil {
		return nil, err
	}
	var list []llm.ModelInfo
	next := ""
	for range maxPages {
		page, err := m.page(ctx, next)
		if err != nil {
			return nil, err
		}
		for _, info := range page.Models {
			if len(info.Actions) == 0 || slices.Contains(info.Actions, "generateContent") { // compatible servers may not say
				list = append(list, llm.ModelInfo{ID: strings.TrimPrefix(info.Name, "models/"), Name: info.Display, Context: info.Input})
			}
		}
		if next = page.Next; next == "" || len(list) >= maxModels {
			return list[:min(len(list), maxModels)], nil
		}
	}
	return nil, m.fail(ctx, errPages)
}

// page asks for one page of the list of models.
func (m *model) page(ctx context.Context, token string) (page listed, err error) {
	path := "models"
	if token != "" {
		path += "?" + url.Values{"pageToken": {token}}.Encode()
	}
	res, err := m.ask(ctx, http.MethodGet, path, http.NoBody)
	if err != nil {
		return page, err
	}
	defer res.Body.Close()
	if err := json.NewDecoder(io.LimitReader(res.Body, maxPage)).Decode(&page); err != nil {
		return page, m.fail(ctx, err)
	}
	return page, nil
}

// Bounds of what doesn't end: the models of a list and its pages, and in bytes, one of these and what is read of an
// error.
const (
	maxModels = 2000
	maxPages  = 50
	maxPage   = 16 << 20
	maxError  = 1 << 20
)

var errPages = errors.New("the list doesn't end")

// ready lets requests without a key go to other addresses than Google's own, where servers may know no keys.
func (m *model) ready() error {
	if m.opt.Key == "" && m.opt.BaseURL == baseURL {
		return m.e.NoKey()
	}
	return nil
}
