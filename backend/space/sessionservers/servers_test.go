package sessionservers

import (
	"encoding/json"
	"slices"
	"testing"

	"weft/backend/acp"
	"weft/backend/settings"
)

func TestServersAsTheAgentCanTakeThem(t *testing.T) {
	list := []settings.MCPServer{
		{Name: "files", Type: "stdio", Command: "mcp-files", Args: []string{"."}, Env: map[string]string{"B": "2", "A": "1"}},
		{Name: "web", Type: "http", URL: "https://example.org", Headers: map[string]string{"K": "v"}},
		{Name: "old", Type: "sse", URL: "https://example.org/sse"},
		{Name: "off", Type: "stdio", Command: "x", Disabled: true},
		{Name: "off too", Type: "stdio", Command: "x", Disabled: true, Via: settings.ViaGateway},
		{Name: "through", Type: "sse", URL: "https://example.org/sse", Via: settings.ViaGateway},
	}
	const (
		files = `{"args":["."],"command":"mcp-files","env":[{"name":"A","value":"1"},{"name":"B","value":"2"}],"name":"files"}`
		web   = `{"headers":[{"name":"K","value":"v"}],"name":"web","type":"http","url":"https://example.org"}`
		old   = `{"headers":[],"name":"old","type":"sse","url":"https://example.org/sse"}`
	)
	for _, c := range []struct {
		can     acp.AgentCapabilities
		gateway bool
		want    string
		without []string
	}{
		{acp.AgentCapabilities{}, true, `[` + files + `]`, []string{"web", "old"}},
		{acp.AgentCapabilities{MCPHTTP: true}, true, `[` + files + `,` + web + `]`, []string{"old"}},
		{acp.AgentCapabilities{MCPHTTP: true, MCPSSE: true}, true, `[` + files + `,` + web + `,` + old + `]`, nil},
		{acp.AgentCapabilities{MCPHTTP: true, MCPSSE: true}, false, `[` + files + `,` + web + `,` + old + `]`, []string{"through"}},
	} {
		out, handed := Convert(list, c.can, c.gateway, nil)
		var without []string
		for _, h := range handed {
			if (h.Via == settings.ViaGateway) != (h.Name == "through") || (h.Why == "") != h.Handed {
				t.Errorf("%+v", h)
			}
			if !h.Handed {
				without = append(without, h.Name)
			}
		}
		raw, err := json.Marshal(out)
		if err != nil {
			t.Fatal(err)
		}
		var plain any
		_ = json.Unmarshal(raw, &plain)
		got, _ := json.Marshal(plain) // sorted names
		if string(got) != c.want || !slices.Equal(without, c.without) {
			t.Errorf("%+v:\n got %s without %v\nwant %s without %v", c.can, got, without, c.want, c.without)
		}
	}
	if out, _ := Convert(nil, acp.AgentCapabilities{}, true, nil); out == nil {
		t.Error("no servers are null")
	}
}
