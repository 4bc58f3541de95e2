package secret

import (
	"strings"
	"testing"
)

// A long text without a secret is in memory once, also while its end may be the beginning of one.
func TestTextWithoutSecretsIsNotCopied(t *testing.T) {
	r := &Redactor{}
	r.Add("golden-apple-0815")
	text := strings.Repeat("A line of a long file.\n", 1<<16)
	for name, show := range map[string]func(string) string{
		"printed":  r.PrintedText,
		"logged":   r.Text,
		"streamed": func(s string) string { return r.Stream().NextText(s) },
	} {
		var shown string
		bytes := testing.Benchmark(func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				shown = show(text)
			}
		}).AllocedBytesPerOp()
		if shown != text || bytes > 4<<10 {
			t.Errorf("%s: %d bytes allocated for a text of %d", name, bytes, len(text))
		}
	}
	if got := r.Stream().NextText(text + "golden-ap"); got != text {
		t.Errorf("the beginning of a secret is shown: %q", got[len(got)-20:])
	}
	if got := r.PrintedText("x golden-apple-0815 y"); got != "x [secret] y" {
		t.Errorf("%q", got)
	}
}
