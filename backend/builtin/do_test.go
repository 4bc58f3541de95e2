package builtin

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/builtin/tool"
	"weft/backend/llm"
	"weft/backend/llm/provider"
)

// with starts an agent with one tool. run gets the number of the run.
func with(t *testing.T, effect tool.Effect, run func(ctx context.Context, n int) (tool.Result, error)) (*client, *remembers) {
	t.Helper()
	n := 0
	own := tool.Tool{
		Tool: llm.Tool{Name: "read", Schema: json.RawMessage(`{"type":"object"}`)}, Kind: acp.ToolKindOther, Effect: effect,
		Look: func(*tool.Env, map[string]json.RawMessage) tool.Look { return tool.Look{Title: "Own"} },
		Prepare: func(context.Context, *tool.Env, json.RawMessage) (tool.Prepared, error) {
			return tool.Prepared{Effect: effect, Look: tool.Look{Title: "Own"}, Run: func(ctx context.Context, report func(tool.Progress)) (tool.Result, error) {
				n++
				report(tool.Progress{Content: []acp.ToolCallContent{textContent("progress")}})
				return run(ctx, n)
			}}, nil
		},
	}
	model := &remembers{answer: counts}
	set := settings{provider: provider.Provider{ID: "test", Name: "Test"}, model: "m", mode: modeAsk, data: t.TempDir()}
	return startSet(t, set, model, own), model
}

// ends returns the updates that end calls.
func (c *client) ends() []update {
	var out []update
	for _, m := range c.seen {
		if u := m.update(); u.Kind == "tool_call_update" && (u.Status == "completed" || u.Status == "failed") {
			out = append(out, u)
		}
	}
	return out
}

func TestAPassingFailureOfAToolIsTriedOnce(t *testing.T) {
	passing := &tool.Error{Message: "The server is busy.", Retryable: true}
	for _, tc := range []struct {
		name               string
		run                func(n int) (tool.Result, error)
		status             string
		retryable, retried any
	}{
		{"it passes", func(n int) (tool.Result, error) {
			if n == 1 {
				return tool.Result{}, passing
			}
			return tool.Result{Summary: "Done at last"}, nil
		}, "completed", nil, true},
		{"it stays", func(int) (tool.Result, error) { return tool.Result{}, passing }, "failed", true, true},
		{"it is no passing one", func(int) (tool.Result, error) { return tool.Result{}, &tool.Error{Message: "Wrong."} }, "failed", false, nil},
		{"a panic", func(int) (tool.Result, error) { panic("boom") }, "failed", false, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, model := with(t, tool.Reads, func(_ context.Context, n int) (tool.Result, error) { return tc.run(n) })
			if stop := c.prompt(c.open(t.TempDir(), nil), "go"); stop != "end_turn" {
				t.Fatal(stop)
			}
			ends := c.ends()
			if len(ends) != 1 || ends[0].Status != tc.status || ends[0].Meta.Weft["retryable"] != tc.retryable || ends[0].Meta.Weft["wasRetried"] != tc.retried {
				t.Errorf("%+v", ends)
			}
			result := model.last().Messages[2].Parts[0].(llm.ToolResult)
			if result.Failed != (tc.status == "failed") || result.CallID == "" {
				t.Errorf("the model is told %+v", result)
			}
		})
	}
}

// Canceling the turn ends a tool that hangs, and one that waits for its retry.
func TestEndlessToolIsCanceled(t *testing.T) {
	for name, run := range map[string]func(ctx context.Context) error{
		"it hangs": func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		"it waits": func(context.Context) error { return &tool.Error{Message: "Busy.", Retryable: true} },
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := with(t, tool.Reads, func(ctx context.Context, _ int) (tool.Result, error) { return tool.Result{}, run(ctx) })
			session := c.open(t.TempDir(), nil)
			id := c.request("session/prompt", promptOf(session, "go"))
			c.until("progress", func(m message) bool { return strings.Contains(string(m.Params.Update), "progress") })
			c.notify("session/cancel", map[string]any{"sessionId": session})
			if stop := stopReason(c.response(id)); stop != "cancelled" {
				t.Error(stop)
			}
			if ends := c.ends(); len(ends) != 1 || ends[0].Meta.Weft["cancelled"] != true {
				t.Errorf("%+v", ends)
			}
		})
	}
}

// Each mode allows effects without asking, asks, or refuses.
func TestModes(t *testing.T) {
	for _, tc := range []struct {
		mode   string
		effect tool.Effect
		asked  bool
		status string
	}{
		{"ask", tool.Reads, false, "completed"},
		{"ask", tool.Edits, true, "completed"},
		{"ask", tool.Fetches, true, "completed"},
		{"ask", tool.Executes, true, "completed"},
		{"read-only", tool.Reads, false, "completed"},
		{"read-only", tool.Edits, false, "failed"},
		{"read-only", tool.Fetches, true, "completed"},
		{"read-only", tool.Executes, false, "failed"},
		{"auto", tool.Edits, false, "completed"},
		{"auto", tool.Fetches, false, "completed"},
		{"auto", tool.Executes, false, "completed"},
	} {
		c, _ := with(t, tc.effect, func(context.Context, int) (tool.Result, error) { return tool.Result{Summary: "ok"}, nil })
		c.answer = allow("allow-once")
		session := c.open(t.TempDir(), nil)
		c.call("session/set_mode", map[string]any{"sessionId": session, "modeId": tc.mode})
		c.prompt(session, "go")
		asked := false
		for _, m := range c.seen {
			asked = asked || m.Method == "session/request_permission"
		}
		if ends := c.ends(); len(ends) != 1 || ends[0].Status != tc.status || asked != tc.asked {
			t.Errorf("%s, effect %d: asked %v, %+v", tc.mode, tc.effect, asked, ends)
		}
	}
}
