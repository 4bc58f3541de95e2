package openai

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/backend/llm"
	"weft/backend/llm/llmtest"
	"weft/backend/llm/turns"
)

// Every part of a conversation is in the request, once, and in its order. What "order" means:
//
//   - on Responses, that of the clean messages;
//   - on chat completions, that of the clean messages, but that an assistant message has its words before its calls, and the
//     pictures of results begin the user's message behind all results.
func TestNothingIsLostAndTheOrderKept(t *testing.T) {
	for api, ok := range wires {
		t.Run(api, func(t *testing.T) {
			s := llmtest.Serve(t, body(ok))
			rapid.Check(t, func(rt *rapid.T) {
				req := llmtest.Draw(rt)
				out := sent(t, s, api, req)
				var doc map[string]json.RawMessage
				if err := json.Unmarshal(out, &doc); err != nil {
					rt.Fatal(err)
				}
				list, want := doc["input"], ordered(req.Messages)
				if api == "chat" {
					list, want = doc["messages"], chatOrder(req.Messages)
				}
				found := leaves(list)
				at := 0
				for _, part := range want {
					n := slices.IndexFunc(found[at:], func(s string) bool { return strings.Contains(s, part) })
					if n < 0 {
						rt.Fatalf("%q doesn't stand behind %q in\n%s", part, want[:slices.Index(want, part)], llmtest.Indented(t, out))
					}
					at += n
					rest := found[at][strings.Index(found[at], part)+len(part):]
					found[at] = rest
				}
				for _, part := range want {
					if n := strings.Count(strings.Join(leaves(list), "\x00"), part); n != 1 {
						rt.Fatalf("%q stands there %d times", part, n)
					}
				}
			})
		})
	}
}

// ordered is what of each part can be found again.
func ordered(messages []llm.Message) []string {
	var out []string
	for _, m := range messages {
		for _, p := range m.Parts {
			out = append(out, marks(p)...)
		}
	}
	return out
}

func marks(p llm.Part) []string {
	switch p := p.(type) {
	case llm.Text:
		return []string{p.Text}
	case llm.Thinking:
		return []string{p.Text}
	case llm.Image:
		return []string{base64.StdEncoding.EncodeToString(p.Data)}
	case llm.ToolCall:
		return []string{string(p.Input)}
	case llm.ToolResult:
		var out []string
		for _, inner := range p.Parts {
			out = append(out, marks(inner)...)
		}
		return out
	}
	return nil
}

// chatOrder is the order that package turns says: a model's words before its calls, pictures of results behind all results.
func chatOrder(messages []llm.Message) []string {
	var out []string
	for _, m := range messages {
		var first, second, third []string
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llm.ToolCall:
				second = append(second, marks(p)...)
			case llm.ToolResult:
				for _, inner := range p.Parts {
					if text, ok := inner.(llm.Text); ok {
						first = append(first, text.Text)
					}
				}
				for _, a := range turns.Attachments(p) {
					second = append(second, marks(a)...)
				}
			default:
				if m.Role == llm.RoleUser {
					third = append(third, marks(p)...)
				} else {
					first = append(first, marks(p)...)
				}
			}
		}
		out = append(append(append(out, first...), second...), third...)
	}
	return out
}

// leaves are all strings of a document, in order.
func leaves(raw json.RawMessage) []string {
	d := json.NewDecoder(strings.NewReader(string(raw)))
	var out []string
	for {
		token, err := d.Token()
		if err != nil {
			return out
		}
		if s, ok := token.(string); ok {
			out = append(out, s)
		}
	}
}
