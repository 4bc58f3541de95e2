package gatedrafts

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
	"weft/backend/space/modelcalls"
)

func (p *place) expect(t *testing.T, what string, sent, unsent []string) {
	t.Helper()
	gotSent, gotUnsent, open, _ := p.texts()
	if !slices.Equal(gotSent, sent) || !slices.Equal(gotUnsent, unsent) || len(open) > 0 {
		t.Errorf("%s: %s has sent %q, unsent %q, open %q; want %q, %q", what, p.id, gotSent, gotUnsent, open, sent, unsent)
	}
}

func TestMessageToAnotherSpaceIsShownWhileItIsWritten(t *testing.T) {
	w := newWorld(t)
	w.announces("1", SendMessage, "")
	w.writes("1", `{"text":"one`)
	if w.away["a"].open != nil {
		t.Fatal("shown before its space was known")
	}
	w.writes("1", ` two","spaceId":"a"`)
	if _, _, open, _ := w.away["a"].texts(); !slices.Equal(open, []string{"one two"}) {
		t.Fatalf("shown is %q", open)
	}
	w.writes("1", `}`)
	w.sent(w.arrives(SendMessage, `{"text":"one two","spaceId":"a"}`), "a", "one two", false)
	w.ends("1", transcript.StatusCompleted)
	w.over()
	w.away["a"].expect(t, "after it was sent", []string{"one two"}, nil)
	if c := w.own.call("1"); c == nil || c.Title != "Write to a" || c.Status != transcript.StatusCompleted {
		t.Errorf("its row is %+v", c)
	}
}

func TestMessageToTheOwnSpaceIsNoRow(t *testing.T) {
	w := newWorld(t)
	w.announces("1", SendMessage, "")
	w.writes("1", `{"spaceId":"own","text":"one`)
	if _, _, open, _ := w.own.texts(); !slices.Equal(open, []string{"one"}) {
		t.Fatalf("shown is %q", open)
	}
	w.writes("1", ` two"}`)
	w.sent(w.arrives(SendMessage, `{"spaceId":"own","text":"one two"}`), "own", "one two", false)
	w.ends("1", transcript.StatusCompleted)
	w.over()
	w.own.expect(t, "after it was sent", []string{"one two"}, nil)
	if c := w.own.call("1"); c != nil {
		t.Errorf("it has a row: %+v", c)
	}
}

func TestRefusedMessageIsSaidToBeUnsent(t *testing.T) {
	for _, space := range []string{"own", "a"} {
		w := newWorld(t)
		w.announces("1", SendMessage, "")
		w.writes("1", `{"spaceId":"`+space+`","text":"one"}`)
		w.ends("1", transcript.StatusFailed)
		w.over()
		p := w.own
		if space == "a" {
			p = w.away["a"]
		}
		p.expect(t, "refused", nil, []string{"one"})
		if _, _, _, notes := p.texts(); !slices.Equal(notes, []string{string(notSent)}) {
			t.Errorf("%s: notes %q", space, notes)
		}
		if c := w.own.call("1"); c == nil || c.Status != transcript.StatusFailed {
			t.Errorf("%s: its row is %+v", space, c)
		}
	}
}

func TestMessageThatWasChangedIsCorrected(t *testing.T) {
	w := newWorld(t)
	w.announces("1", SendMessage, "")
	w.writes("1", `{"spaceId":"a","text":"one`)
	g := w.Get("1")
	text := w.TakeText(g, "a", "other", "new")
	if !text.Corrects() || text.Piece != "new" || text.Rest != "other" || text.Call != "1" {
		t.Errorf("%+v", text)
	}
	text.Correct(w.away["a"].open.fold)
	w.away["a"].expect(t, "corrected", nil, []string{"one"})
	if again := w.TakeText(g, "a", "one", "newer"); again.Corrects() || again.Rest != "one" {
		t.Errorf("taken again: %+v", again)
	}
}

func TestInputWithoutASpaceLeavesTheMessageWhereItIsShown(t *testing.T) {
	for _, space := range []string{"own", "a"} {
		w := newWorld(t)
		args := `{"spaceId":"` + space + `","text":"one"}`
		running := transcript.StatusRunning
		w.announces("1", SendMessage, "")
		w.writes("1", args)
		w.report(&transcript.ToolPatch{ID: "1", Status: &running, Input: jsontext.Value(`{}`)})
		w.sent(w.arrives(SendMessage, args), space, "one", false)
		w.over()
		p := w.own
		if space == "a" {
			p = w.away["a"]
		}
		p.expect(t, "reported without arguments", []string{"one"}, nil)
	}
}

func TestMessageThatChangesItsSpaceIsUnsentWhereItWasShown(t *testing.T) {
	for _, to := range [][2]string{{"a", "b"}, {"a", "own"}, {"own", "a"}} {
		w := newWorld(t)
		places := map[string]*place{"own": w.own, "a": w.away["a"], "b": w.away["b"]}
		args := `{"spaceId":"` + to[1] + `","text":"one"}`
		running := transcript.StatusRunning
		w.announces("1", SendMessage, "")
		w.writes("1", `{"spaceId":"`+to[0]+`","text":"one"}`)
		w.report(&transcript.ToolPatch{ID: "1", Status: &running, Input: jsontext.Value(args)})
		w.sent(w.arrives(SendMessage, args), to[1], "one", false)
		w.over()
		places[to[0]].expect(t, "shown first", nil, []string{"one"})
		places[to[1]].expect(t, "sent to", []string{"one"}, nil)
	}
}

func TestMessageToASpaceOfOthersIsNotShown(t *testing.T) {
	w := newWorld(t)
	w.announces("1", SendMessage, `{"spaceId":"strange","text":"one"}`)
	w.ends("1", transcript.StatusFailed)
	w.over()
	for _, p := range []*place{w.own, w.away["a"], w.away["b"]} {
		p.expect(t, "no member", nil, nil)
	}
	if w.own.call("1") == nil {
		t.Error("the call has no row")
	}
}

func ahead(text string, broken bool) []modelcalls.Change {
	return []modelcalls.Change{{Kind: modelcalls.Ahead, Key: modelcalls.Key{Request: 1, Call: 1}, Provider: "call_1", Text: text, Broken: broken}}
}

func TestMessageThatTheModelWritesIsShownAhead(t *testing.T) {
	w := newWorld(t)
	w.Write(ahead(`{"spaceId":"a","text":"one`, false))
	if _, _, open, _ := w.away["a"].texts(); !slices.Equal(open, []string{"one"}) || w.own.call("call_1") != nil {
		t.Fatalf("shown is %q", open)
	}
	w.Caught(&modelcalls.Key{Request: 1, Call: 1}, "x")
	w.announces("x", SendMessage, "")
	w.Write([]modelcalls.Change{
		{Kind: modelcalls.Missed, ID: "x", Text: `{"spaceId":"a","text":"one`},
		{Kind: modelcalls.Fragment, ID: "x", Text: ` two"}`},
	})
	w.sent(w.arrives(SendMessage, `{"spaceId":"a","text":"one two"}`), "a", "one two", false)
	w.over()
	w.away["a"].expect(t, "sent", []string{"one two"}, nil)
}

func TestMessageThatTheAgentNeverShowsIsUnsent(t *testing.T) {
	for name, end := range map[string]func(w *world){
		"broken":     func(w *world) { w.Write(ahead(``, true)) },
		"run's end":  func(*world) {},
		"both":       func(w *world) { w.Write(ahead(``, true)); w.EndAhead() },
		"other call": func(w *world) { w.announces("y", SendMessage, `{"spaceId":"own","text":"two"}`) },
	} {
		w := newWorld(t)
		w.Write(ahead(`{"spaceId":"a","text":"one`, false))
		end(w)
		w.over()
		w.away["a"].expect(t, name, nil, []string{"one"})
		if _, _, _, notes := w.away["a"].texts(); !slices.Equal(notes, []string{string(notSent)}) {
			t.Errorf("%s: notes %q", name, notes)
		}
	}
}

func TestMessageToTheOwnSpaceWaitsForTheAgentsCall(t *testing.T) {
	w := newWorld(t)
	w.Write(ahead(`{"spaceId":"own","text":"one`, false))
	w.own.expect(t, "ahead", nil, nil)
	w.Caught(&modelcalls.Key{Request: 1, Call: 1}, "x")
	w.announces("x", SendMessage, "")
	w.Write([]modelcalls.Change{{Kind: modelcalls.Fragment, ID: "x", Text: ` two"}`}})
	if _, _, open, _ := w.own.texts(); !slices.Equal(open, []string{"one two"}) {
		t.Errorf("shown is %q", open)
	}
}

func TestTitleOfACallThatArrivedAheadIsKept(t *testing.T) {
	w := newWorld(t)
	w.Write(ahead(`{"spaceId":"a","text":"one"}`, false))
	w.sent(w.arrives(SendMessage, `{"spaceId":"a","text":"one"}`), "a", "one", false)
	w.Caught(&modelcalls.Key{Request: 1, Call: 1}, "x")
	w.announces("x", SendMessage, "")
	title := "the agent's"
	w.report(&transcript.ToolPatch{ID: "x", Title: &title})
	if c := w.own.call("x"); c == nil || c.Title != "Write to a" {
		t.Errorf("its row is %+v", c)
	}
}

func TestDisplayIsDrawnWhileItIsWritten(t *testing.T) {
	w := newWorld(t)
	w.announces("1", table, "")
	w.writes("1", `{"targetSpaceId":"a",`)
	w.writes("1", `"rows":[1`)
	w.away["a"].settle()
	if len(w.away["a"].conv.Messages) != 1 || w.Get("1").Kept.display == nil {
		t.Fatal("nothing is drawn")
	}
	id := w.Get("1").Kept.display.call
	w.writes("1", `]}`)
	if got := w.drawn(w.arrives(table, `{"targetSpaceId":"a","rows":[1]}`), "a"); got != id {
		t.Errorf("drawn as %s, and early as %s", got, id)
	}
	w.ends("1", transcript.StatusCompleted)
	w.over()
	if c := w.away["a"].call(id); c == nil || c.Status != transcript.StatusRunning || c.Kind != transcript.KindDisplay || !strings.Contains(string(c.Drawn), `"own"`) {
		t.Errorf("drawn is %+v", c)
	}
	if c := w.own.call("1"); c == nil || c.Kind == transcript.KindDisplay {
		t.Errorf("its row is %+v", c)
	}
}

func TestDisplayThatNeverArrivesIsTakenBack(t *testing.T) {
	for _, space := range []string{"own", "a"} {
		for _, end := range []string{"call", "run"} {
			w := newWorld(t)
			w.announces("1", table, "")
			w.writes("1", `{"targetSpaceId":"`+space+`","rows":[`)
			id := w.Get("1").Kept.display.call
			if c := w.own.call("1"); space == "own" && c.Kind != transcript.KindDisplay {
				t.Fatalf("drawn is %+v", c)
			}
			if end == "call" {
				w.ends("1", transcript.StatusFailed)
			}
			w.over()
			if c := w.own.call("1"); c.Kind == transcript.KindDisplay || c.Title != "weft: "+table {
				t.Errorf("%s, at the end of the %s: its row is %+v", space, end, c)
			}
			if space == "own" {
				continue
			}
			if c := w.away["a"].call(id); c.Status != transcript.StatusFailed || c.Error != "It was written, but not shown." {
				t.Errorf("at the end of the %s: drawn is %+v", end, c)
			}
		}
	}
}

func TestDisplayThatArrivesForAnotherSpaceIsTakenBack(t *testing.T) {
	w := newWorld(t)
	w.announces("1", table, `{"targetSpaceId":"a"}`)
	id := w.Get("1").Kept.display.call
	if _, _, drawn := w.TakeDisplay(w.Get("1"), "b"); drawn {
		t.Error("it is taken for the other space")
	}
	if c := w.away["a"].call(id); c.Status != transcript.StatusFailed {
		t.Errorf("drawn is %+v", c)
	}
}

func TestDisplayThatActsIsNotDrawnEarly(t *testing.T) {
	w := newWorld(t)
	w.announces("1", act, `{"targetSpaceId":"a"}`)
	w.away["a"].settle()
	if len(w.away["a"].conv.Messages) > 0 {
		t.Error("it is drawn before it was allowed")
	}
}

func TestOutsideOfARunNothingIsShownEarly(t *testing.T) {
	w := newWorld(t)
	w.out = true
	w.announces("1", SendMessage, `{"spaceId":"a","text":"one"}`)
	w.announces("2", table, `{"targetSpaceId":"a"}`)
	w.away["a"].settle()
	if len(w.away["a"].conv.Messages) > 0 || w.own.call("1") == nil || w.own.call("2") == nil {
		t.Error("calls outside a run aren't just rows")
	}
}

func TestRetitleTellsInputThatIsNotKnown(t *testing.T) {
	w := newWorld(t)
	w.Retitle(nil, "none", nil)
	w.announces("1", table, "")
	w.Retitle(w.Get("1"), "Show", jsontext.Value(`{"a":1}`))
	if c := w.own.call("1"); c.Title != "Show" || string(c.Input) != `{"a":1}` {
		t.Errorf("%+v", c)
	}
}
