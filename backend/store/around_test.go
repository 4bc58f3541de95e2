package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"weft/backend/conversation/transcript"
	"weft/backend/store/pages"
)

// segmentsOf returns the segments of a page, each with its message.
func segmentsOf(t *testing.T, p *pages.Page) (list []string) {
	t.Helper()
	for i := range p.Messages {
		m := &p.Messages[i]
		if i > 0 && m.Ord != p.Messages[i-1].Ord+1 {
			t.Fatalf("message %d is followed by %d", p.Messages[i-1].Ord, m.Ord)
		}
		if len(m.Segments) == 0 {
			list = append(list, m.ID)
		}
		for k := range m.Segments {
			list = append(list, fmt.Sprint(m.ID, ".", m.FirstSegment+k))
		}
	}
	return list
}

// TestPageAroundAPlaceIsAStretchOfTheSpace checks pages around every segment of random spaces.
func TestPageAroundAPlaceIsAStretchOfTheSpace(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 7))
		s := open(t, t.TempDir())
		id := newSpace(t, s, "a")
		var all []string
		for m := range 1 + r.IntN(12) {
			name := fmt.Sprint("m", m)
			add(t, s, id, start(name))
			n := r.IntN(9)
			if n == 0 {
				all = append(all, name)
			}
			for seg := range n {
				if seg%2 == 0 {
					add(t, s, id, words(name, seg, "words"))
				} else {
					add(t, s, id, &transcript.ToolCallStart{At: at(name, seg, 0), ToolCallID: fmt.Sprint(seg), Kind: "read", Status: transcript.StatusRunning})
				}
				all = append(all, fmt.Sprint(name, ".", seg))
			}
		}
		if err := s.Events.Flush(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		for i, place := range all {
			name, index, inSegment := strings.Cut(place, ".")
			segment := -1
			if inSegment {
				if _, err := fmt.Sscan(index, &segment); err != nil {
					t.Fatal(err)
				}
			}
			limit := 2 + r.IntN(20)
			page, err := s.Pages.Around(t.Context(), id, name, segment, limit)
			if err != nil {
				t.Fatal(err)
			}
			got := segmentsOf(t, &page)
			lo, hi := max(i-limit/2, 0), min(i+limit-limit/2, len(all))
			if want := all[lo:hi]; !slices.Equal(got, want) {
				t.Fatalf("seed %d: %d around %s: %v, want %v", seed, limit, place, got, want)
			}
			if page.HasBefore != (lo > 0) || page.HasAfter != (hi < len(all)) || page.Seq == 0 {
				t.Fatalf("seed %d: %d around %s: %v before, %v after, at %d", seed, limit, place, page.HasBefore, page.HasAfter, page.Seq)
			}
		}
		if _, err := s.Pages.Around(t.Context(), id, "none", 0, 10); err == nil {
			t.Error("a page around a message that there is not")
		}
		if page, err := s.Pages.Around(t.Context(), id, "m0", 1000, 2); err != nil || len(page.Messages) == 0 {
			t.Errorf("a page around a segment that there is not: %+v, %v", page, err)
		}
		closeStore(t, s)
	}
}
