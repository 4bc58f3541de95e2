package simtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// history is what happens in a world with a seed: operations end late, an alarm rings, and a thread waits for another.
func history(seed uint64, pool *Pool) string {
	var happened []string
	note := func(what string) { happened = append(happened, what) }
	w := &World{Rand: rand.New(rand.NewPCG(seed, 1)), Clock: time.UnixMilli(0).UTC(), Pool: pool, Resumed: func() {}, Panicked: func(p any) { note(fmt.Sprint("panic: ", p)) }, Ends: note}
	var mu sync.Mutex
	cond, ready := sync.NewCond(&mu), false
	w.Spawn(func() {
		mu.Lock()
		defer mu.Unlock()
		for !ready {
			w.Wait(cond)
		}
		note("ready")
	})
	w.Begin("store", func() {
		mu.Lock()
		ready = true
		mu.Unlock()
	})
	w.Spawn(func() { panic("a fault") })
	w.After(time.Second, func() { note("second " + w.Clock.Format("05")) })
	w.After(time.Minute, func() { note("minute " + w.Clock.Format("04")) })
	for range 100 {
		switch {
		case w.Rand.IntN(2) == 0 && w.Ring(time.Millisecond):
		case w.ResumeReady(), w.End(), w.Resume():
		}
	}
	if threads, operations, alarms := w.Pending(); threads+operations+alarms > 0 {
		note("not at rest")
	}
	return strings.Join(happened, ", ")
}

func TestWorldDependsOnItsSeedAlone(t *testing.T) {
	t.Parallel()
	var pool Pool
	defer pool.Close()
	orders := map[string]bool{}
	for seed := range Seeds(50) {
		h := history(seed, nil)
		if again := history(seed, &pool); again != h {
			t.Fatalf("seed %d: %s, and with threads that are used again: %s", seed, h, again)
		}
		orders[h] = true
		all := strings.Split(h, ", ")
		slices.Sort(all)
		if got := strings.Join(all, ", "); got != "minute 01, panic: a fault, ready, second 01, store" && got != "minute 01, panic: a fault, ready, second 00, store" {
			t.Fatalf("seed %d: %s", seed, h)
		}
		if strings.Index(h, "store") > strings.Index(h, "ready") {
			t.Errorf("seed %d: what was waited for came later: %s", seed, h)
		}
	}
	if Seed() == 0 && len(orders) < 5 {
		t.Errorf("50 seeds have %d orders", len(orders))
	}
}
