package hunk

import (
	"slices"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// Hunk is one change: the lines [OldStart, OldEnd) became the lines [NewStart, NewEnd). Lines are 0-based. At least
// one unchanged line separates two hunks.
type Hunk struct {
	OldStart, OldEnd int
	NewStart, NewEnd int
}

// Diff returns the changes from a to b, in order.
func Diff(a, b []string) []Hunk {
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	d := differ{a: a, b: b}
	d.stretch(start, len(a)-end, start, len(b)-end)
	return d.out
}

type differ struct {
	a, b []string
	out  []Hunk
}

// stretch compares a[al:ah] with b[bl:bh]. It aligns them at lines that occur exactly once on both sides, so that the
// searches in between stay short even for long texts.
func (d *differ) stretch(al, ah, bl, bh int) {
	fromA, fromB := al, bl
	for _, at := range anchors(d.a[al:ah], d.b[bl:bh]) {
		d.between(al, fromA+at[0], bl, fromB+at[1])
		al, bl = fromA+at[0]+1, fromB+at[1]+1
	}
	d.between(al, ah, bl, bh)
}

func (d *differ) between(al, ah, bl, bh int) {
	for al < ah && bl < bh && d.a[al] == d.b[bl] {
		al, bl = al+1, bl+1
	}
	if al == ah || bl == bh {
		d.add(al, ah, bl, bh)
		return
	}
	for _, one := range lcs.DiffLines(d.a[al:ah], d.b[bl:bh]) {
		d.add(al+one.Start, al+one.End, bl+one.ReplStart, bl+one.ReplEnd)
	}
}

func (d *differ) add(al, ah, bl, bh int) {
	if al == ah && bl == bh {
		return
	}
	if n := len(d.out); n > 0 && d.out[n-1].OldEnd == al && d.out[n-1].NewEnd == bl {
		d.out[n-1].OldEnd, d.out[n-1].NewEnd = ah, bh
		return
	}
	d.out = append(d.out, Hunk{al, ah, bl, bh})
}

// anchors returns the positions of lines that occur exactly once on each side and in the same order.
func anchors(a, b []string) [][2]int {
	type seen struct{ inA, inB, atA, atB int }
	lines := make(map[string]*seen, len(a))
	for i, line := range a {
		s := lines[line]
		if s == nil {
			s = &seen{}
			lines[line] = s
		}
		s.inA, s.atA = s.inA+1, i
	}
	for i, line := range b {
		if s := lines[line]; s != nil {
			s.inB, s.atB = s.inB+1, i
		}
	}
	var pairs [][2]int // ordered by a
	for i, line := range a {
		if s := lines[line]; s.inA == 1 && s.inB == 1 {
			pairs = append(pairs, [2]int{i, s.atB})
		}
	}
	return rising(pairs)
}

// rising returns the longest subsequence of pairs whose second numbers increase (patience sorting).
func rising(pairs [][2]int) [][2]int {
	var tails []int // tails[k] is the last pair of the best chain with length k+1
	before := make([]int, len(pairs))
	for i, p := range pairs {
		k, _ := slices.BinarySearchFunc(tails, p[1], func(t, y int) int { return pairs[t][1] - y })
		before[i] = -1
		if k > 0 {
			before[i] = tails[k-1]
		}
		if k == len(tails) {
			tails = append(tails, i)
		} else {
			tails[k] = i
		}
	}
	chain := make([][2]int, len(tails))
	if len(tails) == 0 {
		return chain
	}
	for k, i := len(tails)-1, tails[len(tails)-1]; k >= 0; k, i = k-1, before[i] {
		chain[k] = pairs[i]
	}
	return chain
}

// Counts returns how many lines the hunks add and remove.
func Counts(hunks []Hunk) (added, removed int) {
	for _, h := range hunks {
		added += h.NewEnd - h.NewStart
		removed += h.OldEnd - h.OldStart
	}
	return added, removed
}
