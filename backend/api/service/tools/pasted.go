package tools

import (
	"context"
	"strings"

	"weft/backend/base/lazyregexp"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/command"
	"weft/backend/base/fault"
	"weft/backend/base/scan"
	"weft/backend/settings"
)

// ReadMCPServersRequest is configuration pasted by the user.
type ReadMCPServersRequest struct {
	Text string `json:"text"`
}

// PastedServers are the servers found in it. Nothing is saved yet.
type PastedServers struct {
	Servers []PastedServer `json:"servers"`
	// Skipped has a sentence for each part that was left out.
	Skipped []string `json:"skipped"`
}

// PastedServer is a server with plain values, and the names of those that look like secrets.
type PastedServer struct {
	MCPServer
	Secret []string `json:"secret"`
}

const (
	maxPaste  = 1 << 20
	maxPasted = 100
)

// ReadMCPServers parses server configuration in the formats of other programs: an object with mcpServers (Claude),
// servers or mcp.servers (VS Code), or the servers alone.
func (s *UserServers) ReadMCPServers(_ context.Context, req ReadMCPServersRequest) (PastedServers, error) {
	out := PastedServers{Servers: []PastedServer{}, Skipped: []string{}}
	if len(req.Text) > maxPaste {
		return out, fault.New(fault.Invalid, "This text is too long for a configuration of MCP servers.")
	}
	text := strings.TrimSpace(req.Text)
	if strings.HasPrefix(text, `"`) { // a member without its object
		text = "{" + strings.TrimRight(text, ", \t\r\n") + "}"
	}
	var root jsontext.Value
	if err := json.Unmarshal([]byte(text), &root, command.Wire); err != nil {
		return out, fault.New(fault.Invalid, "This isn't JSON. Paste the whole object, such as {\"mcpServers\": {\"name\": {\"command\": \"…\"}}}.")
	}
	for _, path := range [][]string{{"mcpServers"}, {"servers"}, {"mcp", "servers"}, {"mcp", "mcpServers"}, {"mcp"}, {"context_servers"}} {
		at := root
		for _, name := range path {
			var o map[string]jsontext.Value
			if json.Unmarshal(at, &o, command.Wire) != nil {
				o = nil
			}
			at = o[name]
		}
		if len(at) > 0 && at[0] == '{' {
			root = at
			break
		}
	}
	names, byName := scan.Members(root)
	if byName["command"] != nil || byName["url"] != nil {
		names, byName = []string{"server"}, map[string]jsontext.Value{"server": root}
	}
	for _, name := range names {
		if len(out.Servers) == maxPasted {
			out.Skipped = append(out.Skipped, fault.Text("There are more than {{max}} servers; the others were left out.", maxPasted))
			break
		}
		one, why := readPasted(name, byName[name])
		if why != "" {
			out.Skipped = append(out.Skipped, fault.Text("The server {{name}} was left out: {{why}}", name, why))
			continue
		}
		out.Servers = append(out.Servers, one)
	}
	if len(out.Servers) == 0 && len(out.Skipped) == 0 {
		return out, fault.New(fault.Invalid, "No MCP server found. Paste an object such as {\"mcpServers\": {\"name\": {\"command\": \"…\"}}}.")
	}
	return out, nil
}

var (
	secretName  = lazyregexp.New(`(?i)(token|secret|passw|api[-_]?key|[-_]key$|^key$|auth|credential|cookie)`)
	placeholder = lazyregexp.New(`\$\{(input:|env:)?[^}]*\}`)
)

func readPasted(name string, v jsontext.Value) (PastedServer, fault.Said) {
	var f struct {
		Type          string                    `json:"type"`
		Transport     string                    `json:"transport"`
		TransportType string                    `json:"transportType"`
		Command       jsontext.Value            `json:"command"`
		Args          []string                  `json:"args"`
		Env           map[string]jsontext.Value `json:"env"`
		Environment   map[string]jsontext.Value `json:"environment"`
		URL           string                    `json:"url"`
		HTTPURL       string                    `json:"httpUrl"`
		ServerURL     string                    `json:"serverUrl"`
		Headers       map[string]jsontext.Value `json:"headers"`
		Disabled      bool                      `json:"disabled"`
		Enabled       *bool                     `json:"enabled"`
	}
	if err := json.Unmarshal(v, &f, command.Wire); err != nil {
		return PastedServer{}, fault.Say("it isn't a valid MCP server configuration.")
	}
	p := PastedServer{MCPServer: MCPServer{
		Name: name, Args: append([]string{}, f.Args...), Env: map[string]string{}, Headers: map[string]string{},
		SecretEnv: map[string]string{}, SecretHeaders: map[string]string{}, Disabled: f.Disabled || f.Enabled != nil && !*f.Enabled,
		Via: settings.ViaDirect, Tools: map[string]settings.MCPTool{}, Troubles: []string{},
	}, Secret: []string{}}
	var words []string
	if json.Unmarshal(f.Command, &words) == nil && len(words) > 0 { // opencode puts them into one list
		p.Command, p.Args = words[0], append(append([]string{}, words[1:]...), p.Args...)
	} else {
		_ = json.Unmarshal(f.Command, &p.Command) // otherwise there is none
	}
	p.URL = firstOf(f.URL, f.HTTPURL, f.ServerURL)
	kind := strings.ToLower(firstOf(f.Type, f.Transport, f.TransportType))
	switch {
	case p.Command != "":
		p.Type, p.URL = "stdio", ""
	case p.URL == "":
		return p, fault.Say("it has neither a command nor a url.")
	case strings.Contains(kind, "sse"), f.HTTPURL == "" && kind == "" && strings.HasSuffix(strings.TrimRight(p.URL, "/"), "/sse"):
		p.Type = "sse"
	default:
		p.Type = "http"
	}
	take := func(from map[string]jsontext.Value, into map[string]string) {
		for key, raw := range from {
			var text string
			if json.Unmarshal(raw, &text) != nil {
				text = string(raw) // numbers and the like
			}
			if placeholder.MatchString(text) { // for the user to fill in
				text = ""
				p.Secret = append(p.Secret, key)
			} else if secretName.MatchString(key) {
				p.Secret = append(p.Secret, key)
			}
			into[key] = text
		}
	}
	if p.Type == "stdio" {
		take(f.Environment, p.Env)
		take(f.Env, p.Env)
	} else {
		take(f.Headers, p.Headers)
	}
	return p, ""
}

func firstOf(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}
