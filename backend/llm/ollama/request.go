package ollama

import (
	"encoding/json"
	"strings"

	"weft/backend/llm"
	"weft/backend/llm/schema"
	"weft/backend/llm/turns"
)

// newRequest makes a request of /api/chat.
func newRequest(req llm.Request, t traits) (*request, error) {
	r := &request{Model: req.Model, Tools: toolsOf(req), Think: think(req, t)}
	var err error
	if r.Messages, err = messages(req); err != nil {
		return nil, err
	}
	if req.Output != nil {
		r.Format = req.Output.Schema
	}
	r.Options = options{Context: contextFor(r, req, t), MaxTokens: max(req.MaxTokens, 0)}
	return r, nil
}

func toolsOf(req llm.Request) []tool {
	var out []tool
	for _, t := range req.Tools {
		reduced := schema.ForTool(t, schema.OllamaTool, req.Log)
		var top struct{ Properties json.RawMessage }
		_ = json.Unmarshal(reduced, &top) // it is an object
		if top.Properties == nil {        // templates of models go through them
			reduced = append(reduced[:len(reduced)-1], `,"properties":{}}`...)
		}
		out = append(out, tool{Type: "function", Function: function{Name: t.Name, Description: t.Description, Parameters: reduced}})
	}
	return out
}

// smallestContext is the least that is asked for, in tokens. Ollama's own default can be 4096, which the tools alone
// may fill.
const smallestContext = 16 << 10

// contextFor is a context that holds the conversation and the answer, 0 where it is not known what the model can take.
// It grows by doubling, since the model is loaded again for each.
func contextFor(r *request, req llm.Request, t traits) int64 {
	if t.context == 0 {
		return 0
	}
	size := 0
	for _, t := range r.Tools {
		size += len(t.Function.Name) + len(t.Function.Description) + len(t.Function.Parameters) + 64
	}
	need := int64(max(req.MaxTokens, 4096))
	for _, m := range r.Messages {
		size += len(m.Content) + len(m.Thinking) + 16
		for _, c := range m.Calls {
			size += len(c.Function.Arguments) + len(c.Function.Name)
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
func think(req llm.Request, t traits) any {
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
		return req.Effort != "none"
	case req.Effort == "none":
		tell("The model " + req.Model + " always thinks, so the effort was set to low.")
		return "low"
	}
	return req.Effort
}

const sealer = "ollama"

func messages(req llm.Request) ([]message, error) {
	list, err := turns.Split(req.Messages, func(t llm.Thinking) bool { return t.Sealed.By(sealer) != nil })
	if err != nil {
		return nil, err
	}
	var out []message
	if req.System != "" {
		out = append(out, message{Role: "system", Content: req.System})
	}
	for _, t := range list {
		switch {
		case t.Result != nil:
			out = append(out, message{Role: "tool", Content: t.Text, ToolName: t.Result.Name, CallID: t.Result.CallID})
		case t.IsModel():
			out = append(out, assistant(t))
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

func assistant(t *turns.Turn) message {
	m := message{Role: "assistant", Content: strings.Join(t.Texts, "\n\n")}
	for _, thinking := range t.Thinking {
		m.Thinking += thinking.Text
	}
	for i, c := range t.Calls {
		said := call{ID: c.ID}
		said.Function.Index, said.Function.Name, said.Function.Arguments = i, c.Name, c.Object()
		m.Calls = append(m.Calls, said)
	}
	return m
}

// user writes a user's turn. The pictures of a message are before its text, so one behind a text begins a new message.
func user(parts []llm.Part) ([]message, error) {
	var out []message
	m := message{Role: "user"}
	var texts []string
	flush := func() {
		if m.Content = strings.Join(texts, "\n\n"); len(texts)+len(m.Images) > 0 {
			out = append(out, m)
		}
		m, texts = message{Role: "user"}, nil
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
