package openai

import (
	"encoding/json"
	"slices"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"weft/backend/llm"
	"weft/backend/llm/turns"
)

// chatWriter writes conversations for chat completions of a server.
type chatWriter struct{ server *server }

// request makes a request.
func (w chatWriter) request(req llm.Request, messages []sdk.ChatCompletionMessageParamUnion, tools []function, form *output, q quirks) sdk.ChatCompletionNewParams {
	p := sdk.ChatCompletionNewParams{Model: req.Model, Messages: messages}
	for _, f := range tools {
		p.Tools = append(p.Tools, sdk.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: f.name, Description: optional(f.description), Parameters: f.parameters,
		}))
	}
	if req.MaxTokens > 0 && q.maxTokens {
		p.MaxTokens = sdk.Int(int64(req.MaxTokens))
	} else if req.MaxTokens > 0 {
		p.MaxCompletionTokens = sdk.Int(int64(req.MaxTokens))
	}
	if req.Effort != "" && !q.noEffort {
		p.ReasoningEffort = shared.ReasoningEffort(req.Effort)
	}
	if !q.noUsage {
		p.StreamOptions.IncludeUsage = sdk.Bool(true)
	}
	if form != nil && q.objectOnly {
		p.ResponseFormat.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
		p.Messages = append(slices.Clone(p.Messages), sdk.SystemMessage("Answer with one JSON object of this schema: "+string(req.Output.Schema)))
	} else if form != nil {
		p.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: form.name, Schema: form.schema, Strict: sdk.Bool(form.strict)},
		}
	}
	if strings.HasSuffix(w.server.host, "openrouter.ai") {
		p.SetExtraFields(map[string]any{"usage": map[string]any{"include": true}}) // with it comes the cost
	}
	return p
}

// messages writes a conversation, as package turns lays it out. Each result is a tool message of its own.
func (w chatWriter) messages(req llm.Request) ([]sdk.ChatCompletionMessageParamUnion, error) {
	list, err := turns.Split(req.Messages, func(t llm.Thinking) bool { return w.thoughtBack(t) != nil })
	if err != nil {
		return nil, err
	}
	var out []sdk.ChatCompletionMessageParamUnion
	if req.System != "" {
		out = append(out, sdk.SystemMessage(req.System))
	}
	for _, t := range list {
		switch {
		case t.Result != nil:
			out = append(out, sdk.ToolMessage(t.Text, shortID(t.Result.CallID, 40)))
		case t.IsModel():
			out = append(out, w.assistantMessage(t))
		default:
			user, err := w.userMessage(t.Parts)
			if err != nil {
				return nil, err
			}
			out = append(out, user)
		}
	}
	return out, nil
}

// assistantMessage writes a model's turn. Its content is there even if it is empty: some servers refuse a message
// without.
func (w chatWriter) assistantMessage(t *turns.Turn) sdk.ChatCompletionMessageParamUnion {
	a := &sdk.ChatCompletionAssistantMessageParam{}
	a.Content.OfString = param.NewOpt(strings.Join(t.Texts, "\n\n"))
	extra := map[string]any{}
	for _, thinking := range t.Thinking {
		for field, value := range w.thoughtBack(thinking) {
			extra[field] = joined(extra[field], value)
		}
	}
	if len(extra) > 0 {
		a.SetExtraFields(extra)
	}
	for _, c := range t.Calls {
		call := &sdk.ChatCompletionMessageFunctionToolCallParam{
			ID:       shortID(c.ID, 40),
			Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.Name, Arguments: arguments(c)},
		}
		if extra := w.callExtra(c); extra != nil {
			call.SetExtraFields(map[string]any{"extra_content": extra})
		}
		a.ToolCalls = append(a.ToolCalls, sdk.ChatCompletionMessageToolCallUnionParam{OfFunction: call})
	}
	return sdk.ChatCompletionMessageParamUnion{OfAssistant: a}
}

// userMessage is a string if there is nothing but text: many servers read nothing else.
func (w chatWriter) userMessage(parts []llm.Part) (sdk.ChatCompletionMessageParamUnion, error) {
	var out []sdk.ChatCompletionContentPartUnionParam
	var texts []string
	for _, p := range parts {
		part, err := w.part(p)
		if err != nil {
			return sdk.ChatCompletionMessageParamUnion{}, err
		}
		if part.OfText != nil {
			texts = append(texts, part.OfText.Text)
		}
		out = append(out, part)
	}
	if len(texts) == len(out) {
		return sdk.UserMessage(strings.Join(texts, "\n\n")), nil
	}
	return sdk.UserMessage(out), nil
}

func (w chatWriter) part(p llm.Part) (sdk.ChatCompletionContentPartUnionParam, error) {
	switch p := p.(type) {
	case llm.Text:
		return sdk.TextContentPart(p.Text), nil
	case llm.Image:
		url, err := w.server.imageURL(p)
		return sdk.ImageContentPart(sdk.ChatCompletionContentPartImageImageURLParam{URL: url}), err
	case llm.File:
		if p.MIME == "application/pdf" {
			return sdk.FileContentPart(sdk.ChatCompletionContentPartFileFileParam{Filename: sdk.String(p.Name), FileData: sdk.String(dataURL(p.MIME, p.Data))}), nil
		}
		return sdk.ChatCompletionContentPartUnionParam{}, w.server.cannotCarry("a file of the type " + p.MIME)
	}
	return sdk.ChatCompletionContentPartUnionParam{}, w.server.cannotCarry("this part of a message")
}

// joined puts the thinking of two parts together.
func joined(have, more any) any {
	switch have := have.(type) {
	case string:
		return have + more.(string)
	case []json.RawMessage:
		return append(slices.Clone(have), more.([]json.RawMessage)...)
	}
	return more
}
