package transcript

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestOptionsOfEvents(t *testing.T) {
	many := func(n int, id, name string) (list []PermissionOption) {
		for range n {
			list = append(list, PermissionOption{ID: id, Name: name, Kind: "allow_once"})
		}
		return list
	}
	for what, list := range map[string][]PermissionOption{
		"one id for all":  {{ID: "x", Name: "Yes", Kind: "allow_once"}, {ID: "x", Name: "No", Kind: "reject_once"}, {ID: "x", Name: "Never", Kind: "reject_always"}},
		"no ids":          many(3, "", "same"),
		"sixty long ones": many(60, strings.Repeat("i", 500), strings.Repeat("日本", 300)),
		"a thousand":      many(1000, "id", "\x01\x02\x03"),
		"none":            nil,
		"a mark of Weft":  {{ID: "#1", Name: "Yes", Kind: "allow_once"}, {ID: "#1", Name: "No", Kind: "reject_once"}, {ID: "#0", Name: "Never", Kind: "reject_always"}},
		"a mark and one":  {{ID: "#2", Name: "Yes", Kind: "allow_once"}, {ID: "x", Name: "No", Kind: "reject_once"}, {ID: "x", Name: "Never", Kind: "reject_always"}},
		"a display's":     {{ID: DisplayAnswer, Name: "Yes", Kind: "allow_once"}, {ID: "display:x", Name: "No", Kind: "reject_once"}, {ID: "own", Name: "Never", Kind: "reject_always"}},
	} {
		bounded := boundOptions(list)
		if want := min(len(list), maxOptions); len(bounded) != want {
			t.Errorf("%s: %d options", what, len(bounded))
		}
		seen := map[string]bool{}
		for i, o := range bounded {
			if seen[o.ID] {
				t.Errorf("%s: %q twice", what, o.ID)
			}
			seen[o.ID] = true
			if strings.HasPrefix(o.ID, ownOption) {
				t.Errorf("%s: %q is Weft's own", what, o.ID)
			}
			if got := OptionIndex(list, o.ID); got != i {
				t.Errorf("%s: %q means option %d, not %d", what, o.ID, got, i)
			}
		}
		b := newBench(t)
		b.turns.Begin("r", "")
		b.turns.AskPermission(&ToolPatch{ID: "t"}, "q", list, nil, b.now)
		b.flush() // no event is too large
		if len(list) == 3 && list[1].Kind == "reject_once" {
			b.turns.ResolvePermission("q", Resolution{Outcome: "selected", OptionID: bounded[1].ID}, b.now)
			b.flush()
			if c := b.conv.Messages[0].Segments[0].Items[0].Call; c.Status != StatusRejected {
				t.Errorf("after No the call is %s", c.Status)
			}
		}
	}
}

func TestAlternatingStateIsBounded(t *testing.T) {
	b := newBench(t)
	b.turns.Begin("r", "")
	b.flush()
	before := b.seq
	for i := range 10_000 {
		b.do(&Update{Kind: UpdateState, Key: StateMode, Value: jsontext.Value([]string{`"ask"`, `"code"`}[i%2])})
		b.box.SetState(StateSession, "", []byte(`{"n":1}`))
	}
	if n := len(b.box.out.Bodies); n != 2 {
		t.Errorf("%d events wait", n)
	}
	b.do(text("x"), &Update{Kind: UpdateState, Key: StateMode, Value: jsontext.Value(`"last"`)})
	b.flush()
	if b.seq-before != 4 || !strings.Contains(b.raw[len(b.raw)-1], `"last"`) {
		t.Errorf("%d events, the last is %s", b.seq-before, b.raw[len(b.raw)-1])
	}
}
