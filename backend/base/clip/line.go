package clip

import (
	"strings"
	"unicode/utf8"
)

// Line returns the first line of s that is not empty, without the space around it and at most n characters long.
func Line(s string, n int) string {
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if utf8.RuneCountInString(line) > n {
			line = strings.TrimSpace(string([]rune(line)[:n-1])) + "…"
		}
		return line
	}
	return ""
}
