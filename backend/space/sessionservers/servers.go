// Package sessionservers provides the MCP servers that an agent gets with a session: those of the user's that it
// supports, converted to ACP, Weft's own gateway ([Gateway]), and the outcome for each ([Handed]).
//
// It doesn't connect to servers, and sends the agent nothing.
package sessionservers

import (
	"errors"
	"maps"
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"weft/backend/acp"
	"weft/backend/settings"
	"weft/backend/settings/secret"
	"weft/backend/space/gatecalls"
)

// Handed is the result for one of the user's MCP servers in a session.
type Handed struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Handed bool   `json:"handed"` // given to the agent, or offered by the gateway
	// Connected means that the agent has called one of its tools, or has connected to the gateway that proxies them.
	Connected bool   `json:"connected,omitzero"`
	Via       string `json:"via,omitzero" enum:"gateway"` // gateway: Weft proxies its tools; otherwise the agent connects to it
	// Why it wasn't handed: transport (the agent doesn't support it), secret (one couldn't be read; see Problem),
	// gateway (the agent doesn't have Weft's own tools), or refused (the agent opens no session with MCP servers).
	Why     string `json:"why,omitzero" enum:"transport,secret,gateway,refused"`
	Problem string `json:"problem,omitzero"`
}

// Convert converts the user's MCP servers to ACP, as far as the agent supports them and their secrets can be read,
// and returns the outcome for each. Every agent supports stdio (ACP Session Setup). Servers that the gateway forwards
// are left out: the agent has their tools if it has the gateway.
func Convert(list []settings.MCPServer, can acp.AgentCapabilities, gateway bool, read func(ref string) (string, error)) (out []sdk.McpServer, handed []Handed) {
	out, handed = []sdk.McpServer{}, []Handed{}
	for _, m := range list {
		if m.Disabled {
			continue
		}
		h := Handed{Name: m.Name, Type: m.Type}
		if m.Via == settings.ViaGateway {
			if h.Via, h.Handed = settings.ViaGateway, gateway; !gateway {
				h.Why = "gateway"
			}
			handed = append(handed, h)
			continue
		}
		if m.Type == "http" && !can.MCPHTTP || m.Type == "sse" && !can.MCPSSE {
			h.Why = "transport"
			handed = append(handed, h)
			continue
		}
		s, err := convert(m, read)
		if err != nil {
			h.Why, h.Problem = "secret", err.Error()
			handed = append(handed, h)
			continue
		}
		h.Handed = true
		handed = append(handed, h)
		out = append(out, s)
	}
	return out, handed
}

func convert(m settings.MCPServer, read func(ref string) (string, error)) (s sdk.McpServer, err error) {
	if err := secret.Complete(slices.Concat([]string{m.Command, m.URL}, m.Args)...); err != nil {
		return s, err
	}
	if m.Type == "stdio" {
		env, err := secret.With(m.Env, m.SecretEnv, read)
		if err != nil {
			return s, err
		}
		s.Stdio = &sdk.McpServerStdio{Name: m.Name, Command: m.Command, Args: append([]string{}, m.Args...), Env: []sdk.EnvVariable{}}
		for _, name := range slices.Sorted(maps.Keys(env)) {
			s.Stdio.Env = append(s.Stdio.Env, sdk.EnvVariable{Name: name, Value: env[name]})
		}
		return s, nil
	}
	all, err := secret.With(m.Headers, m.SecretHeaders, read)
	if err != nil {
		return s, err
	}
	for name, value := range all {
		if strings.ContainsAny(value, "\r\n\x00") {
			return s, errors.New("The header " + name + " contains a line break. Enter it again in Settings.")
		}
	}
	if m.Type == "http" {
		s.Http = &sdk.McpServerHttpInline{Type: "http", Name: m.Name, Url: m.URL, Headers: headers(all)}
	} else {
		s.Sse = &sdk.McpServerSseInline{Type: "sse", Name: m.Name, Url: m.URL, Headers: headers(all)}
	}
	return s, nil
}

func headers(of map[string]string) []sdk.HttpHeader {
	list := []sdk.HttpHeader{}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		list = append(list, sdk.HttpHeader{Name: name, Value: of[name]})
	}
	return list
}

// Connect marks the servers for which to returns true as connected. It returns handed itself if nothing changed,
// otherwise a modified copy.
func Connect(handed []Handed, to func(*Handed) bool) (now []Handed, changed bool) {
	now = slices.Clone(handed)
	for i := range now {
		if h := &now[i]; h.Handed && !h.Connected && to(h) {
			h.Connected, changed = true, true
		}
	}
	if !changed {
		return handed, false
	}
	return now, true
}

// Waits reports whether the agent hasn't connected yet to a server that it was offered.
func Waits(handed []Handed) bool {
	return slices.ContainsFunc(handed, func(h Handed) bool { return h.Handed && !h.Connected })
}

// Gateway is how a session reaches Weft's own tools.
type Gateway struct {
	URL, Token string
	// Socket is the address for an agent without network access, otherwise "".
	Socket string
}

// Server returns the gateway as an ACP server: over HTTP, or for agents that support only stdio or have no network
// access through this program, whose path exe returns and which forwards messages.
func (g Gateway) Server(can acp.AgentCapabilities, exe func() (string, error)) (s sdk.McpServer, err error) {
	if can.MCPHTTP && g.Socket == "" {
		s.Http = &sdk.McpServerHttpInline{
			Type: "http", Name: gatecalls.Server, Url: g.URL, Headers: []sdk.HttpHeader{{Name: "Authorization", Value: "Bearer " + g.Token}},
		}
		return s, nil
	}
	command, err := exe()
	if err != nil {
		return s, err
	}
	env := []sdk.EnvVariable{{Name: "WEFT_GATEWAY_URL", Value: g.URL}, {Name: "WEFT_GATEWAY_TOKEN", Value: g.Token}}
	if g.Socket != "" {
		env = append(env, sdk.EnvVariable{Name: "WEFT_GATEWAY_SOCKET", Value: g.Socket})
	}
	s.Stdio = &sdk.McpServerStdio{Name: gatecalls.Server, Command: command, Args: []string{"mcp-stdio"}, Env: env}
	return s, nil
}
