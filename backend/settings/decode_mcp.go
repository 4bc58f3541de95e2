package settings

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
)

func (d *decoder) servers(n *node, into *[]MCPServer) {
	if !d.array(n, "mcpServers") {
		return
	}
	for _, item := range n.items {
		var m MCPServer
		if d.object(item, "Each MCP server") {
			d.text(item.get("name"), "An MCP server's name", &m.Name)
			d.text(item.get("type"), "An MCP server's type", &m.Type)
			d.text(item.get("command"), "An MCP server's command", &m.Command)
			d.texts(item.get("args"), "args", &m.Args)
			d.text(item.get("url"), "An MCP server's url", &m.URL)
			d.dict(item.get("env"), "An MCP server's env", "The environment variable ", &m.Env)
			d.dict(item.get("headers"), "An MCP server's headers", "The header ", &m.Headers)
			d.dict(item.get("secretEnv"), "An MCP server's secretEnv", "The environment variable ", &m.SecretEnv)
			d.dict(item.get("secretHeaders"), "An MCP server's secretHeaders", "The header ", &m.SecretHeaders)
			d.flag(item.get("disabled"), "disabled", &m.Disabled)
			d.text(item.get("via"), "An MCP server's via", &m.Via)
			d.tools(item.get("tools"), &m.Tools)
		}
		if m.Type == "" {
			m.Type = "stdio"
			if m.URL != "" {
				m.Type = "http"
			}
		}
		*into = append(*into, m)
	}
}

// tools reads the switches of a server's tools.
func (d *decoder) tools(n *node, into *map[string]MCPTool) {
	if !d.object(n, "An MCP server's tools") {
		return
	}
	*into = make(map[string]MCPTool, len(n.members))
	for _, m := range n.members {
		var one MCPTool
		if d.object(m.value, "The tool "+m.key) {
			d.flag(m.value.get("off"), "off of the tool "+m.key, &one.Off)
			d.flag(m.value.get("display"), "display of the tool "+m.key, &one.Display)
			d.text(m.value.get("visibility"), "visibility of the tool "+m.key, &one.Visibility)
		}
		(*into)[m.key] = one
	}
}

// CheckServer returns what is wrong with one MCP server: a *Problem without a place, or nil.
func CheckServer(m MCPServer) error {
	d := &decoder{}
	d.checkServers([]MCPServer{m}, nil)
	if d.problem != nil {
		return invalid(&Problem{Message: d.problem.Message})
	}
	return nil
}

// checkServers finds what is wrong with MCP servers.
func (d *decoder) checkServers(list []MCPServer, n *node) {
	seen := map[string]bool{}
	for i, m := range list {
		var at *node
		if n != nil && i < len(n.items) {
			at = n.items[i]
		}
		u, err := url.Parse(m.URL)
		switch {
		case strings.TrimSpace(m.Name) == "":
			d.fail(at, "This MCP server needs a name that no other one has.")
		case seen[m.Name]:
			d.fail(at, "Two MCP servers have the name %q. Give one of them another name.", m.Name)
		case !slices.Contains(mcpTypes, m.Type):
			d.fail(at, "The MCP server %q has the type %q; it must be one of %s.", m.Name, m.Type, strings.Join(mcpTypes, ", "))
		case m.Type == "stdio" && strings.TrimSpace(m.Command) == "":
			d.fail(at, "The MCP server %q needs a command, the program that is started.", m.Name)
		case m.Type != "stdio" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https"):
			d.fail(at, "The MCP server %q needs a url that begins with http:// or https://.", m.Name)
		case !slices.Contains(mcpVias, m.Via):
			d.fail(at, "The MCP server %q has the via %q; it must be direct (agents connect to it) or gateway (Weft offers its tools).", m.Name, m.Via)
		}
		for _, name := range slices.Sorted(maps.Keys(m.Tools)) {
			if how := m.Tools[name]; !slices.Contains(visibilities, how.Visibility) {
				d.fail(at, "The tool %q of the MCP server %q has the visibility %q; it must be hidden, minimal or full.", name, m.Name, how.Visibility)
			}
		}
		seen[m.Name] = true
		d.checkNames(m, at)
	}
}

// checkNames finds names of headers and environment variables that cannot be, or are given twice, and
// header values that would be read as more than one.
func (d *decoder) checkNames(m MCPServer, at *node) {
	for _, list := range []map[string]string{m.Env, m.SecretEnv} {
		for name := range list {
			if !validVariable(name) {
				d.fail(at, "The MCP server %q has an environment variable with the name %q, which no program can read.", m.Name, name)
			}
		}
	}
	headers := map[string]bool{}
	for _, list := range []map[string]string{m.Headers, m.SecretHeaders} {
		for name := range list {
			switch lower := strings.ToLower(name); {
			case !httpguts.ValidHeaderFieldName(name):
				d.fail(at, "The MCP server %q has a header with the name %q: only letters, digits and characters such as - and _ are allowed.", m.Name, name)
			case headers[lower]:
				d.fail(at, "The MCP server %q has the header %q twice.", m.Name, name)
			default:
				headers[lower] = true
			}
		}
	}
	for name, value := range m.Headers {
		if !httpguts.ValidHeaderFieldValue(value) {
			d.fail(at, "The header %q of the MCP server %q contains a line break or another character that isn't allowed in headers.", name, m.Name)
		}
	}
	for name := range m.SecretEnv {
		if _, twice := m.Env[name]; twice {
			d.fail(at, "The MCP server %q has the environment variable %q twice.", m.Name, name)
		}
	}
}
