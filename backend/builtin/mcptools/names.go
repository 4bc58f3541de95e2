package mcptools

import (
	"fmt"
	"strings"

	"weft/backend/agent/mcp"
	"weft/backend/base/clip"
)

const maxName = 64 // the limit of providers

// named returns a server's name for display.
func named(name string) string {
	if name = strings.Join(strings.Fields(clip.Text(name, 100)), " "); name == "" {
		return "mcp"
	}
	return name
}

// free returns an unused tool name: server_tool, with a number if that is taken. The caller holds s.mu.
func (s *Set) free(server, name string) string {
	base := mcp.ToolName(server) + "_" + mcp.ToolName(name)
	out := base[:min(len(base), maxName)]
	for n := 2; s.taken[out]; n++ {
		number := fmt.Sprintf("_%d", n)
		out = base[:min(len(base), maxName-len(number))] + number
	}
	s.taken[out] = true
	return out
}
