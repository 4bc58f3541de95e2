package google

import (
	"encoding/json"
	"fmt"
	"strings"

	"google.golang.org/genai"

	"weft/backend/llm"
)

// nothing stands for a message in which there is nothing that the API takes, since it takes no empty one.
const nothing = "(nothing)"

// skipSignature is in for the signature of a call that another provider's model made. Gemini 3 refuses calls without
// one; this is the value that Google documents for histories from elsewhere.
const skipSignature = "skip_thought_signature_validator"

// seal is what has to come back with a part.
type seal struct {
	Signature string `json:"signature,omitempty"` // base64, as it came
	Thought   bool   `json:"thought,omitempty"`
	ID        string `json:"id,omitempty"` // of a call, as the API gave it
}

func sealOf(s *llm.Sealed) (seal, bool) {
	var out seal
	data := s.By(Provider)
	return out, data != nil && json.Unmarshal(data, &out) == nil
}

func (r *request) content(m llm.Message) (*genai.Content, error) {
	c := &genai.Content{Role: genai.RoleUser}
	if m.Role == llm.RoleModel {
		c.Role = genai.RoleModel
	}
	var results, aside, others []*genai.Part
	calls := m.Calls()
	for i, p := range m.Parts {
		switch p := p.(type) {
		case llm.ToolResult:
			result, behind, err := r.result(p, len(results)+1)
			if err != nil {
				return nil, err
			}
			results, aside = append(results, result), append(aside, behind...)
		case llm.ToolCall:
			others = append(others, r.call(p, m.Parts[:i], calls))
		default:
			some, err := r.part(p)
			if err != nil {
				return nil, err
			}
			others = append(others, some...)
		}
	}
	c.Parts = append(append(results, aside...), others...)
	if len(c.Parts) == 0 {
		c.Parts = []*genai.Part{{Text: nothing}}
	}
	return c, nil
}

func (r *request) part(p llm.Part) ([]*genai.Part, error) {
	switch p := p.(type) {
	case llm.Text:
		s, _ := sealOf(p.Sealed)
		return r.text(p.Text, s), nil
	case llm.Thinking:
		s, ours := sealOf(p.Sealed)
		switch {
		case ours:
			return r.text(p.Text, s), nil
		case strings.TrimSpace(p.Text) == "":
			return nil, nil // it was only meant for who sealed it
		}
		return r.text("<thinking>\n"+p.Text+"\n</thinking>", seal{}), nil
	case llm.Image:
		b, err := r.blob(p.MIME, p.Data)
		return []*genai.Part{{InlineData: b}}, err
	case llm.File:
		b, err := r.blob(p.MIME, p.Data)
		if err != nil {
			return nil, err
		}
		return append(named(p.Name), &genai.Part{InlineData: b}), nil
	}
	return nil, llm.Fail(llm.CodeUnmappable, "{{provider}} doesn't accept a {{type}}.", "Google", fmt.Sprintf("%T", p))
}

func named(file string) []*genai.Part {
	if file == "" {
		return nil
	}
	return []*genai.Part{{Text: "File " + file + ":"}}
}

func (r *request) text(s string, sealed seal) []*genai.Part {
	if strings.TrimSpace(s) == "" && sealed.Signature == "" {
		return nil
	}
	p := &genai.Part{Text: s, Thought: sealed.Thought}
	if sealed.Signature != "" {
		r.parts[p] = map[string]any{"text": s, "thoughtSignature": sealed.Signature} // the SDK leaves an empty text out
	}
	return []*genai.Part{p}
}

// call maps one. before is what is before it in its message, calls are all of the message.
func (r *request) call(c llm.ToolCall, before []llm.Part, calls []llm.ToolCall) *genai.Part {
	s, _ := sealOf(c.Sealed)
	if s.ID != c.ID {
		s.ID = "" // it was ours: the API gave none, or one twice. Their order pairs calls and results then.
	}
	r.calls[c.ID] = sealedCall{s.ID, c.Name}
	p := &genai.Part{FunctionCall: &genai.FunctionCall{ID: s.ID, Name: c.Name, Args: map[string]any{}}}
	r.args[p] = input(c)
	signature := s.Signature
	if first := len((llm.Message{Parts: before}).Calls()) == 0; first && !anyOurs(calls) && generation(r.model) >= 30 {
		signature = skipSignature
	}
	if signature != "" {
		r.parts[p] = map[string]any{"thoughtSignature": signature}
	}
	return p
}

func anyOurs(calls []llm.ToolCall) bool {
	for _, c := range calls {
		if c.Sealed.By(Provider) != nil {
			return true
		}
	}
	return false
}

func input(c llm.ToolCall) json.RawMessage {
	if c.Raw != "" {
		raw, _ := json.Marshal(map[string]string{"invalid_json": c.Raw}) // strings can always be encoded
		return raw
	}
	if len(c.Input) == 0 {
		return json.RawMessage(`{}`)
	}
	return c.Input
}

// result maps the n-th result of a message. Pictures and files are inside of it from Gemini 3 on, which is where the API
// documents them for these models; the older ones get them behind all results.
func (r *request) result(t llm.ToolResult, n int) (*genai.Part, []*genai.Part, error) {
	call := r.calls[t.CallID]
	name := t.Name
	if name == "" {
		name = call.name
	}
	f := &genai.FunctionResponse{ID: call.id, Name: name}
	var texts []string
	var behind []*genai.Part
	for _, p := range t.Parts {
		switch p := p.(type) {
		case llm.Text:
			texts = append(texts, p.Text)
		case llm.Image, llm.File:
			some, err := r.part(p)
			if err != nil {
				return nil, nil, err
			}
			if generation(r.model) < 30 {
				behind = append(append(behind, &genai.Part{Text: fmt.Sprintf("From result %d, of the tool %s:", n, name)}), some...)
				continue
			}
			for _, s := range some {
				if s.InlineData == nil {
					texts = append(texts, s.Text)
					continue
				}
				f.Parts = append(f.Parts, &genai.FunctionResponsePart{InlineData: &genai.FunctionResponseBlob{MIMEType: s.InlineData.MIMEType, Data: s.InlineData.Data}})
			}
		default:
			return nil, nil, llm.Fail(llm.CodeUnmappable, "{{provider}} doesn't accept a {{type}} as a tool result.", "Google", fmt.Sprintf("%T", p))
		}
	}
	key := "output"
	if t.Failed {
		key = "error"
	}
	f.Response = map[string]any{key: strings.Join(texts, "\n")}
	return &genai.Part{FunctionResponse: f}, behind, nil
}
