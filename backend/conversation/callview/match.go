package callview

import (
	"encoding/json"
	"slices"
	"strings"

	"weft/backend/conversation/transcript"
)

// gateway is the name of Weft's own MCP server.
const gateway = "weft"

// spaceTools are the gateway's tools to read spaces and write to them.
var spaceTools = []string{"listSpaces", "readSpaceMessages", "getMyRuns", "sendSpaceMessage"}

// displayTools are the gateway's tools that draw something. No other server uses these names.
var displayTools = []string{"showApprovalForm", "showCard", "showChart", "showChoice", "showDiff", "showForm", "showImage", "showMarkdown", "showProgress", "showTable"}

// historyTools are the gateway's tools to search and read earlier conversations. Their calls are drawn like any other.
var historyTools = []string{"searchHistory", "readConversation"}

// matches reports whether the rule applies to an agent's call.
func (r *Rule) matches(agent string, c *transcript.ToolCall) bool {
	switch {
	case r.Agent != "" && r.Agent != agent:
		return false
	case (r.Server == "" || r.Server == gateway) && isGateway(r.Tool) && endsWith(c.Name, r.Tool):
		return true
	case r.Server != "":
		return ofServer(c, r.Server, r.Tool)
	}
	// A derived name is a guess, often just a kind. A rule for any agent must not match it, or it would hide other
	// agents' tools.
	return c.Name == r.Tool && c.Name != "" && (!c.NameDerived || r.Agent != "")
}

func isGateway(tool string) bool {
	return slices.Contains(spaceTools, tool) || slices.Contains(displayTools, tool) || slices.Contains(historyTools, tool)
}

// spaceTool reports whether name is that of a space tool, with any prefix that an agent adds.
func spaceTool(name string) bool {
	return slices.ContainsFunc(spaceTools, func(tool string) bool { return endsWith(name, tool) })
}

// endsWith reports whether name is that of a gateway tool, with or without a server prefix.
func endsWith(name, tool string) bool {
	name, tool = fold(name), fold(tool)
	return name == tool || strings.HasSuffix(name, "_"+tool)
}

// ofServer reports whether a call is one of an MCP server's tool. Agents name these in many ways: mcp__server__tool,
// server_tool, server-tool, server/tool, and in titles "Tool: server/tool" and "tool (server MCP Server)". Each agent
// sanitizes names differently.
func ofServer(c *transcript.ToolCall, server, tool string) bool {
	s, t := fold(server), fold(tool)
	if s == "" || t == "" {
		return false
	}
	if named(c.Name, s, t) {
		return true
	}
	if c.Name != "" && !c.NameDerived && fold(c.Name) != t {
		return false // it has another name, whatever its title says
	}
	open := c.Kind == "" || c.Kind == "other" // otherwise the title is usually a path
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

// FromServer reports whether a call is one of any tool of an MCP server, by its name, its title or a field of its input
// that names the server. An ambiguous name (server_tool), which could be the agent's own tool, counts only if the
// call's kind is "" or "other".
func FromServer(c *transcript.ToolCall, server string) bool {
	s := fold(server)
	if s == "" {
		return false
	}
	var in struct {
		Server     string `json:"server"`
		ServerName string `json:"server_name"`
	}
	_ = json.Unmarshal(c.Input, &in) // other inputs name no server
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

// named reports whether name is that of a server's tool. server and tool are folded.
func named(name, server, tool string) bool {
	whole := fold(name)
	want := server + "_" + tool
	return whole == want || strings.TrimPrefix(strings.TrimPrefix(whole, "tool_"), "mcp_") == want
}

// fold normalizes a name: lower case, and one "_" for each run of other characters than letters and digits. It
// lowercases only ASCII, so that the frontend gets the same result.
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
