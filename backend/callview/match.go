package callview

import (
	"encoding/json"
	"slices"
	"strings"

	"weft/backend/transcript"
)

// gateway is what agents know Weft's own server as.
const gateway = "weft"

// spaceTools are the gateway's tools with which agents see spaces and write to them.
var spaceTools = []string{"listSpaces", "readSpaceMessages", "getMyRuns", "sendSpaceMessage"}

// displayTools are the gateway's other tools. No tool of anyone else is called like any of these.
var displayTools = []string{"showApprovalForm", "showCard", "showChart", "showChoice", "showDiff", "showForm", "showImage", "showMarkdown", "showProgress", "showTable"}

// historyTools are the gateway's tools with which agents search and read earlier conversations. They are drawn as other calls are.
var historyTools = []string{"searchHistory", "readConversation"}

// matches reports whether a rule is about a call of an agent.
func (r *Rule) matches(agent string, c *transcript.ToolCall) bool {
	switch {
	case r.Agent != "" && r.Agent != agent:
		return false
	case (r.Server == "" || r.Server == gateway) && isGateway(r.Tool) && endsWith(c.Name, r.Tool):
		return true
	case r.Server != "":
		return ofServer(c, r.Server, r.Tool)
	}
	// A name that Weft has derived is a guess, and often no more than a kind: other agents' tools would be hidden with it.
	return c.Name == r.Tool && c.Name != "" && (!c.NameDerived || r.Agent != "")
}

func isGateway(tool string) bool {
	return slices.Contains(spaceTools, tool) || slices.Contains(displayTools, tool) || slices.Contains(historyTools, tool)
}

// spaceTool reports whether a name is that of one of the space tools, with whatever an agent puts before it.
func spaceTool(name string) bool {
	return slices.ContainsFunc(spaceTools, func(tool string) bool { return endsWith(name, tool) })
}

// endsWith reports whether a name is that of a tool of the gateway, behind whatever an agent calls its servers.
func endsWith(name, tool string) bool {
	name, tool = fold(name), fold(tool)
	return name == tool || strings.HasSuffix(name, "_"+tool)
}

// ofServer reports whether a call is one of a tool of an MCP server, by the forms in which agents name these: mcp__server__tool, server_tool,
// server-tool, server/tool, and in titles "Tool: server/tool" and "tool (server MCP Server)". Agents clean the names, each in its own way.
func ofServer(c *transcript.ToolCall, server, tool string) bool {
	s, t := fold(server), fold(tool)
	if s == "" || t == "" {
		return false
	}
	if named(c.Name, s, t) {
		return true
	}
	if c.Name != "" && !c.NameDerived && fold(c.Name) != t {
		return false // it is called something else, whatever its title says
	}
	open := c.Kind == "" || c.Kind == "other" // else a title is a path, mostly
	if before, after, ok := strings.Cut(c.Title, " ("); ok && fold(before) == t {
		within, _, _ := strings.Cut(after, ")")
		bare := strings.TrimSuffix(within, " MCP Server")
		if fold(bare) == s && (open || bare != within) {
			return true
		}
	}
	head := c.Title
	if i := strings.IndexAny(head, "({\n"); i >= 0 {
		head = head[:i]
	}
	whole := fold(head)
	return (open || strings.HasPrefix(whole, "tool_") || strings.HasPrefix(whole, "mcp_")) && named(head, s, t)
}

// FromServer reports whether a call is one of any tool of an MCP server, by what the agent calls it or by a member of its input that names the server. A
// name that could as well be a tool of the agent's own (server_tool) counts only for calls of no kind.
func FromServer(c *transcript.ToolCall, server string) bool {
	s := fold(server)
	if s == "" {
		return false
	}
	var in struct {
		Server     string `json:"server"`
		ServerName string `json:"server_name"`
	}
	_ = json.Unmarshal(c.Input, &in) // what is no such object names none
	if in.Server == server || in.ServerName == server {
		return true
	}
	for _, name := range []string{c.Name, c.Title} {
		head, behind, _ := strings.Cut(name, "(")
		if within, _, ok := strings.Cut(behind, " MCP Server)"); ok && fold(within) == s {
			return true
		}
		whole := fold(head)
		rest, sure := strings.CutPrefix(whole, "mcp_")
		rest, titled := strings.CutPrefix(rest, "tool_")
		open := c.Kind == "" || c.Kind == "other"
		if (sure || titled || open && !strings.ContainsAny(strings.TrimSpace(head), " \n")) && strings.HasPrefix(rest, s+"_") {
			return true
		}
	}
	return false
}

// named reports whether a name is that of a tool of a server, both folded.
func named(name, server, tool string) bool {
	whole := fold(name)
	want := server + "_" + tool
	return whole == want || strings.TrimPrefix(strings.TrimPrefix(whole, "tool_"), "mcp_") == want
}

// fold makes names alike that differ in case and separators only: a run of anything but letters and digits is one "_". Only ASCII changes its
// case, so that it is the same in every language.
func fold(name string) string {
	var b strings.Builder
	gap := false
	for i := range len(name) {
		ch := name[i]
		switch {
		case ch >= 'A' && ch <= 'Z':
			ch += 'a' - 'A'
		case ch >= 'a' && ch <= 'z', ch >= '0' && ch <= '9', ch >= 0x80:
		default:
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('_')
		}
		gap = false
		b.WriteByte(ch)
	}
	return b.String()
}
