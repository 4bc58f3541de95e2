package actions

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// After a request, only what it has shown may be written, and nothing that merely looks similar.
func TestShownChangeCoversOnlyItself(t *testing.T) {
	rnd := rand.New(rand.NewPCG(13, 7))
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString([]string{"a", "b", "ab", "\n", "ba\n", "x"}[rnd.IntN(6)])
		}
		return b.String()
	}
	covered := 0
	for range 200_000 {
		current := text(rnd.IntN(8))
		c := Change{Path: "f", Old: text(rnd.IntN(3)), New: text(rnd.IntN(4))}
		if rnd.IntN(4) == 0 {
			c.Old = current
		}
		written := text(rnd.IntN(9))
		switch rnd.IntN(4) {
		case 0:
			written = c.New
		case 1:
			written = strings.Replace(current, c.Old, c.New, 1)
		}
		if !c.Gives(written, func() string { return current }) {
			continue
		}
		covered++
		trim := func(s string) string { return strings.TrimRight(s, "\n") }
		w, now, old, before := trim(written), trim(c.New), trim(c.Old), trim(current)
		whole := w == now && (c.Old == "" || old == before)
		part := old != "" && strings.Contains(before, old) && (w == strings.Replace(before, old, now, 1) || w == strings.ReplaceAll(before, old, now))
		if !whole && !part {
			t.Fatalf("%q with %q for %q allows %q", current, c.New, c.Old, written)
		}
	}
	if covered < 1000 {
		t.Errorf("only %d were covered", covered)
	}
}
