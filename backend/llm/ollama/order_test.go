package ollama

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/backend/llm"
	"weft/backend/llm/llmtest"
	"weft/backend/llm/llmtest/scripted"
	"weft/backend/llm/turns"
)

// Every part of a conversation is in the request, once, and in the order that package turns says. Within one message, Ollama
// itself puts the pictures before the text and the text before the calls.
func TestNothingIsLostAndTheOrderKept(t *testing.T) {
	s := scripted.New(t)
	rapid.Check(t, func(rt *rapid.T) {
		req := llmtest.Draw(rt)
		out := sent(t, s, req)
		list, err := turns.Split(req.Messages, func(llm.Thinking) bool { return false })
		if err != nil {
			rt.Fatal(err)
		}
		var body struct {
			Messages []struct {
				Role, Content string
				Images        []string
				ToolCalls     []struct {
					Function struct {
						Arguments json.RawMessage
					}
				} `json:"tool_calls"`
				ToolName string `json:"tool_name"`
				CallID   string `json:"tool_call_id"`
			}
		}
		if err := json.Unmarshal(out, &body); err != nil {
			rt.Fatal(err)
		}
		var got []string
		for _, m := range body.Messages {
			got = append(got, m.Images...)
			if m.Content != "" {
				got = append(got, m.Content)
			}
			for _, c := range m.ToolCalls {
				got = append(got, compact(rt, c.Function.Arguments))
			}
		}
		want := []string{req.System}
		for _, turn := range list {
			switch {
			case turn.Result != nil:
				want = append(want, turn.Text)
			case turn.IsModel():
				if len(turn.Texts) > 0 {
					want = append(want, strings.Join(turn.Texts, "\n\n"))
				}
				for _, c := range turn.Calls {
					want = append(want, compact(rt, c.Input))
				}
			default:
				text := false
				for _, p := range turn.Parts {
					switch p := p.(type) {
					case llm.Text:
						if text {
							want[len(want)-1] += "\n\n" + p.Text
						} else {
							want = append(want, p.Text)
						}
						text = true
					case llm.Image:
						want, text = append(want, base64.StdEncoding.EncodeToString(p.Data)), false
					}
				}
			}
		}
		if strings.Join(got, "\x00") != strings.Join(want, "\x00") {
			rt.Fatalf("sent %q\nwant %q", got, want)
		}
	})
}

func compact(t *rapid.T, raw json.RawMessage) string {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	b, _ := json.Marshal(v)
	return string(b)
}
