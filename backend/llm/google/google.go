// Package google maps clean messages to the Gemini API and its stream back, through the official SDK.
//
// The SDK builds and sends the requests. Its maps would change the order of keys and round large numbers, so raw JSON
// is put into the body just before it is sent, and the answer is read here rather than by the SDK, which also
// writes to the log and hides headers.
//
// The results of tools come first in a user message, which is how clean messages have them already; nothing else
// moves but the pictures and files of results for models older than Gemini 3: they are behind all results, each with a line
// that says whose it is, as those models take none inside of a result. Files are announced by a line with their name.
// Blank texts are left out, and GIFs, which the API does not take, become PNGs of their first frame.
package google

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"google.golang.org/genai"

	"weft/backend/llm"
	"weft/backend/llm/sse"
)

// Provider is the mapper's name in sealed data.
const Provider = "google"

const baseURL = "https://generativelanguage.googleapis.com"

type model struct {
	opt    llm.Options
	e      llm.Endpoint
	client *genai.Client
	whole  atomic.Bool // the server has refused to stream arguments
}

// New makes the mapper.
func New(opt llm.Options) llm.Model {
	opt = opt.WithDefaults(baseURL)
	opt.BaseURL = strings.TrimRight(opt.BaseURL, "/")
	for _, version := range []string{"/v1beta", "/v1"} { // the SDK adds it
		opt.BaseURL = strings.TrimSuffix(opt.BaseURL, version)
	}
	m := &model{opt: opt, e: llm.Endpoint{Provider: "Google", URL: opt.BaseURL, KeyFrom: opt.KeyFrom}}
	client := *opt.Client
	client.Transport = trace{next: client.Transport, keyless: opt.Key == ""}
	key := opt.Key
	if key == "" {
		key = "none" // the SDK takes one from the environment otherwise; trace removes it
	}
	// It fails only for combinations of options that are not used here. Its error is not kept: it prints the options with the key.
	m.client, _ = genai.NewClient(context.Background(), &genai.ClientConfig{
		APIKey: key, Backend: genai.BackendGeminiAPI, HTTPClient: &client, HTTPOptions: genai.HTTPOptions{BaseURL: opt.BaseURL},
	})
	return m
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
	r.streams = m.streamsArguments(req.Model)
	res, err := m.send(ctx, req.Model, r)
	if r.streams && refusesField(err) {
		m.whole.Store(true)
		r.streams = false
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
	err = a.read(res.Body)
	if err != nil {
		err = m.fail(ctx, nil, err)
	}
	return a.response(), err
}

// streamsArguments reports whether the arguments of calls are asked for as the model writes them. Google documents that for Gemini 3 on
// Vertex AI, and not for the Gemini API; who serves a model elsewhere is asked once.
func (m *model) streamsArguments(name string) bool {
	return m.opt.BaseURL != baseURL && !m.whole.Load() && generation(name) >= 30 && generation(name) < newest
}

// refusesField reports whether a server refuses a request because it does not know how to stream arguments.
func refusesField(err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	return ok && e.Status == http.StatusBadRequest && strings.Contains(strings.ToLower(e.Message), strings.ToLower(streamArguments))
}

// send makes the SDK send a request and takes the answer away from it.
func (m *model) send(ctx context.Context, name string, r *request) (*http.Response, error) {
	t := &taken{streams: true}
	r.config.HTTPOptions = &genai.HTTPOptions{ExtrasRequestProvider: r.rawJSON}
	for _, err := range m.client.Models.GenerateContentStream(context.WithValue(ctx, takenKey{}, t), name, r.contents, r.config) {
		if err != nil {
			return nil, m.fail(ctx, t, err)
		}
	}
	if t.res == nil {
		return nil, m.fail(ctx, t, errNothing)
	}
	return t.res, nil
}

// Models implements llm.Model.
func (m *model) Models(ctx context.Context) ([]llm.ModelInfo, error) {
	if err := m.ready(); err != nil {
		return nil, err
	}
	var list []llm.ModelInfo
	t := &taken{}
	for info, err := range m.client.Models.All(context.WithValue(ctx, takenKey{}, t)) {
		if err != nil {
			return nil, m.fail(ctx, t, err)
		}
		if len(info.SupportedActions) == 0 || slices.Contains(info.SupportedActions, "generateContent") { // compatible servers may not say
			list = append(list, llm.ModelInfo{ID: strings.TrimPrefix(info.Name, "models/"), Name: info.DisplayName, Context: int64(info.InputTokenLimit)})
		}
		if len(list) == maxModels {
			break
		}
	}
	return list, nil
}

// maxModels bounds a list that does not end.
const maxModels = 2000

// ready lets requests without a key go to other addresses than Google's own, where servers may know no keys.
func (m *model) ready() error {
	if m.opt.Key == "" && m.opt.BaseURL == baseURL {
		return m.e.NoKey()
	}
	if m.client == nil {
		return llm.Fail(llm.CodeRequest, "The connection to Google can't be set up with this base URL and key.")
	}
	return nil
}
