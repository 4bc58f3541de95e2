package acpsession

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"weft/backend/conversation/transcript"
)

// TestUpdatesReachTheirSessionOnceAndInOrder has updates of several sessions come before and after it is known which one is ours, from seeds. The agent
// may not know the session that it is asked for; then it is another one.
func TestUpdatesReachTheirSessionOnceAndInOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2000) {
		rnd := rand.New(rand.NewPCG(seed, 15))
		var u Updates
		var got, want, early []string
		ours := ""
		for i := range 5 + rnd.IntN(40) {
			switch n := rnd.IntN(10); {
			case n == 0 && ours == "":
				ours = []string{"a", "b"}[rnd.IntN(2)]
				for _, text := range early { // of those that came too early, and only these
					if strings.HasPrefix(text, ours) {
						want = append(want, text)
					}
				}
				early = nil
				for _, up := range u.SetID(ours) {
					got = append(got, up.Text)
				}
			case n == 1 && ours != "":
				u.Refused()
				ours = ""
			default:
				id := []string{"a", "b", ""}[rnd.IntN(3)]
				up := &transcript.Update{Kind: transcript.UpdateText, Text: fmt.Sprintf("%s%d", id, i)}
				mine, err := u.Take(id, up, 10)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if mine {
					got = append(got, up.Text)
				}
				switch {
				case ours == "":
					early = append(early, up.Text)
				case id == ours || id == "":
					want = append(want, up.Text)
				}
				up.Text = "used for the next one" // as the connection does
			}
			if u.ID() != ours || u.Other("a") != (ours == "b") {
				t.Fatalf("seed %d: the session is %q, want %q", seed, u.ID(), ours)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
	}
}

func TestEarlyUpdatesAreBounded(t *testing.T) {
	t.Parallel()
	var u Updates
	taken := 0
	for {
		_, err := u.Take("a", &transcript.Update{}, 1<<20)
		if err != nil {
			if !errors.Is(err, ErrTooEarly) {
				t.Fatal(err)
			}
			break
		}
		taken++
	}
	if taken != 31 {
		t.Errorf("%d updates of 1 MB are kept", taken)
	}
	u = Updates{}
	for range maxEarly / updateSize {
		if _, err := u.Take("a", &transcript.Update{}, 0); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := u.Take("a", &transcript.Update{}, 0); !errors.Is(err, ErrTooEarly) {
		t.Error("updates without a text are not bounded")
	}
	u.SetID("a")
	u.Refused()
	if _, err := u.Take("a", &transcript.Update{}, 1<<20); err != nil {
		t.Error("what was kept counts after it was handed out: ", err)
	}
}

func TestNewPartOfReplayIsFoldedOutsideTurns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		expect bool
		turn   int // in progress from the update on, -1: never
		folded string
		ends   bool
	}{
		"new":                         {true, -1, "u:two|a:B|u:three|a:C", true},
		"nothing expected":            {false, -1, "", false},
		"a turn before":               {true, 0, "", false},
		"a turn meanwhile":            {true, 3, "u:two", false},
		"a turn that ends meanwhile":  {true, -2, "u:two", false},
		"a turn at the end of replay": {true, 6, "u:two|a:B|u:three|a:C", false},
	} {
		t.Run(name, func(t *testing.T) {
			var u Updates
			u.Discard()
			if c.expect {
				u.Expect(NewReplayFilter([]string{"one"}))
			}
			var folded []string
			firsts := 0
			inTurn := func(i int) bool { return c.turn >= 0 && i >= c.turn || c.turn == -2 && i == 3 }
			for i, one := range strings.Split("u:one|a:A|u:two|a:B|u:three|a:C", "|") {
				up := &transcript.Update{Kind: transcript.UpdateText, Text: one[2:]}
				if one[0] == 'u' {
					up.Kind = transcript.UpdateUser
				}
				isNew, first := u.Next(up, inTurn(i))
				if first {
					firsts++
				}
				if isNew {
					folded = append(folded, one)
				}
			}
			if got := strings.Join(folded, "|"); got != c.folded || firsts != min(len(folded), 1) {
				t.Errorf("folded %q, %d times the first", got, firsts)
			}
			if !u.Discarding() {
				t.Error("the replay is over before it has ended")
			}
			if ends := u.Replayed(inTurn(6)); ends != c.ends || u.Discarding() {
				t.Errorf("something must be ended: %v; still discarding %v", ends, u.Discarding())
			}
			if isNew, _ := u.Next(&transcript.Update{Kind: transcript.UpdateUser, Text: "late"}, false); isNew {
				t.Error("something is new behind the replay")
			}
		})
	}
}
