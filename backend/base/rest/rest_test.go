package rest

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestWatchActsOncePerRest plays random histories against a clock that stands still between steps.
func TestWatchActsOncePerRest(t *testing.T) {
	t.Parallel()
	const after = 30 * time.Second
	for seed := range uint64(500) {
		random := rand.New(rand.NewPCG(seed, 1))
		now, acts, want := time.Unix(1000, 0), 0, 0
		w := start(after, func() { acts++ }, func() time.Time { return now }, func(time.Duration, func()) *time.Timer { return time.NewTimer(time.Hour) })
		due := now.Add(after) // when the timer would fire
		last, rested := now, false
		for range 200 {
			step := time.Duration(random.Int64N(int64(2 * after)))
			for w.set && !due.After(now.Add(step)) {
				step -= due.Sub(now)
				now = due
				if !rested && now.Sub(last) >= after {
					rested, want = true, want+1
				}
				w.fired()
				due = last.Add(after)
				if acts != want {
					t.Fatalf("seed %d: %d acts, not %d", seed, acts, want)
				}
			}
			now = now.Add(step)
			if random.IntN(3) > 0 {
				wasSet := w.set
				w.Active()
				last, rested = now, false
				if !wasSet {
					due = now.Add(after)
				}
				if !w.set {
					t.Fatalf("seed %d: no timer after something happened", seed)
				}
			}
		}
		w.Stop()
		w.Active()
		w.fired()
		if acts != want {
			t.Fatalf("seed %d: acted after the end", seed)
		}
	}
}

func TestNoWatchDoesNothing(t *testing.T) {
	t.Parallel()
	var w *Watch
	w.Active()
	w.Stop()
}
