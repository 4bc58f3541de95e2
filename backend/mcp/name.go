package mcp

import "strings"

// ToolName keeps the characters of a name that providers of models take in that of a tool. How long it may be is
// the caller's business.
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
