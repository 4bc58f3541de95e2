//go:build linux

package systemtest

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"weft/backend/api/service/conversation"
	"weft/backend/conversation/transcript"
)

// TestRetryOfACall: a failed call of a tool that Weft runs is made again in its place, and the agent
// is told; another one is asked for with a prompt that names it.
func TestRetryOfACall(t *testing.T) {
	t.Parallel()
	var up atomic.Bool
	var asked atomic.Int32
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		if !up.Load() {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"laptops":[{"name":"A"},{"name":"B"},{"name":"C"}]}`))
	}))
	t.Cleanup(web.Close)
	home := t.TempDir()
	ownTools(t, home, map[string]string{
		"laptops.json": `{"name":"laptops","description":"Lists laptops.","inputSchema":{"type":"object","properties":{}},"displayTool":true,"execution":{"mode":"http","method":"POST","url":"` + web.URL + `"}}`,
	})
	a := launch(t, home)
	r := a.scripted(t, "caller")
	r.send(t, wishes(wish{Tool: "laptops", Args: map[string]any{"targetSpaceId": r.id}}))
	r.allow(t, 0, "once")
	r.ended(t, "end_turn")
	failed := func(_ *transcript.Message, c *transcript.ToolCall) bool { return c.Status == transcript.StatusFailed }
	m, c := r.display(t, "the failure", failed)
	if !c.Retryable || c.WasRetried || asked.Load() != 1 || !strings.Contains(c.Error, "500") {
		t.Fatalf("asked %d times: %+v", asked.Load(), c)
	}
	again := func() {
		a.do(t, "RetryCall", conversation.CallRef{SpaceID: r.id, MessageID: m.ID, ToolCallID: c.ID}, nil)
	}
	again()
	_, c = r.display(t, "the second failure", func(m *transcript.Message, c *transcript.ToolCall) bool { return failed(m, c) && c.WasRetried })
	if !c.Retryable || asked.Load() != 2 {
		t.Errorf("asked %d times: %+v", asked.Load(), c)
	}
	up.Store(true)
	again()
	r.st.until(t, "that the agent is told", func(v *seen) bool {
		return strings.Contains(v.message().Content(), "I ran laptops again") && v.message().EndedAt > 0
	})
	_, c = r.display(t, "the result", func(_ *transcript.Message, c *transcript.ToolCall) bool {
		return c.Status == transcript.StatusCompleted
	})
	if c.Summary != "3 laptops" || c.ResultCount == nil || *c.ResultCount != 3 || !c.WasRetried || c.Error != "" || asked.Load() != 3 {
		t.Errorf("asked %d times: %+v", asked.Load(), c)
	}
	var e *refusal
	if err := r.try("RetryCall", conversation.CallRef{SpaceID: r.id, MessageID: m.ID, ToolCallID: c.ID}, nil); !errors.As(err, &e) || e.Code != "conflict" {
		t.Errorf("a call that did not fail: %v", err)
	}
	// A call that is not Weft's to make.
	r.st.reset()
	r.turn(t, wishes(wish{Tool: "listSpaces", Args: map[string]any{}, As: "Own thing", Leave: true}), "end_turn")
	var row transcript.ToolCall
	var in string
	r.st.until(t, "the row that failed", func(v *seen) bool {
		for _, s := range v.message().Segments {
			for _, it := range s.Items {
				if it.Call != nil && it.Call.Status == transcript.StatusFailed {
					row, in = *it.Call, v.message().ID
				}
			}
		}
		return in != ""
	})
	r.do(t, "RetryCall", conversation.CallRef{SpaceID: r.id, MessageID: in, ToolCallID: row.ID}, nil)
	r.st.until(t, "the prompt", func(v *seen) bool {
		return strings.Contains(v.message().Content(), "heard: Please try this tool call again: given up.") && v.message().EndedAt > 0
	})
	r.check(t)
}
