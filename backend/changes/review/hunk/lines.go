package hunk

import "strings"

// Lines splits a text after each line feed. The last line may have none. Joining the lines gives the text again.
func Lines(text []byte) []string {
	s := string(text)
	lines := make([]string, 0, strings.Count(s, "\n")+1)
	for s != "" {
		end := strings.IndexByte(s, '\n') + 1
		if end == 0 {
			end = len(s)
		}
		lines = append(lines, s[:end])
		s = s[end:]
	}
	return lines
}

// join joins lines. ok is false if a line without a line feed comes before another one.
func join(parts ...[]string) (text []byte, ok bool) {
	size := 0
	for _, part := range parts {
		for _, line := range part {
			size += len(line)
		}
	}
	text, ok = make([]byte, 0, size), true
	for _, part := range parts {
		for _, line := range part {
			if n := len(text); n > 0 && text[n-1] != '\n' {
				ok = false
			}
			text = append(text, line...)
		}
	}
	return text, ok
}
