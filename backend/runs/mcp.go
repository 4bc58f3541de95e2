package runs

import (
	"maps"
	"slices"

	sdk "github.com/coder/acp-go-sdk"

	"weft/backend/acp"
	"weft/backend/settings"
)

// servers answers the person's MCP servers in the agent's terms, as far as it can take them, and the
// names of those that it cannot. Every agent takes stdio (ACP Session Setup).
func servers(list []settings.MCPServer, can acp.AgentCapabilities) (out []sdk.McpServer, without []string) {
	out = []sdk.McpServer{}
	for _, m := range list {
		var s sdk.McpServer
		switch {
		case m.Disabled:
			continue
		case m.Type == "stdio":
			s.Stdio = &sdk.McpServerStdio{Name: m.Name, Command: m.Command, Args: append([]string{}, m.Args...), Env: []sdk.EnvVariable{}}
			for _, name := range slices.Sorted(maps.Keys(m.Env)) {
				s.Stdio.Env = append(s.Stdio.Env, sdk.EnvVariable{Name: name, Value: m.Env[name]})
			}
		case m.Type == "http" && can.MCPHTTP:
			s.Http = &sdk.McpServerHttpInline{Type: "http", Name: m.Name, Url: m.URL, Headers: headers(m.Headers)}
		case m.Type == "sse" && can.MCPSSE:
			s.Sse = &sdk.McpServerSseInline{Type: "sse", Name: m.Name, Url: m.URL, Headers: headers(m.Headers)}
		default:
			without = append(without, m.Name)
			continue
		}
		out = append(out, s)
	}
	return out, without
}

func headers(of map[string]string) []sdk.HttpHeader {
	list := []sdk.HttpHeader{}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		list = append(list, sdk.HttpHeader{Name: name, Value: of[name]})
	}
	return list
}

// servers answers what the link's agent is handed in a new or continued session.
func (l *link) servers() []sdk.McpServer {
	list, without := servers(l.s.m.opt.MCPServers(), l.caps.Capabilities)
	if len(without) > 0 {
		l.s.m.opt.Log.Warn().Str("agent", l.config.ID).Strs("servers", without).Msg("the agent cannot take these MCP servers")
	}
	return list
}
