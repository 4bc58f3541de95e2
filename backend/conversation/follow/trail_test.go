package follow

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/backend/conversation/transcript"
)

func TestChangedLinesOfDiff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before, after string
		from, to      int
	}{
		{"", "a\nb", 1, 1},
		{"a\nb\nc", "a\nx\nc", 2, 2},
		{"a\nb\nc", "a\nx\ny\nc", 2, 3},
		{"a\nb\nc", "a\nc", 2, 2},
		{"a\nb", "a\nb", 2, 3},
		{"a", "", 1, 1},
		{strings.Repeat("x", maxDiff), "y", 0, 0},
	} {
		if from, to := changedLines(c.before, c.after); from != c.from || to != c.to {
			t.Errorf("from %.20q to %.20q: %d to %d, want %d to %d", c.before, c.after, from, to, c.from, c.to)
		}
	}
}

func TestCallIsAtItsLastDiffElseItsLastLocation(t *testing.T) {
	t.Parallel()
	line, done := 7, transcript.StatusCompleted
	diffs := []transcript.Content{{Type: "diff", Path: "a.go", OldText: "a", NewText: "b"}, {Type: "diff", Path: "b.go", OldText: "a\nb", NewText: "a\nc"}, {Type: "text"}}
	locations := []transcript.Location{{Path: "c.go"}, {Path: "d.go", Line: &line}}
	var trail Trail
	for _, c := range []struct {
		patch   transcript.ToolPatch
		want    string
		publish bool
	}{
		{transcript.ToolPatch{}, "", false},
		{transcript.ToolPatch{Content: &diffs, Locations: &locations}, "b.go 2-2", true},
		{transcript.ToolPatch{Locations: &locations}, "d.go 7-7", false}, // one is being published
		{transcript.ToolPatch{Locations: &[]transcript.Location{{Path: ""}, {Path: "x\x00"}}}, "d.go 7-7", false},
	} {
		if publish := trail.Visit(&c.patch, 1); publish != c.publish {
			t.Errorf("%s: published: %v", c.want, publish)
		}
		if n := len(trail.places); n > 0 {
			if p := trail.places[n-1]; fmt.Sprintf("%s %d-%d", p.Path, p.Line, p.To) != c.want {
				t.Errorf("it is at %+v, want %s", p, c.want)
			}
		} else if c.want != "" {
			t.Errorf("it is nowhere, want %s", c.want)
		}
	}
	if last, ok := trail.Last(); !ok || last.Path != "d.go" {
		t.Errorf("the last is %+v", last)
	}
	if trail.Visit(&transcript.ToolPatch{Locations: &locations}, 2) {
		t.Error("the same place is news")
	}
	if !trail.Visit(&transcript.ToolPatch{Status: &done}, 3) || trail.places[len(trail.places)-1].At != 3 {
		t.Error("the end of a call, which may have changed the file, is no news")
	}
}

// However an agent jumps, the trail keeps the last places in order, without repeating a file, and publishes each change
// once.
func TestTrailKeepsLastPlacesInOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var trail Trail
		waiting := false
		for now := range int64(rapid.IntRange(1, 150).Draw(t, "steps")) {
			if rapid.IntRange(0, 4).Draw(t, "what") == 0 {
				trail.Last()
				waiting = false
				continue
			}
			before := len(trail.places)
			path := fmt.Sprintf("%d.go", rapid.IntRange(0, 9).Draw(t, "file"))
			line := rapid.IntRange(-2, 3).Draw(t, "line")
			publish := trail.At(path, line, line+rapid.IntRange(-1, 4).Draw(t, "to"), rapid.Bool().Draw(t, "changed"), now)
			if publish && waiting {
				t.Fatal("published twice")
			}
			last := trail.places[len(trail.places)-1]
			if waiting = waiting || publish; last.Path != path || last.To < last.Line || last.Line < 0 || len(trail.places) < before {
				t.Fatalf("the last is %+v", last)
			}
		}
		for i := range trail.places {
			if i > 0 && (trail.places[i].Path == trail.places[i-1].Path || trail.places[i].At < trail.places[i-1].At) {
				t.Fatalf("%+v follows %+v", trail.places[i], trail.places[i-1])
			}
		}
		if len(trail.places) > maxPlaces {
			t.Fatalf("%d places", len(trail.places))
		}
	})
}
