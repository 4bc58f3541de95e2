// Package anthropic maps clean messages to Anthropic's Messages API and its stream back, through the official SDK.
//
// The results of tools come first in a user message, which is how clean messages have them already; nothing else moves.
// Thinking goes back where it was, unchanged and with its signature, to the model that wrote it; any other thinking
// becomes a text in <thinking>. Blank texts are left out, since the API refuses them.
package anthropic

import (
	"context"
	"net/http"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"weft/backend/llm"
	"weft/backend/llm/sse"
)

// Provider is the mapper's name in sealed data.
const Provider = "anthropic"

const baseURL = "https://api.anthropic.com"

type model struct {
	opt    llm.Options
	e      llm.Endpoint
	client sdk.Client
}

// New makes the mapper. Nothing is read from the environment.
func New(opt llm.Options) llm.Model {
	opt = opt.WithDefaults(baseURL)
	opt.BaseURL = strings.TrimSuffix(strings.TrimRight(opt.BaseURL, "/"), "/v1") // the SDK adds it
	opts := []option.RequestOption{
		option.WithoutEnvironmentDefaults(), option.WithBaseURL(opt.BaseURL), option.WithHTTPClient(opt.Client), option.WithMaxRetries(0),
	}
	if opt.Key != "" {
		opts = append(opts, option.WithAPIKey(opt.Key))
	}
	return &model{opt, llm.Endpoint{Provider: "Anthropic", URL: opt.BaseURL, KeyFrom: opt.KeyFrom}, sdk.NewClient(opts...)}
}

// Stream implements llm.Model.
func (m *model) Stream(ctx context.Context, req llm.Request, emit func(llm.Delta)) (llm.Response, error) {
	if err := m.hasKey(); err != nil {
		return llm.Response{}, err
	}
	params, err := request(req)
	if err != nil {
		return llm.Response{}, err
	}
	// Not Messages.NewStreaming: it reads past events of compatible servers that leave out their names, hides the
	// response by which a web page is told from a stream, and writes warnings to stderr.
	var res *http.Response
	opts := append(m.lenient(&params), option.WithJSONSet("stream", true))
	if err := m.client.Post(ctx, "v1/messages", params, &res, opts...); err != nil {
		return llm.Response{}, m.fail(ctx, err)
	}
	defer res.Body.Close()
	if err := sse.Check(res, m.e, m.opt.Now()); err != nil {
		return llm.Response{}, err
	}
	r := newReader(req, emit)
	err = r.read(res.Body, m)
	if err != nil {
		err = m.fail(ctx, err)
	}
	return r.response(), err
}

// lenient asks the API to leave thinking out that is no longer good, rather than to refuse the request forever: newer
// models bind it to the system prompt, the tools and the messages before it, and these may change, by a mode or an MCP
// server. Only Anthropic's own address is sure to know the option.
func (m *model) lenient(p *sdk.MessageNewParams) []option.RequestOption {
	if m.opt.BaseURL != baseURL || p.Thinking.OfAdaptive == nil || !traitsOf(p.Model).bound {
		return nil
	}
	p.Thinking.OfAdaptive.SetExtraFields(map[string]any{"block_binding": sdk.BetaThinkingBlockBindingParam{
		PrefixMismatchBehavior: sdk.BetaThinkingPrefixMismatchBehaviorDropBlock,
	}})
	return []option.RequestOption{option.WithHeader("anthropic-beta", sdk.AnthropicBetaThinkingBindingControls2026_08_01)}
}

// Models implements llm.Model.
func (m *model) Models(ctx context.Context) ([]llm.ModelInfo, error) {
	if err := m.hasKey(); err != nil {
		return nil, err
	}
	var list []llm.ModelInfo
	pages := m.client.Models.ListAutoPaging(ctx, sdk.ModelListParams{Limit: param.NewOpt[int64](1000)})
	for pages.Next() && len(list) < maxModels {
		info := pages.Current()
		list = append(list, llm.ModelInfo{ID: info.ID, Name: info.DisplayName, Context: info.MaxInputTokens})
	}
	if err := pages.Err(); err != nil {
		return nil, m.fail(ctx, err)
	}
	return list, nil
}

// maxModels bounds a list that does not end.
const maxModels = 2000

// hasKey lets requests without a key go to other addresses than Anthropic's own, where servers may know no keys.
func (m *model) hasKey() error {
	if m.opt.Key == "" && m.opt.BaseURL == baseURL {
		return m.e.NoKey()
	}
	return nil
}
