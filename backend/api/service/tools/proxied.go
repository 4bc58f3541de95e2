package tools

import (
	"context"
	"encoding/json"

	"weft/backend/agent/agentproc"
	"weft/backend/agent/mcp"
	"weft/backend/api/service/secrets"
	"weft/backend/base/fault"
	"weft/backend/gateway"
	"weft/backend/settings"
)

// proxied returns the user's MCP servers whose tools the gateway offers.
func (s *UserServers) proxied() []gateway.ProxiedServer {
	var list []gateway.ProxiedServer
	for _, m := range s.settings.Get().MCPServers {
		if m.Via == settings.ViaGateway && !m.Disabled {
			list = append(list, s.proxiedServer(m))
		}
	}
	return list
}

func (s *UserServers) proxiedServer(m settings.MCPServer) gateway.ProxiedServer {
	p := gateway.ProxiedServer{Name: m.Name, Key: wayTo(m), Tools: map[string]gateway.ToolSwitch{}, Server: func(ctx context.Context) (mcp.Server, error) {
		return s.reach(ctx, m, secrets.Inputs(m.SecretEnv), secrets.Inputs(m.SecretHeaders))
	}}
	if agentproc.Downloads(m.Command) {
		p.Timeout = mcpDownload
	}
	for name, how := range m.Tools {
		p.Tools[name] = gateway.ToolSwitch(how)
	}
	return p
}

// wayTo returns a key that is equal for servers reached in the same way. A changed secret has another reference.
func wayTo(m settings.MCPServer) string {
	m.Via, m.Tools = "", nil
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // strings only
	}
	return string(text)
}

// Refresh passes the current servers to the gateway.
func (s *UserServers) Refresh() {
	if s.gateway != nil {
		s.gateway.RefreshServers()
	}
}

// troubles returns sentences about what the gateway can't pass on, by server.
func (s *UserServers) troubles() map[string][]string {
	out := map[string][]string{}
	if s.gateway == nil {
		for _, p := range s.proxied() {
			out[p.Name] = []string{fault.Text("Couldn't start Weft's own tools, so this server's tools aren't available. Restart Weft.")}
		}
		return out
	}
	hide := s.secrets.Redactor()
	for name, list := range s.gateway.Troubles() {
		for _, sentence := range list {
			out[name] = append(out[name], hide.Text(sentence))
		}
	}
	return out
}
