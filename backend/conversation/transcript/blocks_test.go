package transcript

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"weft/backend/base/raced"

	"github.com/go-json-experiment/json"
)

// TestBlocksRebuildTheView goes through JSON, as a program that reads the blocks would.
func TestBlocksRebuildTheView(t *testing.T) {
	seed := testSeed(t)
	for i := range uint64(raced.Of(200)) {
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
			if got := fromBlocks(blocks); !reflect.DeepEqual(normal(t, got), normal(t, m.Segments)) {
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

// fromBlocks rebuilds the segments. Results without a use before them, and blocks of
// unknown types, are left out.
func fromBlocks(blocks []Block) []*Segment {
	segments := []*Segment{}
	uses := map[string]*ToolCall{}
	item := func(it *Item) {
		if n := len(segments); n == 0 || segments[n-1].Type != SegmentToolGroup {
			segments = append(segments, &Segment{Type: SegmentToolGroup})
		}
		group := segments[len(segments)-1]
		group.Items = append(group.Items, it)
	}
	for i := range blocks {
		b := &blocks[i]
		switch b.Type {
		case "text":
			segments = append(segments, &Segment{Type: SegmentText, Text: b.Text, Author: b.Author, ParentToolCallID: b.ParentToolCallID})
		case "display":
			segments = append(segments, &Segment{Type: SegmentDisplay, Display: b.Display, Author: b.Author, ParentToolCallID: b.ParentToolCallID})
		case "thinking":
			item(&Item{Type: ItemThought, Text: b.Text, ParentToolCallID: b.ParentToolCallID, StartedAt: b.StartedAt, EndedAt: b.EndedAt})
		case "tool_use":
			c := &ToolCall{
				ID: b.ID, Name: b.Name, NameDerived: b.Derived, Title: b.Title, TitleRef: b.TitleRef, Kind: b.Kind, ParentID: b.ParentToolCallID, Status: StatusPending,
				StartedAt: b.StartedAt, Input: b.Input, InputRef: b.InputRef, InputText: b.InputText, Visibility: b.Visibility, Drawn: b.Drawn,
			}
			uses[b.ID] = c
			item(&Item{Type: ItemToolCall, Call: c})
		case "tool_result":
			if c := uses[b.ToolUseID]; c != nil {
				b.into(c)
			}
		}
	}
	return segments
}

func (b *Block) into(c *ToolCall) {
	c.Status, c.Content, c.ContentRef, c.Locations, c.LocationsRef = b.Status, b.Content, b.ContentRef, b.Locations, b.LocationsRef
	c.Output, c.OutputRef, c.OutputText, c.Terminals, c.Exit = b.Output, b.OutputRef, b.OutputText, b.Terminals, b.Exit
	c.Summary, c.ResultCount, c.DurationMs = b.Summary, b.ResultCount, b.DurationMs
	c.Error, c.Retryable, c.WasRetried, c.Reported, c.Permissions = b.Error, b.Retryable, b.WasRetried, b.Reported, b.Permissions
}
