package transcript

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/go-json-experiment/json"
)

// TestBlocksRebuildTheView goes through JSON, as a program that reads the blocks would.
func TestBlocksRebuildTheView(t *testing.T) {
	seed := testSeed(t)
	for i := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 5000+i))
		b := play(t, randomSteps(r, 80), func() bool { return r.IntN(4) == 0 })
		for _, m := range b.conv.Messages {
			raw, err := json.Marshal(Blocks(m.Segments), wire)
			if err != nil {
				t.Fatal(err)
			}
			var blocks []Block
			if err := json.Unmarshal(raw, &blocks, wire); err != nil {
				t.Fatal(err)
			}
			if got := FromBlocks(blocks); !reflect.DeepEqual(normal(t, got), normal(t, m.Segments)) {
				t.Fatalf("seed %d, case %d: message %s differs:\n%s", seed, i, m.ID, raw)
			}
		}
	}
}

// normal makes nil and empty lists alike.
func normal(t *testing.T, segments []*Segment) string {
	raw, err := json.Marshal(segments, wire)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
