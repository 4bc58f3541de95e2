package clip

import "unicode/utf8"

// JSON returns the longest start of s that takes at most n bytes in a JSON string, cut between characters.
func JSON(s string, n int) string {
	n, _ = FitJSON(s, n)
	return s[:n]
}

// FitJSON returns how many leading bytes of s fit into room bytes of a JSON string, cut between characters, and how
// many bytes of JSON they take.
func FitJSON(s string, room int) (n, size int) {
	for n < len(s) {
		c, w, cost := s[n], 1, 1
		switch {
		case c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t':
			cost = 2
		case c < 0x20:
			cost = 6
		case c >= utf8.RuneSelf:
			_, w = utf8.DecodeRuneInString(s[n:])
			cost = max(w, 3) // an invalid byte becomes U+FFFD
		}
		if size+cost > room {
			return n, size
		}
		n, size = n+w, size+cost
	}
	return n, size
}
