package window

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

func TestClosingTheWindow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		before  func(*Closing)
		keeps   bool
		working int
		want    []Step // of closing again and again
	}{
		{"nothing runs", func(c *Closing) { c.PageLoaded() }, false, 0, []Step{Quit}},
		{"agents work", func(c *Closing) { c.PageLoaded() }, false, 2, []Step{AskInPage, AskInDialog, BringToFront}},
		{"agents work and the page isn't there", func(*Closing) {}, false, 1, []Step{AskInDialog, BringToFront}},
		{"the question outside was answered", func(c *Closing) { c.Next(false, 1); c.DialogAnswered() }, false, 1, []Step{AskInDialog}},
		{"it keeps running", func(c *Closing) { c.PageLoaded() }, true, 0, []Step{Hide, Hide}},
		{"the user has quit", func(c *Closing) { c.PageLoaded(); c.Quitting() }, true, 3, []Step{Quit}},
		{"the question was answered", func(c *Closing) { c.PageLoaded(); c.Ask(); c.Answered() }, false, 1, []Step{AskInPage}},
		{"the page was loaded again", func(c *Closing) { c.PageLoaded(); c.Ask(); c.PageLoaded() }, false, 1, []Step{AskInPage}},
		{"agents have ended since the question", func(c *Closing) { c.PageLoaded(); c.Ask() }, false, 0, []Step{Quit}},
	} {
		var state Closing
		c.before(&state)
		for i, want := range c.want {
			if got := state.Next(c.keeps, c.working); got != want {
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
		var state Closing
		quit := false
		for range 20 {
			switch rnd.IntN(6) {
			case 0:
				state.PageLoaded()
			case 1:
				state.Answered()
			case 2:
				state.Ask()
			case 3:
				if quit = rnd.IntN(8) == 0 || quit; quit {
					state.Quitting()
				}
			case 4:
				state.DialogAnswered()
			case 5:
				working := rnd.IntN(3)
				if got := state.Next(rnd.IntN(2) == 0, working); got == Quit && working > 0 && !quit {
					t.Fatalf("%d agents are stopped without a question, seed %d", working, seed)
				}
			}
		}
	}
}

func TestMainLoopIsEndedOnce(t *testing.T) {
	t.Parallel()
	var state Closing
	var ends atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			state.Quitting()
			if state.Next(false, 0) == Quit && state.End() {
				ends.Add(1)
			}
		})
	}
	all.Wait()
	if got := ends.Load(); got != 1 {
		t.Errorf("the main loop is ended %d times, want once", got)
	}
}
