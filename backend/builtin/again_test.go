package builtin

import (
	"context"
	"strings"
	"testing"

	"weft/backend/builtin/tool"
	"weft/backend/llm"
)

// TestRetriedCallBeginsTheNextPrompt checks that the next prompt begins with the call and tells the model its result.
func TestRetriedCallBeginsTheNextPrompt(t *testing.T) {
	c, model := with(t, tool.Reads, func(_ context.Context, n int) (tool.Result, error) {
		if n == 1 {
			return tool.Result{}, &tool.Error{Message: "No apples.", Parts: []llm.Part{llm.Text{Text: "No apples."}}}
		}
		return tool.Result{Summary: "3 apples", Parts: []llm.Part{llm.Text{Text: "apples: 3"}}}, nil
	})
	session := c.open(t.TempDir(), nil)
	if stop := c.prompt(session, "go"); stop != "end_turn" {
		t.Fatal(stop)
	}
	c.call(againMethod, map[string]any{"sessionId": session, "tool": "read", "input": map[string]any{"a": 1}})
	before := len(c.seen)
	if stop := c.prompt(session, "Try it again."); stop != "end_turn" {
		t.Fatal(stop)
	}
	ends := c.ends()
	second := ends[1]
	if ends[0].Status != "failed" || second.Status != "completed" || second.Meta.Weft["wasRetried"] != true {
		t.Errorf("%+v", ends)
	}
	if !strings.Contains(c.transcript(before), "apples") {
		t.Errorf("%s", c.transcript(before))
	}
	var told strings.Builder
	for _, m := range model.last().Messages {
		for _, p := range m.Parts {
			if text, ok := p.(llm.Text); ok && m.Role == llm.RoleUser {
				told.WriteString(text.Text)
			}
		}
	}
	if want := `Try it again.(read was called again with {"a":1}. It worked this time:)apples: 3`; !strings.Contains(told.String(), want) {
		t.Errorf("the model was told %q", told.String())
	}
}
