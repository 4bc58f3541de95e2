package mcptools

import (
	"fmt"
	"strings"

	"weft/backend/clip"
	"weft/backend/mcp"
)

const maxName = 64 // what providers take

// named is a server's name as people read it.
func named(name string) string {
	if name = strings.Join(strings.Fields(clip.Text(name, 100)), " "); name == "" {
		return "mcp"
	}
	return name
}

// free makes a name that no other tool has: server_tool, with a number where that is taken. The set is locked.
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
