package main

import (
	"math/rand/v2"
	"testing"
)

func TestClosingTheWindow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		before  func(*closing)
		keeps   bool
		working int
		want    []whatNext // of closing again and again
	}{
		{"nothing runs", func(c *closing) { c.pageIsThere() }, false, 0, []whatNext{endNow}},
		{"agents work", func(c *closing) { c.pageIsThere() }, false, 2, []whatNext{askInPage, askOutside, comeToFront}},
		{"agents work and the page isn't there", func(*closing) {}, false, 1, []whatNext{askOutside, comeToFront}},
		{"the question outside was answered", func(c *closing) { c.next(false, 1); c.answeredOutside() }, false, 1, []whatNext{askOutside}},
		{"it keeps running", func(c *closing) { c.pageIsThere() }, true, 0, []whatNext{goBehind, goBehind}},
		{"the user has quit", func(c *closing) { c.pageIsThere(); c.quit() }, true, 3, []whatNext{endNow}},
		{"the question was answered", func(c *closing) { c.pageIsThere(); c.ask(); c.answered() }, false, 1, []whatNext{askInPage}},
		{"the page was loaded again", func(c *closing) { c.pageIsThere(); c.ask(); c.pageIsThere() }, false, 1, []whatNext{askInPage}},
		{"agents have ended since the question", func(c *closing) { c.pageIsThere(); c.ask() }, false, 0, []whatNext{endNow}},
	} {
		var state closing
		c.before(&state)
		for i, want := range c.want {
			if got := state.next(c.keeps, c.working); got != want {
				t.Errorf("%s: closing %d: %d, want %d", c.name, i+1, got, want)
			}
		}
	}
}

func TestWorkOfAgentsNeverEndsWithoutAQuestion(t *testing.T) {
	t.Parallel()
	const seed = 53
	rnd := rand.New(rand.NewPCG(seed, 0))
	for range 2000 {
		var state closing
		quit := false
		for range 20 {
			switch rnd.IntN(6) {
			case 0:
				state.pageIsThere()
			case 1:
				state.answered()
			case 2:
				state.ask()
			case 3:
				if quit = rnd.IntN(8) == 0 || quit; quit {
					state.quit()
				}
			case 4:
				state.answeredOutside()
			case 5:
				working := rnd.IntN(3)
				if got := state.next(rnd.IntN(2) == 0, working); got == endNow && working > 0 && !quit {
					t.Fatalf("%d agents are stopped without a question, seed %d", working, seed)
				}
			}
		}
	}
}
