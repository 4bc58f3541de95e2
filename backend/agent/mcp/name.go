package mcp

import "strings"

// ToolName replaces the characters of a name that model providers don't allow in names of tools. The caller must limit
// the length.
func ToolName(name string) string {
	out := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
	if out == "" {
		return "tool"
	}
	return out
}
