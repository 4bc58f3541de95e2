package clip

import "strings"

// Visible takes control sequences of terminals out of a text.
func Visible(s string) string {
	if !strings.ContainsAny(s, "\x1b\r\x08") {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == 0x1b:
			i = escapeEnd(s, i)
		case s[i] == '\r' && i+1 < len(s) && s[i+1] == '\n', s[i] == 0x08:
		case s[i] == '\r':
			out.WriteByte('\n')
		default:
			out.WriteByte(s[i])
		}
	}
	return out.String()
}

// escapeEnd returns the index of the last byte of the control sequence that begins at i.
func escapeEnd(s string, i int) int {
	if i+1 >= len(s) {
		return i
	}
	switch s[i+1] {
	case '[':
		for j := i + 2; j < len(s); j++ {
			if s[j] >= 0x40 && s[j] <= 0x7e {
				return j
			}
		}
		return len(s) - 1
	case ']', 'P', '_', '^':
		for j := i + 2; j < len(s); j++ {
			if s[j] == 0x07 {
				return j
			}
			if s[j] == 0x1b && j+1 < len(s) && s[j+1] == '\\' {
				return j + 1
			}
		}
		return len(s) - 1
	}
	return i + 1
}
