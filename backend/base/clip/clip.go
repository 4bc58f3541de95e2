// Package clip bounds text that someone else wrote: what agents, models and MCP servers say may be of any length and no
// text at all. It imports nothing of Weft.
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

// Start returns at most the first n bytes of s, cut between characters.
func Start(s string, n int) string {
	for n > 0 && n < len(s) && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:min(n, len(s))]
}

// End returns at most the last n bytes of s, cut between characters.
func End(s string, n int) string {
	n = max(len(s)-n, 0)
	for n < len(s) && !utf8.RuneStart(s[n]) {
		n++
	}
	return s[n:]
}
