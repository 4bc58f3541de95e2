package terminal

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// However the stream is split into writes, the kept output is the end of the same valid text and never begins in the
// middle of a character.
func TestOutputIsTheEndOfTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "\n", "é", "日", "👩‍👩‍👧", "\x1b[31m", strings.Repeat("long ", 30)}), 0, 200).Draw(t, "pieces")
		whole := strings.Join(pieces, "")
		keep := rapid.IntRange(1, 300).Draw(t, "keep")
		o := newOutput(keep)
		for rest := whole; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "write")
			_, _ = o.Write([]byte(rest[:n]))
			rest = rest[n:]
		}
		o.end()
		if o.size() != int64(len(whole)) {
			t.Fatalf("%d bytes were counted of %d", o.size(), len(whole))
		}
		limit := rapid.IntRange(0, keep).Draw(t, "limit")
		text, offset := o.last(limit)
		if !utf8.ValidString(text) || len(text) > limit || whole[offset:] != text {
			t.Fatalf("the last %d bytes are %q from %d on of %q", limit, text, offset, whole)
		}
		if lost := min(limit, len(whole)) - len(text); lost >= utf8.UTFMax {
			t.Fatalf("%d bytes less than there could be", lost)
		}
		for at, n := offset, rapid.IntRange(4, 40).Draw(t, "n"); at < int64(len(whole)); {
			part, ok := o.from(at, n)
			if !ok || part == "" || !utf8.ValidString(part) || !strings.HasPrefix(whole[at:], part) {
				t.Fatalf("from %d on: %q, %v", at, part, ok)
			}
			at += int64(len(part))
		}
	})
}

func TestInvalidUTF8OutputIsReplaced(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"an invalid byte", "a\xffb", "a\uFFFDb"},
		{"half a character at the end", "a\xe6\x97", "a\uFFFD"},
		{"half a character in the middle", "a\xe6\x97b", "a\uFFFDb"},
		{"NUL and controls stay", "a\x00\x07b", "a\x00\x07b"},
	} {
		for cut := range len(c.in) + 1 {
			o := newOutput(100)
			_, _ = o.Write([]byte(c.in[:cut]))
			_, _ = o.Write([]byte(c.in[cut:]))
			o.end()
			if got, _ := o.last(100); strings.ReplaceAll(got, "\uFFFD\uFFFD", "\uFFFD") != c.want {
				t.Errorf("%s, cut at %d: %q", c.name, cut, got)
			}
		}
	}
}

func TestDiscardedOutputIsNotReturned(t *testing.T) {
	o := newOutput(10)
	_, _ = o.Write([]byte(strings.Repeat("x", 100)))
	if text, ok := o.from(0, 10); ok {
		t.Errorf("answered %q", text)
	}
	if text, ok := o.from(100, 10); !ok || text != "" {
		t.Errorf("at the end: %q, %v", text, ok)
	}
}
