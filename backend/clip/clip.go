// Package clip bounds text that someone else wrote: what agents, models and MCP servers say may be of any length and no
// text at all. It knows nobody.
package clip

import (
	"strings"
	"unicode/utf8"
)

// Text is at most n bytes of s, cut between characters and then with "…" behind it (3 bytes more). What is no UTF-8
// becomes U+FFFD.
func Text(s string, n int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
