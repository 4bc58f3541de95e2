package tools

import (
	"strings"
	"testing"

	"weft/backend/gateway"
)

// TestTheMessageOfALinkComesFirst has messages of which not all fit into an answer.
func TestTheMessageOfALinkComesFirst(t *testing.T) {
	for _, c := range []struct {
		sizes        []int // in KB, the newest first
		target       int
		first, count int
	}{
		{nil, 0, 0, 0},
		{[]int{1}, 0, 0, 1},
		{[]int{1, 1, 1}, 1, 0, 3},
		{[]int{16, 16, 16, 16, 16}, 4, 2, 3},
		{[]int{16, 16, 16, 16, 16}, 2, 1, 3},
		{[]int{16, 16, 16, 16, 16}, 0, 0, 3},
		{[]int{40, 1, 16, 30, 1}, 2, 1, 4},
	} {
		list := make([]gateway.LinkedText, len(c.sizes))
		for i, size := range c.sizes {
			list[i] = gateway.LinkedText{Link: string(rune('a' + i)), Text: strings.Repeat("x", size<<10)}
		}
		got := fittingTexts(list, c.target)
		if len(got) != c.count || len(got) > 0 && got[0].Link != list[c.first].Link {
			t.Errorf("%v around %d: %d messages", c.sizes, c.target, len(got))
		}
	}
}
