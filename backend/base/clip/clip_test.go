package clip

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		s    string
		n    int
		want string
	}{
		{"", 0, ""},
		{"apple", 5, "apple"},
		{"apples", 5, "apple…"},
		{"äpfel", 1, "…"},
		{"äpfel", 2, "ä…"},
		{"a\xffb", 10, "a\uFFFDb"},
		{"a\xffb", 2, "a…"},
		{"apple", 0, "…"},
	} {
		if got := Text(c.s, c.n); got != c.want {
			t.Errorf("%q, %d: %q, want %q", c.s, c.n, got, c.want)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("äpfel", 3)
	f.Fuzz(func(t *testing.T, s string, n int) {
		n = max(0, min(n, 1<<20))
		got := Text(s, n)
		if !utf8.ValidString(got) || len(strings.TrimSuffix(got, "…")) > n && !strings.HasSuffix(s, "…") {
			t.Errorf("%q, %d: %q", s, n, got)
		}
	})
}

func TestStartAndEnd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		s          string
		n          int
		start, end string
	}{
		{"", 3, "", ""},
		{"apple", 0, "", ""},
		{"apple", 2, "ap", "le"},
		{"apple", 9, "apple", "apple"},
		{"äpfelä", 1, "", ""},
		{"äpfelä", 3, "äp", "lä"},
	} {
		if got := Start(c.s, c.n); got != c.start {
			t.Errorf("start of %q, %d: %q, want %q", c.s, c.n, got, c.start)
		}
		if got := End(c.s, c.n); got != c.end {
			t.Errorf("end of %q, %d: %q, want %q", c.s, c.n, got, c.end)
		}
	}
}
