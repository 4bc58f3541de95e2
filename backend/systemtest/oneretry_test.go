//go:build linux

package systemtest

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/api/service/agents"
	"weft/backend/api/service/tools"
	"weft/backend/conversation/transcript"
	provider "weft/backend/llm/llmtest/scripted"
	"weft/backend/settings"
)

// modelled makes a space with Weft's own agent. Its model is a server of the test, which answers with the steps that the test adds to it.
func (a *app) modelled(t *testing.T) (*room, *provider.Server) {
	t.Helper()
	model := provider.New(t)
	var saved agents.Agent
	a.do(t, "SaveAgent", agents.SaveAgentRequest{Name: "Modelled", Model: &settings.Model{Provider: "ollama", Model: "scripted", BaseURL: model.URL}}, &saved)
	r := a.enter(t, t.TempDir(), saved.ID)
	t.Cleanup(r.st.close)
	return r, model
}

// TestFailingToolBehindTheGatewayIsRetriedOnce: where the gateway has made a call of Weft's own agent twice, or could not, the agent doesn't make it
// again: there is one question, one row, one error.
func TestFailingToolBehindTheGatewayIsRetriedOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fails   string // what the server says, "" for a tool of the user's own, whose server is busy
		reads   bool   // the tool may be called twice
		display bool
		calls   int32
	}{
		"busy":                   {"503 Service Unavailable", false, false, 2},
		"busy, shown in a space": {"503 Service Unavailable", false, true, 2},
		"reads":                  {"connection reset by peer", true, false, 2},
		"may have acted":         {"connection reset by peer", false, false, 1},
		"wrong":                  {"no such order", false, false, 1},
		"busy, of the user":      {"", false, false, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			s := sdk.NewServer(&sdk.Implementation{Name: "shop", Version: "1"}, nil)
			sdk.AddTool(s, &sdk.Tool{Name: "order", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: c.reads}}, func(context.Context, *sdk.CallToolRequest, map[string]any) (*sdk.CallToolResult, any, error) {
				asked.Add(1)
				return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: c.fails}}}, nil, nil
			})
			web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil))
			t.Cleanup(web.Close)
			busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				asked.Add(1)
				w.WriteHeader(http.StatusServiceUnavailable)
			}))
			t.Cleanup(busy.Close)
			home := t.TempDir()
			if c.fails == "" {
				ownTools(t, home, map[string]string{
					"order.json": `{"name":"order","inputSchema":{"type":"object","properties":{"number":{"type":"string"}}},"execution":{"mode":"http","method":"POST","url":"` + busy.URL + `"}}`,
				})
			}
			a := launch(t, home)
			a.do(t, "SaveMCPServer", tools.SaveMCPServerRequest{Server: tools.MCPServerForm{
				Name: "shop", Type: "http", URL: web.URL, Via: settings.ViaGateway, Tools: map[string]settings.MCPTool{"order": {Display: c.display}},
			}}, nil)
			r, model := a.modelled(t)
			args := map[string]any{"number": "7"}
			if c.display {
				args["targetSpaceId"] = r.id
			}
			input, _ := json.Marshal(args)
			model.Add(provider.Step{Calls: []provider.Call{{Name: "weft_order", Input: string(input)}}}, provider.Step{Text: "It failed."})
			r.send(t, "Order it")
			r.allow(t, 0, "once")
			r.ended(t, "end_turn")
			if n := asked.Load(); n != c.calls {
				t.Errorf("the tool was called %d times, want %d", n, c.calls)
			}
			requests, failures := 0, 0
			var last *transcript.ToolCallError
			r.st.now(func(v *seen) {
				requests = len(v.asks)
				for _, e := range v.tools {
					if b, ok := e.(*transcript.ToolCallError); ok {
						failures++
						last = b
					}
				}
			})
			if requests != 1 || failures != 1 {
				t.Errorf("%d questions and %d errors, want one of each", requests, failures)
			}
			if last == nil || last.WasRetried != (c.calls == 2) || !strings.Contains(strings.ToLower(last.Error), strings.ToLower(cmp.Or(c.fails, "503"))) || last.Retryable != (name != "wrong") {
				t.Errorf("the error is told as %+v", last)
			}
			displays, rows := r.calls()
			if len(displays)+len(rows) != 1 {
				t.Errorf("displays %+v, rows %+v", displays, rows)
			}
			r.check(t)
		})
	}
}
