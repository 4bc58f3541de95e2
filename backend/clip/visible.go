package clip

import (
	"strings"
	"unicode/utf8"
)

// Visible takes control sequences of terminals out of a text, and the controls that go with them. A letter that a backspace goes back over is left out.
func Visible(s string) string {
	if !strings.ContainsAny(s, "\x1b\r\b\a\x0e\x0f") {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == 0x1b:
			i = escapeEnd(s, i)
		case s[i] == '\r' && i+1 < len(s) && s[i+1] == '\n', s[i] == '\a', s[i] == 0x0e, s[i] == 0x0f:
		case s[i] == '\b':
			if r, n := utf8.DecodeLastRune(out); r != '\n' {
				out = out[:len(out)-n]
			}
		case s[i] == '\r':
			out = append(out, '\n')
		default:
			out = append(out, s[i])
		}
	}
	return string(out)
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
	case ']', 'P', 'X', '_', '^':
		for j := i + 2; j < len(s); j++ {
			if s[j] == 0x07 {
				return j
			}
			if s[j] == '\n' { // no output is lost for the want of an end
				return j - 1
			}
			if s[j] == 0x1b && j+1 < len(s) && s[j+1] == '\\' {
				return j + 1
			}
		}
		return len(s) - 1
	}
	for j := i + 1; j < len(s); j++ {
		if s[j] < 0x20 || s[j] > 0x2f { // what is before it chooses a set of characters, and the like
			if s[j] < 0x30 || s[j] > 0x7e {
				return j - 1
			}
			return j
		}
	}
	return len(s) - 1
}
