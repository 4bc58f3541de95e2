package clip

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzJSON: what is returned fits, is a start of the text, and the next character would not have fitted.
func FuzzJSON(f *testing.F) {
	f.Add("äpfel", 3)
	f.Add("a\"b\n\x01\xff", 9)
	f.Fuzz(func(t *testing.T, s string, room int) {
		room = max(0, min(room, 1<<12))
		n, size := FitJSON(s, room)
		if got := JSON(s, room); got != s[:n] || size > room {
			t.Fatalf("%q, %d: %q, %d bytes, and %q", s, room, s[:n], size, got)
		}
		if n == 0 || n < len(s) && !utf8.RuneStart(s[n]) && utf8.ValidString(s) {
			if n > 0 {
				t.Fatalf("%q, %d: cut in a character at %d", s, room, n)
			}
			return
		}
		written, err := json.Marshal(s[:n])
		if err != nil {
			t.Fatal(err)
		}
		// encoding/json escapes more: <, >, & and the line separators.
		if plain := !strings.ContainsAny(s[:n], "<>&\u2028\u2029\x7f\b\f"); plain && utf8.ValidString(s[:n]) && len(written)-2 > max(size, room) {
			t.Fatalf("%q takes %d bytes, not %d", s[:n], len(written)-2, size)
		}
		if n < len(s) {
			if more, _ := FitJSON(s, room+6); more <= n {
				t.Fatalf("%q, %d: %d bytes also with room for the next character", s, room, more)
			}
		}
	})
}
