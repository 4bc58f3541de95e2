package acpsession

import (
	"math/rand/v2"
	"strings"
	"testing"

	"weft/backend/conversation/transcript"
)

// TestReplayFilterFindsNewPart plays replays (u: words of the user, a: of the agent) and looks for where they are new.
func TestReplayFilterFindsNewPart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		here   []string
		replay string
		fresh  string
	}{
		"nothing is new":                {[]string{"one", "two"}, "u:one|a:A|u:two|a:B", ""},
		"it has gone on":                {[]string{"one"}, "u:one|a:A|u:two|a:B|u:three|a:C", "u:two|a:B|u:three|a:C"},
		"prompts in pieces":             {[]string{"one and two"}, "u:one |u:and\n two|a:A|u:three|u: four|a:B", "u:three|u: four|a:B"},
		"something else":                {[]string{"one"}, "u:other|a:A|u:two|a:B", ""},
		"something else in its middle":  {[]string{"one", "two"}, "u:one|a:A|u:zwei|a:B|u:three|a:C", ""},
		"less than is here":             {[]string{"one", "two"}, "u:one|a:A", ""},
		"two prompts without an answer": {[]string{"one", "two"}, "u:one|u:two|a:A|u:three|a:B", ""},
		"words of the agent first":      {[]string{"one"}, "a:hello|u:one|a:A|u:two|a:B", "u:two|a:B"},
		"with what the agent was told":  {[]string{"one"}, "u:" + transcript.PreludeOpening + "x" + transcript.PreludeEnd + "|u:one|a:A|u:two|a:B", "u:two|a:B"},
	} {
		t.Run(name, func(t *testing.T) {
			n := NewReplayFilter(c.here)
			var fresh []string
			for one := range strings.SplitSeq(c.replay, "|") {
				u := &transcript.Update{Kind: transcript.UpdateText, Text: one[2:]}
				if one[0] == 'u' {
					u.Kind = transcript.UpdateUser
				}
				if n.Next(u) {
					fresh = append(fresh, one)
				}
			}
			if got := strings.Join(fresh, "|"); got != c.fresh {
				t.Errorf("new is %q, want %q", got, c.fresh)
			}
		})
	}
}

// TestReplayFilterWithRandomReplays has agents replay conversations that were continued elsewhere, in pieces and with other white space, and looks whether
// exactly that is new. A replay with another prompt in it, or without one, has nothing new.
func TestReplayFilterWithRandomReplays(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 26))
		words := func() string {
			list := make([]string, 1+rng.IntN(4))
			for i := range list {
				list[i] = []string{"fix", "the", "test", "now", "why"}[rng.IntN(5)]
			}
			return strings.Join(list, " ")
		}
		var here, all []string
		for range 1 + rng.IntN(4) {
			here = append(here, words())
		}
		all = append(all, here...)
		for range rng.IntN(3) {
			all = append(all, words())
		}
		other := rng.IntN(4) == 0 // one of the prompts that are here is another one in the replay
		if other {
			all[rng.IntN(len(here))] += " otherwise"
		}
		n, got, want := NewReplayFilter(here), 0, 0
		for i, prompt := range all {
			pieces := strings.SplitAfter(prompt, " ")
			if rng.IntN(2) == 0 {
				pieces = []string{strings.ReplaceAll(prompt, " ", "\n ")}
			}
			var updates []*transcript.Update
			for _, piece := range pieces {
				updates = append(updates, &transcript.Update{Kind: transcript.UpdateUser, Text: piece})
			}
			for range 1 + rng.IntN(3) {
				updates = append(updates, &transcript.Update{Kind: transcript.UpdateText, Text: words()})
			}
			if i >= len(here) && !other {
				want += len(updates)
			}
			for _, u := range updates {
				if n.Next(u) {
					got++
				}
			}
		}
		if got != want || n.Begun() != (want > 0) {
			t.Fatalf("seed %d: %d updates are new, want %d; here: %q, replayed: %q", seed, got, want, here, all)
		}
	}
}

func TestReplayFilterNeedsPromptsToCompare(t *testing.T) {
	t.Parallel()
	for _, prompts := range [][]string{nil, {}, {"one", " \n"}} {
		if NewReplayFilter(prompts) != nil {
			t.Errorf("%q can be told from others", prompts)
		}
	}
}
