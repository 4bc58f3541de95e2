package jsondelta

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func BenchmarkGrow(b *testing.B) {
	for _, size := range []int{10 << 10, 1 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			content := strings.Repeat(`a line of a file, with \"quotes\" in it\n`, size/40)
			first := []byte(`{"path":"a","content":"` + content + `"}`)
			second := []byte(`{"path":"a","content":"` + content + `m"}`)
			third := []byte(`{"path":"a","content":"` + content + `more"}`)
			var g Object
			if _, ok := g.Grow(first, second); !ok {
				b.Fatal("sent whole")
			}
			for b.Loop() {
				again := Object{fields: slices.Clone(g.fields), open: g.open, sent: g.sent}
				if d, ok := again.Grow(second, third); !ok || string(d) != "ore" {
					b.Fatalf("%q", d)
				}
			}
		})
	}
}
