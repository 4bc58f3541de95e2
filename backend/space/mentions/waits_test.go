package mentions

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The waits never form a cycle, and a wait is refused only if it would close one.
func TestWaitsNeverGoInACircle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var g Waits[int]
		type granted struct {
			w        *Wait[int]
			from, on int
			asked    []string
		}
		var open []*granted
		reaches := func(from, to int) bool {
			seen, todo := map[int]bool{}, []int{from}
			for len(todo) > 0 {
				at := todo[0]
				todo = todo[1:]
				if seen[at] {
					continue
				}
				seen[at] = true
				for _, o := range open {
					if o.from == at && o.on == to {
						return true
					}
					if o.from == at {
						todo = append(todo, o.on)
					}
				}
			}
			return false
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			if len(open) > 0 && rapid.IntRange(0, 2).Draw(t, "what") == 0 {
				i := rapid.IntRange(0, len(open)-1).Draw(t, "which")
				asked := g.End(open[i].w)
				if len(asked) > 0 && !slices.Equal(g.End(open[i].w), asked) {
					t.Fatal("a second end returns something else")
				}
				for _, text := range asked {
					open[i].asked = append(open[i].asked, text)
					if text == "" {
						t.Fatal("nothing was asked, and yet something is returned")
					}
				}
				open = slices.Delete(open, i, i+1)
				continue
			}
			from, on := rapid.IntRange(0, 5).Draw(t, "from"), rapid.IntRange(6, 9).Draw(t, "on")
			if rapid.Bool().Draw(t, "any") {
				on = rapid.IntRange(0, 5).Filter(func(n int) bool { return n != from }).Draw(t, "on")
			}
			w, ok := g.Begin(from, on, "question")
			if ok == reaches(on, from) {
				t.Fatalf("%d may wait for %d: %v, that one waits for it: %v", from, on, ok, !ok)
			}
			if ok {
				open = append(open, &granted{w: w, from: from, on: on})
			}
		}
		for _, o := range open {
			g.End(o.w)
		}
		if len(g.by) > 0 {
			t.Fatalf("%d are kept after the last has ended", len(g.by))
		}
	})
}

func TestRefusedQuestionReachesTheOneThatAskedFirst(t *testing.T) {
	t.Parallel()
	var g Waits[string]
	ann, _ := g.Begin("Ann", "Bob", "What is the price?")
	bob, _ := g.Begin("Bob", "Cy", "Who knows the price?")
	if _, ok := g.Begin("Cy", "Ann", "Which price?"); ok {
		t.Fatal("Cy may wait for Ann, who waits for Cy over Bob")
	}
	if asked := g.End(ann); len(asked) > 0 {
		t.Errorf("Ann is told %q", asked)
	}
	if asked := g.End(bob); !slices.Equal(asked, []string{"Which price?"}) {
		t.Errorf("Bob, who waits for Cy, is told %q", asked)
	}
}
