package ollama

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"weft/backend/llm"
)

// traits is what a model can do. Where a server does not tell, it is taken to be able to.
type traits struct {
	told                         bool
	chats, tools, vision, thinks bool
	levels                       bool  // of thinking, instead of on and off
	context                      int64 // tokens it can read, 0 if unknown
}

// check finds out whether the model can take the request.
func (m *model) check(ctx context.Context, req llm.Request) (traits, error) {
	pictures := hasPictures(req)
	fits := func(t traits) error {
		switch {
		case !t.told:
			return nil
		case len(req.Tools) > 0 && !t.tools:
			return llm.Fail(llm.CodeModel, "The model {{model}} can't use tools, which Weft requires. Choose another model; {{url}} lists those that can.", req.Model, "https://ollama.com/search?c=tools")
		case pictures && !t.vision:
			return llm.Fail(llm.CodeModel, "The model {{model}} can't see pictures, and there is one in the conversation. Choose another model; {{url}} lists those that can.", req.Model, "https://ollama.com/search?c=vision")
		}
		return nil
	}
	m.mu.Lock()
	t, ok := m.known[req.Model]
	m.mu.Unlock()
	if ok && fits(t) == nil {
		return t, nil
	}
	t, err := m.show(ctx, req.Model) // also where it did not fit: it may be another model by now
	if err != nil {
		return t, err
	}
	m.mu.Lock()
	m.known[req.Model] = t
	m.mu.Unlock()
	return t, fits(t)
}

// show asks what a model is.
func (m *model) show(ctx context.Context, name string) (traits, error) {
	var res shown
	if err := m.get(ctx, "api/show", map[string]string{"model": name}, &res); err != nil {
		f, ok := errors.AsType[*llm.Error](err)
		switch {
		case ok && (f.Status == http.StatusMethodNotAllowed || f.Status == http.StatusNotImplemented):
			return traits{}, nil // a server that only speaks the chat
		case ok && f.Status == http.StatusNotFound && strings.Contains(f.Message, "not found"):
			f.Message = fmt.Sprintf("Ollama doesn't have the model %s. Get it with “ollama pull %s”, or choose another one.", name, name)
		}
		return traits{}, err
	}
	t := traits{told: res.Capabilities != nil, levels: strings.Contains(name, "gpt-oss") || res.Details.Family == "gptoss"}
	for _, c := range res.Capabilities {
		switch c {
		case "completion":
			t.chats = true
		case "tools":
			t.tools = true
		case "vision":
			t.vision = true
		case "thinking":
			t.thinks = true
		default: // inserting, embedding
		}
	}
	for key, value := range res.Info {
		if n, ok := value.(float64); ok && strings.HasSuffix(key, ".context_length") && n > 0 && n < 1e9 {
			t.context = int64(n)
		}
	}
	return t, nil
}

func hasPictures(req llm.Request) bool {
	var in func(parts []llm.Part) bool
	in = func(parts []llm.Part) bool {
		for _, p := range parts {
			switch p := p.(type) {
			case llm.Image:
				return true
			case llm.ToolResult:
				if in(p.Parts) {
					return true
				}
			}
		}
		return false
	}
	for _, m := range req.Messages {
		if in(m.Parts) {
			return true
		}
	}
	return false
}

// maxListed bounds how many models are looked at one by one.
const maxListed = 200

// Models implements [llm.Model]. Those that cannot chat are left out.
func (m *model) Models(ctx context.Context) ([]llm.ModelInfo, error) {
	var list listed
	if err := m.get(ctx, "api/tags", nil, &list); err != nil {
		return nil, err
	}
	var out []llm.ModelInfo
	for i, l := range list.Models {
		info := llm.ModelInfo{ID: l.Name}
		if i < maxListed {
			t, err := m.show(ctx, l.Name)
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if err == nil && t.told && !t.chats {
				continue
			}
			info.Context = t.context // 0 where that failed: the list is still good
		}
		out = append(out, info)
	}
	return out, nil
}
