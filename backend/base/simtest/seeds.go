package simtest

import (
	"flag"
	"iter"
	"strings"
	"testing"
)

var (
	seed      = flag.Uint64("seed", 0, "play only the history of this seed, and print it")
	histories = flag.Int("histories", 0, "how many histories are played; 0: as many as usual")
)

// Histories returns how many histories are played: usual, if the flag -histories doesn't say otherwise.
func Histories(usual int) int {
	if *histories > 0 {
		return *histories
	}
	return usual
}

// Seed returns the flag -seed, 0 without it.
func Seed() uint64 { return *seed }

// Seeds yields the seeds from 1 to n, or only that of the flag -seed.
func Seeds(n int) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		if *seed != 0 {
			yield(*seed)
			return
		}
		for s := range uint64(n) {
			if !yield(s + 1) {
				return
			}
		}
	}
}

// Report fails the test if a history has a fault, and prints the history of the flag -seed.
func Report(t *testing.T, s uint64, log []string, fault string) {
	t.Helper()
	if *seed != 0 {
		t.Log(strings.Join(log, "\n"))
	}
	if fault != "" {
		t.Fatalf("seed %d: %s\nRun it with: go test -run '^%s$' -args -seed %d", s, fault, t.Name(), s)
	}
}
