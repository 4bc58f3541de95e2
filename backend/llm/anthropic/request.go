package anthropic

import (
	"encoding/json"
	"slices"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"weft/backend/llm"
	"weft/backend/llm/schema"
)

// request maps everything but "stream".
func request(req llm.Request) (sdk.MessageNewParams, error) {
	p := sdk.MessageNewParams{Model: req.Model}
	if strings.TrimSpace(req.System) != "" {
		p.System = []sdk.TextBlockParam{{Text: req.System}}
	}
	eager := traitsOf(req.Model).eager
	for _, t := range req.Tools {
		p.Tools = append(p.Tools, tool(t, eager, req.Log))
	}
	for _, m := range req.Messages {
		mapped, err := message(m, req.Model)
		if err != nil {
			return p, err
		}
		p.Messages = append(p.Messages, mapped)
	}
	if req.Output != nil {
		s, err := schema.ForOutput(*req.Output, schema.AnthropicOutput, req.Log)
		if err != nil {
			return p, err
		}
		p.OutputConfig.Format = param.Override[sdk.JSONOutputFormatParam](struct {
			Type   string          `json:"type"`
			Schema json.RawMessage `json:"schema"` // raw, since the SDK's map would change the order of keys
		}{"json_schema", s})
	}
	think(&p, req, openLoop(p.Messages))
	mark(&p)
	return p, nil
}

func tool(t llm.Tool, eager bool, log func(string)) sdk.ToolUnionParam {
	p := sdk.ToolParam{
		Name:        t.Name,
		InputSchema: param.Override[sdk.ToolInputSchemaParam](schema.ForTool(t, schema.AnthropicTool, log)),
	}
	if t.Description != "" {
		p.Description = param.NewOpt(t.Description)
	}
	if eager {
		// Without it the API waits until each field of an input is whole and valid.
		p.EagerInputStreaming = param.NewOpt(true)
	}
	return sdk.ToolUnionParam{OfTool: &p}
}

// openLoop says whether the model's last message has calls and does not begin with thinking.
func openLoop(messages []sdk.MessageParam) bool {
	for _, m := range slices.Backward(messages) {
		if m.Role != sdk.MessageParamRoleAssistant {
			continue
		}
		first := m.Content[0]
		return first.OfThinking == nil && first.OfRedactedThinking == nil &&
			slices.ContainsFunc(m.Content, func(b sdk.ContentBlockParamUnion) bool { return b.OfToolUse != nil })
	}
	return false
}

// mark sets the marks of the prompt cache, at most four: behind the tools, the system prompt, and the last two user
// messages. The last one is where the next request of the conversation finds its prefix; the one before is where this
// request finds what the previous one wrote, also if more blocks came since than the API looks back.
func mark(p *sdk.MessageNewParams) {
	here := sdk.NewCacheControlEphemeralParam()
	if n := len(p.Tools); n > 0 {
		p.Tools[n-1].OfTool.CacheControl = here
	}
	if n := len(p.System); n > 0 {
		p.System[n-1].CacheControl = here
	}
	marks := 2
	for _, m := range slices.Backward(p.Messages) {
		if m.Role != sdk.MessageParamRoleUser || marks == 0 {
			continue
		}
		if at := m.Content[len(m.Content)-1].GetCacheControl(); at != nil {
			*at = here
			marks--
		}
	}
}
