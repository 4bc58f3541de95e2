package mcptools

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const maxName = 64 // what providers take

// named is a server's name as people read it.
func named(name string) string {
	if name = strings.Join(strings.Fields(bounded(name, 100)), " "); name == "" {
		return "mcp"
	}
	return name
}

// free makes a name that no other tool has: server_tool, with a number where that is taken. The set is locked.
func (s *Set) free(server, name string) string {
	base := plain(server) + "_" + plain(name)
	out := base[:min(len(base), maxName)]
	for n := 2; s.taken[out]; n++ {
		number := fmt.Sprintf("_%d", n)
		out = base[:min(len(base), maxName-len(number))] + number
	}
	s.taken[out] = true
	return out
}

// plain keeps the characters that providers take in the name of a tool.
func plain(name string) string {
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

// bounded cuts a text at a character.
func bounded(s string, n int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
