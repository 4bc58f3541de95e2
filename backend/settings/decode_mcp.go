package settings

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"
)

func (d *decoder) servers(n *node, into *[]MCPServer) {
	if !d.array(n, "mcpServers") {
		return
	}
	for _, item := range n.items {
		var m MCPServer
		if d.object(item, field{"mcpServers", true}) {
			d.text(item.get("name"), "name", &m.Name)
			d.text(item.get("type"), "type", &m.Type)
			d.text(item.get("command"), "command", &m.Command)
			d.texts(item.get("args"), "args", &m.Args)
			d.text(item.get("url"), "url", &m.URL)
			d.dict(item.get("env"), "env", &m.Env)
			d.dict(item.get("headers"), "headers", &m.Headers)
			d.dict(item.get("secretEnv"), "secretEnv", &m.SecretEnv)
			d.dict(item.get("secretHeaders"), "secretHeaders", &m.SecretHeaders)
			d.flag(item.get("disabled"), "disabled", &m.Disabled)
			d.text(item.get("via"), "via", &m.Via)
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

// tools reads the settings of a server's tools.
func (d *decoder) tools(n *node, into *map[string]MCPTool) {
	if !d.object(n, field{key: "tools"}) {
		return
	}
	*into = make(map[string]MCPTool, len(n.members))
	for _, m := range n.members {
		var one MCPTool
		if d.object(m.value, field{key: m.key}) {
			d.flag(m.value.get("off"), "off", &one.Off)
			d.flag(m.value.get("display"), "display", &one.Display)
			d.text(m.value.get("visibility"), "visibility", &one.Visibility)
		}
		(*into)[m.key] = one
	}
}

// CheckServer checks one MCP server. The error is a *Problem without a position, or nil.
func CheckServer(m MCPServer) error {
	d := &decoder{}
	d.checkServers([]MCPServer{m}, nil)
	if d.problem != nil {
		return invalid(d.problem.without(""))
	}
	return nil
}

// checkServers checks MCP servers.
func (d *decoder) checkServers(list []MCPServer, n *node) {
	seen := map[string]bool{}
	for i, m := range list {
		var at *node
		if n != nil && i < len(n.items) {
			at = n.items[i]
		}
		u, err := url.Parse(m.URL)
		server := strconv.Quote(m.Name)
		switch {
		case strings.TrimSpace(m.Name) == "":
			d.fail(at, "This MCP server needs a name that no other one has.")
		case seen[m.Name]:
			d.fail(at, "Two MCP servers have the name {{name}}. Give one of them another name.", server)
		case !slices.Contains(mcpTypes, m.Type):
			d.fail(at, "The MCP server {{server}} has the type {{type}}; it must be one of {{types}}.", server, strconv.Quote(m.Type), oneAfterAnother(mcpTypes))
		case m.Type == "stdio" && strings.TrimSpace(m.Command) == "":
			d.fail(at, "The MCP server {{server}} needs a command, the program that is started.", server)
		case m.Type != "stdio" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https"):
			d.fail(at, "The MCP server {{server}} needs a url that begins with http:// or https://.", server)
		case !slices.Contains(mcpVias, m.Via):
			d.fail(at, "The MCP server {{server}} has the via {{via}}; it must be direct (agents connect to it) or gateway (Weft offers its tools).", server, strconv.Quote(m.Via))
		}
		for _, name := range slices.Sorted(maps.Keys(m.Tools)) {
			if how := m.Tools[name]; !slices.Contains(visibilities, how.Visibility) {
				d.fail(at, "The tool {{tool}} of the MCP server {{server}} has the visibility {{visibility}}; it must be hidden, minimal or full.", strconv.Quote(name), server, strconv.Quote(how.Visibility))
			}
		}
		seen[m.Name] = true
		d.checkNames(m, at)
	}
}

// checkNames finds invalid and duplicate names of headers and environment variables, and header values that would be
// parsed as more than one header.
func (d *decoder) checkNames(m MCPServer, at *node) {
	server := strconv.Quote(m.Name)
	for _, list := range []map[string]string{m.Env, m.SecretEnv} {
		for name := range list {
			if !validVariable(name) {
				d.fail(at, "The MCP server {{server}} has an environment variable with the name {{name}}, which no program can read.", server, strconv.Quote(name))
			}
		}
	}
	headers := map[string]bool{}
	for _, list := range []map[string]string{m.Headers, m.SecretHeaders} {
		for name := range list {
			switch lower := strings.ToLower(name); {
			case !httpguts.ValidHeaderFieldName(name):
				d.fail(at, "The MCP server {{server}} has a header with the name {{name}}: only letters, digits and characters such as - and _ are allowed.", server, strconv.Quote(name))
			case headers[lower]:
				d.fail(at, "The MCP server {{server}} has the header {{name}} twice.", server, strconv.Quote(name))
			default:
				headers[lower] = true
			}
		}
	}
	for name, value := range m.Headers {
		if !httpguts.ValidHeaderFieldValue(value) {
			d.fail(at, "The header {{name}} of the MCP server {{server}} contains a line break or another character that isn't allowed in headers.", strconv.Quote(name), server)
		}
	}
	for name := range m.SecretEnv {
		if _, twice := m.Env[name]; twice {
			d.fail(at, "The MCP server {{server}} has the environment variable {{name}} twice.", server, strconv.Quote(name))
		}
	}
}
