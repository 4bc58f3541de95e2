package google

import (
	"encoding/json"
	"fmt"
	"strings"

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

func (r *request) content(m llm.Message) (*content, error) {
	c := &content{Role: roleUser}
	if m.Role == llm.RoleModel {
		c.Role = roleModel
	}
	var results, aside, others []*sentPart
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
		c.Parts = []*sentPart{plain(nothing)}
	}
	return c, nil
}

func (r *request) part(p llm.Part) ([]*sentPart, error) {
	switch p := p.(type) {
	case llm.Text:
		s, _ := sealOf(p.Sealed)
		return textParts(p.Text, s), nil
	case llm.Thinking:
		s, ours := sealOf(p.Sealed)
		switch {
		case ours:
			return textParts(p.Text, s), nil
		case strings.TrimSpace(p.Text) == "":
			return nil, nil // it was only meant for who sealed it
		}
		return textParts("<thinking>\n"+p.Text+"\n</thinking>", seal{}), nil
	case llm.Image:
		b, err := r.blob(p.MIME, p.Data)
		return []*sentPart{{Data: b}}, err
	case llm.File:
		b, err := r.blob(p.MIME, p.Data)
		if err != nil {
			return nil, err
		}
		return append(named(p.Name), &sentPart{Data: b}), nil
	}
	return nil, llm.Fail(llm.CodeUnmappable, "{{provider}} doesn't accept a {{type}}.", "Google", fmt.Sprintf("%T", p))
}

func named(file string) []*sentPart {
	if file == "" {
		return nil
	}
	return []*sentPart{plain("File " + file + ":")}
}

func textParts(s string, sealed seal) []*sentPart {
	if strings.TrimSpace(s) == "" && sealed.Signature == "" {
		return nil
	}
	return []*sentPart{{Text: &s, Thought: sealed.Thought, Signature: sealed.Signature}}
}

func plain(text string) *sentPart { return &sentPart{Text: &text} }

// call maps one. before is what is before it in its message, calls are all of the message.
func (r *request) call(c llm.ToolCall, before []llm.Part, calls []llm.ToolCall) *sentPart {
	s, _ := sealOf(c.Sealed)
	if s.ID != c.ID {
		s.ID = "" // it was ours: the API gave none, or one twice. Their order pairs calls and results then.
	}
	r.calls[c.ID] = sealedCall{s.ID, c.Name}
	p := &sentPart{Call: &call{Args: c.Object(), ID: s.ID, Name: c.Name}, Signature: s.Signature}
	if first := len((llm.Message{Parts: before}).Calls()) == 0; first && !anyOurs(calls) && generationOf(r.model) >= 30 {
		p.Signature = skipSignature
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

// result maps the n-th result of a message. Pictures and files are inside of it from Gemini 3 on, which is where the
// API documents them for these models; the older ones get them behind all results.
func (r *request) result(t llm.ToolResult, n int) (*sentPart, []*sentPart, error) {
	answers := r.calls[t.CallID]
	name := t.Name
	if name == "" {
		name = answers.name
	}
	f := &response{ID: answers.id, Name: name}
	var texts []string
	var behind []*sentPart
	for _, p := range t.Parts {
		switch p := p.(type) {
		case llm.Text:
			texts = append(texts, p.Text)
		case llm.Image, llm.File:
			some, err := r.part(p)
			if err != nil {
				return nil, nil, err
			}
			if generationOf(r.model) < 30 {
				behind = append(append(behind, plain(fmt.Sprintf("From result %d, of the tool %s:", n, name))), some...)
				continue
			}
			for _, s := range some {
				if s.Text != nil {
					texts = append(texts, *s.Text)
					continue
				}
				f.Parts = append(f.Parts, s)
			}
		default:
			return nil, nil, llm.Fail(llm.CodeUnmappable, "{{provider}} doesn't accept a {{type}} as a tool result.", "Google", fmt.Sprintf("%T", p))
		}
	}
	key := "output"
	if t.Failed {
		key = "error"
	}
	f.Response = map[string]string{key: strings.Join(texts, "\n")}
	return &sentPart{Response: f}, behind, nil
}
