package llmtest

import (
	"encoding/json"
	"fmt"

	"pgregory.net/rapid"

	"weft/backend/llm"
)

// Draw makes a random valid conversation with the model's turn next. Every text, input and id in it is
// different, so that a test can find each part again in what a mapper made of it.
func Draw(t *rapid.T) llm.Request {
	d := drawer{t: t}
	req := llm.Request{Model: "test-model", System: d.word("system"), Tools: Tools(), MaxTokens: 1000}
	var pending []llm.ToolCall
	for range rapid.IntRange(1, 5).Draw(t, "rounds") {
		req.Messages = append(req.Messages, d.user(pending))
		m := d.model()
		req.Messages = append(req.Messages, m)
		pending = m.Calls()
	}
	req.Messages = append(req.Messages, d.user(pending))
	return req
}

type drawer struct {
	t *rapid.T
	n int
}

func (d *drawer) word(what string) string {
	d.n++
	return fmt.Sprintf("%s-%d-%s", what, d.n, rapid.StringMatching(`[a-zü"\\<\n日 ]{0,6}`).Draw(d.t, what)+".")
}

func (d *drawer) user(pending []llm.ToolCall) llm.Message {
	m := llm.Message{Role: llm.RoleUser}
	for _, c := range pending {
		r := llm.ToolResult{CallID: c.ID, Name: c.Name, Failed: rapid.Bool().Draw(d.t, "failed"), Parts: []llm.Part{llm.Text{Text: d.word("result")}}}
		if rapid.IntRange(0, 3).Draw(d.t, "picture") == 0 {
			r.Parts = append(r.Parts, d.image())
		}
		m.Parts = append(m.Parts, r)
	}
	if len(pending) > 0 && rapid.Bool().Draw(d.t, "only results") {
		return m
	}
	for range rapid.IntRange(1, 3).Draw(d.t, "parts") {
		if rapid.IntRange(0, 3).Draw(d.t, "kind") == 0 {
			m.Parts = append(m.Parts, d.image())
		} else {
			m.Parts = append(m.Parts, llm.Text{Text: d.word("text")})
		}
	}
	return m
}

func (d *drawer) image() llm.Part {
	d.n++
	return llm.Image{MIME: "image/png", Data: append(append([]byte{}, Pixel...), byte(d.n), byte(d.n>>8))}
}

func (d *drawer) model() llm.Message {
	m := llm.Message{Role: llm.RoleModel}
	for range rapid.IntRange(1, 5).Draw(d.t, "parts") {
		switch rapid.IntRange(0, 2).Draw(d.t, "kind") {
		case 0:
			m.Parts = append(m.Parts, llm.Text{Text: d.word("said")})
		case 1:
			m.Parts = append(m.Parts, llm.Thinking{Text: d.word("thought")})
		default:
			d.n++
			input, _ := json.Marshal(map[string]any{"path": d.word("input"), "n": d.n})
			m.Parts = append(m.Parts, llm.ToolCall{ID: fmt.Sprintf("call_%d", d.n), Name: "read", Input: input})
		}
	}
	return m
}
