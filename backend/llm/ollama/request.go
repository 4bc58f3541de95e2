package ollama

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ollama/ollama/api"

	"weft/backend/llm"
	"weft/backend/llm/turns"
)

// request makes a request of /api/chat.
func (m *model) request(req llm.Request, t traits) (*api.ChatRequest, error) {
	no := false
	r := &api.ChatRequest{Model: req.Model, Options: map[string]any{}, Truncate: &no, Shift: &no}
	var err error
	if r.Messages, err = m.messages(req); err != nil {
		return nil, err
	}
	if r.Tools, err = tools(req); err != nil {
		return nil, err
	}
	if req.Output != nil {
		r.Format = req.Output.Schema
	}
	r.Think = think(req, t)
	if req.MaxTokens > 0 {
		r.Options["num_predict"] = req.MaxTokens
	}
	if n := contextFor(r, req, t); n > 0 {
		r.Options["num_ctx"] = n
	}
	return r, nil
}

// smallestContext is the least that is asked for, in tokens. Ollama's own default can be 4096, which the tools alone may fill.
const smallestContext = 16 << 10

// contextFor is a context that holds the conversation and the answer, 0 where it is not known what the model can take. It
// grows by doubling, since the model is loaded again for each.
func contextFor(r *api.ChatRequest, req llm.Request, t traits) int64 {
	if t.context == 0 {
		return 0
	}
	told := r.Tools
	size := len(told.String())
	need := int64(max(req.MaxTokens, 4096))
	for _, m := range r.Messages {
		size += len(m.Content) + len(m.Thinking) + 16
		for _, c := range m.ToolCalls {
			size += len(c.Function.Arguments.String()) + len(c.Function.Name)
		}
		need += int64(len(m.Images)) * 1024
	}
	need += int64(size / 3) // bytes of a token: more in prose, fewer in other scripts
	n := int64(smallestContext)
	for n < need && n < t.context {
		n *= 2
	}
	return min(n, t.context)
}

// think turns the wish into what the model understands: a level, or on and off.
func think(req llm.Request, t traits) *api.ThinkValue {
	tell := func(sentence string) {
		if req.Log != nil {
			req.Log(sentence)
		}
	}
	switch {
	case req.Effort == "" || t.told && !t.thinks:
		if req.Effort != "" && req.Effort != "none" {
			tell("The model " + req.Model + " doesn't think before it answers.")
		}
		return nil
	case !t.levels:
		return &api.ThinkValue{Value: req.Effort != "none"}
	case req.Effort == "none":
		tell("The model " + req.Model + " always thinks, so the effort was set to low.")
		return &api.ThinkValue{Value: "low"}
	}
	return &api.ThinkValue{Value: req.Effort}
}

const sealer = "ollama"

func (m *model) messages(req llm.Request) ([]api.Message, error) {
	list, err := turns.Split(req.Messages, func(t llm.Thinking) bool { return t.Sealed.By(sealer) != nil })
	if err != nil {
		return nil, err
	}
	var out []api.Message
	if req.System != "" {
		out = append(out, api.Message{Role: "system", Content: req.System})
	}
	for _, t := range list {
		switch {
		case t.Result != nil:
			out = append(out, api.Message{Role: "tool", Content: t.Text, ToolName: t.Result.Name, ToolCallID: t.Result.CallID})
		case t.IsModel():
			said, err := assistant(t)
			if err != nil {
				return nil, err
			}
			out = append(out, said)
		default:
			asked, err := user(t.Parts)
			if err != nil {
				return nil, err
			}
			out = append(out, asked...)
		}
	}
	return out, nil
}

func assistant(t *turns.Turn) (api.Message, error) {
	m := api.Message{Role: "assistant", Content: strings.Join(t.Texts, "\n\n")}
	for _, thinking := range t.Thinking {
		m.Thinking += thinking.Text
	}
	for i, c := range t.Calls {
		arguments, err := argumentsOf(c)
		if err != nil {
			return m, &llm.Error{Code: llm.CodeUnmappable, Err: err, Message: fmt.Sprintf("The input of the call %s can't be read: %v. Nothing was sent.", c.ID, err)}
		}
		m.ToolCalls = append(m.ToolCalls, api.ToolCall{ID: c.ID, Function: api.ToolCallFunction{Index: i, Name: c.Name, Arguments: arguments}})
	}
	return m, nil
}

// argumentsOf are a call's, each value as it was written. What is no JSON goes along as a string.
func argumentsOf(c llm.ToolCall) (api.ToolCallFunctionArguments, error) {
	args := api.NewToolCallFunctionArguments()
	if c.Raw != "" {
		args.Set("invalid_json", c.Raw)
		return args, nil
	}
	if len(c.Input) == 0 {
		return args, nil
	}
	d := json.NewDecoder(bytes.NewReader(c.Input))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return args, fmt.Errorf("it isn't a JSON object (%w)", err)
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return args, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return args, err
		}
		args.Set(key.(string), value) // a key is a string
	}
	_, err := d.Token()
	return args, err
}

// user writes a user's turn. The pictures of a message are before its text, so one behind a text begins a new message.
func user(parts []llm.Part) ([]api.Message, error) {
	var out []api.Message
	m := api.Message{Role: "user"}
	var texts []string
	flush := func() {
		if m.Content = strings.Join(texts, "\n\n"); len(texts)+len(m.Images) > 0 {
			out = append(out, m)
		}
		m, texts = api.Message{Role: "user"}, nil
	}
	for _, p := range parts {
		switch p := p.(type) {
		case llm.Text:
			texts = append(texts, p.Text)
		case llm.Image:
			if len(texts) > 0 {
				flush()
			}
			m.Images = append(m.Images, p.Data)
		case llm.File:
			return nil, llm.Fail(llm.CodeUnmappable, "Ollama doesn't accept the file {{name}} ({{type}}), only text and images. Nothing was sent.", p.Name, p.MIME)
		}
	}
	flush()
	return out, nil
}
