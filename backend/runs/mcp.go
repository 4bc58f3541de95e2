package runs

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"weft/backend/acp"
	"weft/backend/agentproc"
	"weft/backend/fault"
	"weft/backend/gatecalls"
	"weft/backend/secret"
	"weft/backend/settings"
)

// Handed tells what became of one of the person's MCP servers in a session.
type Handed struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Handed bool   `json:"handed"` // or offered by the gateway
	// Connected: the agent has called one of its tools, or has reached the gateway that passes them on.
	Connected bool   `json:"connected,omitzero"`
	Via       string `json:"via,omitzero" enum:"gateway"` // gateway: the agent has its tools from Weft; else it has the server itself
	// Why it was not: transport (the agent cannot take it), secret (one could not be read; Problem says why), or
	// gateway (the agent has not got Weft's own tools).
	Why     string `json:"why,omitzero" enum:"transport,secret,gateway"`
	Problem string `json:"problem,omitzero"`
}

// servers answers the person's MCP servers in the agent's terms, as far as it can take them and their
// secrets can be read, and what became of each. Every agent takes stdio (ACP Session Setup). Those that the gateway
// passes on are not handed: the agent has their tools if it has the gateway.
func servers(list []settings.MCPServer, can acp.AgentCapabilities, gateway bool, read func(ref string) (string, error)) (out []sdk.McpServer, handed []Handed) {
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
		s, err := server(m, read)
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

func server(m settings.MCPServer, read func(ref string) (string, error)) (s sdk.McpServer, err error) {
	if m.Type == "stdio" {
		env, err := WithSecrets(m.Env, m.SecretEnv, read)
		if err != nil {
			return s, err
		}
		s.Stdio = &sdk.McpServerStdio{Name: m.Name, Command: m.Command, Args: append([]string{}, m.Args...), Env: []sdk.EnvVariable{}}
		for _, name := range slices.Sorted(maps.Keys(env)) {
			s.Stdio.Env = append(s.Stdio.Env, sdk.EnvVariable{Name: name, Value: env[name]})
		}
		return s, nil
	}
	all, err := WithSecrets(m.Headers, m.SecretHeaders, read)
	if err != nil {
		return s, err
	}
	for name, value := range all {
		if strings.ContainsAny(value, "\r\n\x00") {
			return s, errors.New("The header " + name + " has a line end in it. Enter it anew in Settings.")
		}
	}
	if m.Type == "http" {
		s.Http = &sdk.McpServerHttpInline{Type: "http", Name: m.Name, Url: m.URL, Headers: headers(all)}
	} else {
		s.Sse = &sdk.McpServerSseInline{Type: "sse", Name: m.Name, Url: m.URL, Headers: headers(all)}
	}
	return s, nil
}

// WithSecrets answers plain values together with those that refs name.
func WithSecrets(plain, refs map[string]string, read func(ref string) (string, error)) (map[string]string, error) {
	all := maps.Clone(plain)
	if all == nil {
		all = map[string]string{}
	}
	for _, name := range slices.Sorted(maps.Keys(refs)) {
		value, err := read(refs[name])
		if err != nil {
			return nil, &Error{Code: cmp.Or(fault.CodeOf(err), "internal"), Message: name + " could not be read. " + err.Error(), Err: err}
		}
		all[name] = value
	}
	return all, nil
}

// Reader reads secrets one after the other. Once the keychain itself has failed, it is not asked again: a
// person should not be made to wait, or to wave off a window, once for every secret.
func Reader(ctx context.Context, read func(context.Context, string) (string, error)) func(ref string) (string, error) {
	var failed error
	return func(ref string) (string, error) {
		if failed != nil && secret.Ref(ref).Place() == secret.Keychain {
			return "", failed
		}
		value, err := read(ctx, ref)
		if secret.KeychainFailed(err) {
			failed = err
		}
		return value, err
	}
}

func headers(of map[string]string) []sdk.HttpHeader {
	list := []sdk.HttpHeader{}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		list = append(list, sdk.HttpHeader{Name: name, Value: of[name]})
	}
	return list
}

// servers answers what the link's agent is handed in a new or continued session, and keeps what became of
// each server. It blocks for the keychain at worst.
func (l *link) servers() []sdk.McpServer {
	own, release := l.gateway()
	list, handed := servers(l.s.m.opt.MCPServers(), l.caps.Capabilities, len(own) > 0, Reader(context.Background(), l.s.m.Secret))
	for _, h := range handed {
		if !h.Handed {
			l.s.m.opt.Log.Warn().Str("agent", l.config.ID).Str("server", h.Name).Str("why", h.Why).Msg("an MCP server was not handed to the agent")
		}
	}
	l.s.Lock()
	l.handed = handed
	l.s.Unlock()
	l.shut() // of a session that could not be continued
	if release != nil {
		l.release.Store(&release)
	}
	return append(list, own...)
}

// gateway answers Weft's own tools as a server of the session: over HTTP, or for agents that take only stdio through a
// process that passes the messages on.
func (l *link) gateway() (own []sdk.McpServer, release func()) {
	open := l.s.m.opt.Gateway
	if open == nil || l.config.ID == settings.GuideID {
		return nil, nil
	}
	url, token, release, ok := open(l.s.space.ID, l.s.member.ID, l.s.space.AgentID)
	if !ok {
		return nil, nil
	}
	hide, revoke := l.s.m.redactor(), release
	hide.Add(token)
	release = func() {
		revoke()
		hide.Remove(token) // nothing can be done with it any more
	}
	offline := l.plan != nil && l.plan.Offline
	if l.caps.Capabilities.MCPHTTP && !offline {
		return []sdk.McpServer{{Http: &sdk.McpServerHttpInline{
			Type: "http", Name: gatecalls.Server, Url: url, Headers: []sdk.HttpHeader{{Name: "Authorization", Value: "Bearer " + token}},
		}}}, release
	}
	exe, err := os.Executable()
	if err != nil {
		release()
		return nil, nil
	}
	env := []sdk.EnvVariable{{Name: "WEFT_GATEWAY_URL", Value: url}, {Name: "WEFT_GATEWAY_TOKEN", Value: token}}
	if offline {
		env = append(env, sdk.EnvVariable{Name: "WEFT_GATEWAY_SOCKET", Value: agentproc.GatewaySocket(l.s.m.opt.DataDir)})
	}
	return []sdk.McpServer{{Stdio: &sdk.McpServerStdio{Name: gatecalls.Server, Command: exe, Args: []string{"mcp-stdio"}, Env: env}}}, release
}

// shut lets the session's token die.
func (l *link) shut() {
	if release := l.release.Swap(nil); release != nil {
		(*release)()
	}
}
