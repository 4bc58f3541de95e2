package find

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// FuzzPieces checks that a search finds the same however a text is split, and that nothing panics.
func FuzzPieces(f *testing.F) {
	for _, seed := range []struct{ text, query string }{
		{"an apple, a\u0301pple \x1b[31mAPP\x1b[0mLE", "apple"}, {"aaaa aaab", "aab"}, {"\xff\xc3", "\xff"}, {"ｆ😀ß", "😀"}, {strings.Repeat("ab", 40) + "c", "abc"},
	} {
		f.Add(seed.text, seed.query, uint64(1), 5, 0)
	}
	f.Fuzz(func(t *testing.T, text, query string, seed uint64, context, skip int) {
		p := newPattern(query)
		if p == nil {
			return
		}
		context, skip = min(max(context, 0), 100), min(max(skip, 0), 5)
		r := rand.New(rand.NewPCG(seed, 1))
		whole := newCollector(p, context, skip, 20)
		whole.feed([]byte(text))
		want := whole.close()
		pieces := newCollector(p, context, skip, 20)
		for rest := text; rest != ""; {
			n := 1 + r.IntN(min(len(rest), 7))
			pieces.feed([]byte(rest[:n]))
			rest = rest[n:]
		}
		got := pieces.close()
		if !slices.Equal(got, want) || whole.more != pieces.more {
			t.Fatalf("%q in pieces of %q: %+v, want %+v", query, text, got, want)
		}
		for _, m := range got {
			if m.start < 0 || m.end <= m.start || m.end > int64(len(text)) {
				t.Fatalf("%q in %q: %+v", query, text, m)
			}
		}
	})
}
