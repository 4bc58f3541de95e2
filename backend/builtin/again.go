package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/base/clip"
	"weft/backend/llm"
)

// againMethod is an extension of the protocol: the user retries a failed call. The next prompt of the session begins
// with it, and the model gets its result.
const againMethod = "_weft/again"

type againRequest struct {
	SessionID acp.SessionId   `json:"sessionId"`
	Tool      string          `json:"tool"`
	Input     json.RawMessage `json:"input"`
}

func (a *agent) askAgain(_ context.Context, p againRequest) (struct{}, error) {
	s := a.sessions.get(p.SessionID)
	if s == nil {
		return struct{}{}, unknownSession(p.SessionID)
	}
	if p.Tool == "" || !json.Valid(p.Input) {
		return struct{}{}, invalidParams("a call needs the name of a tool and its input.")
	}
	s.setAgain(&llm.ToolCall{ID: "again", Name: p.Tool, Input: p.Input})
	return struct{}{}, nil
}

// maxAgain is the maximum size of a result's text in the prompt, in bytes.
const maxAgain = 64 << 10

// makeAgain makes the call that the user retries, if any, and returns the parts for the prompt.
func (t *turn) makeAgain() []llm.Part {
	c := t.session.takeAgain()
	if c == nil || t.tools.byName[c.Name] == nil {
		return nil
	}
	shown := t.calls.announce(0, c.Name)
	shown.again = true
	t.calls.grow(shown, string(c.Input))
	result := t.Do(t.ctx, 0, *c)
	t.calls.forget()
	ended := "It worked this time:"
	if result.Failed {
		ended = "It failed again:"
	}
	told := fmt.Sprintf("(%s was called again with %s. %s)", c.Name, clip.Text(string(c.Input), 2000), ended)
	out := []llm.Part{llm.Text{Text: told}}
	for _, p := range result.Parts {
		if text, ok := p.(llm.Text); ok {
			p = llm.Text{Text: clip.Text(strings.TrimSpace(text.Text), maxAgain)}
		}
		out = append(out, p)
	}
	return out
}
