package elsewhere

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
)

// quiet returns a run that belongs to the space home, and a space that it writes to.
func quiet() (*history, *space) {
	h := &history{rnd: rand.New(rand.NewPCG(1, 15)), quiet: true}
	h.run = NewRun(h, "run", "home", 7)
	s := &space{h: h, id: "other", ends: map[string]bool{}}
	h.spaces = []*space{s}
	return h, s
}

var author = transcript.Author{Kind: "agent", ID: "claude", Name: "Guest", MemberID: "second"}

func TestOneGoroutineAddsWhatARunWrites(t *testing.T) {
	h, _ := quiet()
	m := h.run.In("other", author)
	m.Text("one", "", "a")
	m.Text("one", "", "b")
	m.Do(0, func(*space, *transcript.Fold) {})
	if len(h.moves) != 1 {
		t.Fatalf("%d goroutines", len(h.moves))
	}
	h.move()
	m.Text("one", "", "c")
	if len(h.moves) != 1 {
		t.Errorf("%d goroutines after the first has ended", len(h.moves))
	}
	if h.fault != "" {
		t.Error(h.fault)
	}
}

func TestNowReturnsOnceItIsStored(t *testing.T) {
	for name, tt := range map[string]struct {
		gone, missing bool
		code          string
	}{"stored": {}, "gone": {gone: true, code: "closing"}, "missing": {missing: true, code: "not_found"}} {
		t.Run(name, func(t *testing.T) {
			h, s := quiet()
			s.gone, s.missing = tt.gone, tt.missing
			m, did := h.run.In("other", author), false
			begins := make(chan func(), 1)
			m.lane.home = starting{h, begins}
			got := make(chan error)
			go func() { got <- m.Now(t.Context(), func(*space, *transcript.Fold) { did = true }) }()
			(<-begins)()
			if err := <-got; fault.CodeOf(err) != tt.code || did != (tt.code == "") || did && s.created != 1 {
				t.Errorf("%v, done %v, the run is told %d times", err, did, s.created)
			}
		})
	}
	t.Run("given up", func(t *testing.T) {
		h, _ := quiet()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := h.run.In("other", author).Now(ctx, func(*space, *transcript.Fold) {}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// starting is a home that collects the functions to run.
type starting struct {
	*history
	begins chan<- func()
}

func (s starting) Run(do func()) { s.begins <- do }

func TestGuestIsToldFromItsFirstMessageToTheEndOfItsRun(t *testing.T) {
	h, s := quiet()
	m := h.run.In("other", author)
	m.Text("one", "", "a")
	if len(s.guests.All()) != 0 {
		t.Error("a guest before it has written anything")
	}
	h.move()
	m.End("end_turn", false)
	h.run.Detach("other")
	h.move()
	guests := s.guests.All()
	if len(guests) != 1 || guests[0].Home != "home" || guests[0].RunID != "run" || guests[0].StartedAt != 7 || guests[0].MessageID() != "other-msg1" || guests[0].Stopping() {
		t.Fatalf("guests %+v", guests)
	}
	if told := h.run.Stop(); len(told) != 1 || told[0] != "other" {
		t.Errorf("behind a mention %v are told that it stops", told)
	}
	h.run.In("other", author).Text("two", "", "b")
	h.move()
	if id := guests[0].MessageID(); id != "other-msg2" {
		t.Errorf("its message is %s", id)
	}
	if told := h.run.Stop(); len(told) != 1 || told[0] != "other" || !guests[0].Stopping() {
		t.Errorf("%v are told that it stops; stopping %v", told, guests[0].Stopping())
	}
	h.run.End("cancelled")
	h.move()
	s.commit()
	if len(s.guests.All()) != 0 || s.created != 1 || s.ended != 1 {
		t.Errorf("%d guests, begun %d times, ended %d times", len(s.guests.All()), s.created, s.ended)
	}
	s.guests.Over(&s.box, "run", "cancelled")
	if !s.box.Empty() {
		t.Error("a run that is no guest ends")
	}
}

func TestCancelledRunTakesBackWhatItAskedInAMessageThatHasEnded(t *testing.T) {
	h, s := quiet()
	m := h.run.In("other", author)
	var fold *transcript.Fold
	m.Do(0, func(_ *space, f *transcript.Fold) {
		title, kind := "Form", transcript.KindDisplay
		f.AskDisplay(&transcript.ToolPatch{ID: "call", Title: &title, Kind: &kind, Announced: true}, "ask", 1)
		fold = f
	})
	m.End("end_turn", false)
	h.run.Detach("other")
	h.move()
	if !fold.Waits("ask") {
		t.Fatal("the display does not wait behind the mention")
	}
	h.run.End("cancelled")
	h.move()
	if fold.Waits("ask") {
		t.Error("the display still waits")
	}
	if s.commit(); h.fault != "" {
		t.Error(h.fault)
	}
}

func TestMessagesOfARunAreAddedInTheirOrder(t *testing.T) {
	h, s := quiet()
	first := h.run.In("other", author)
	first.Text("one", "", "before")
	h.run.Detach("other")
	h.run.In("other", author).Text("one", "", "behind")
	h.run.End("cancelled")
	for len(h.moves) > 0 { // the latest first
		do := h.moves[len(h.moves)-1]
		h.moves = h.moves[:len(h.moves)-1]
		do()
	}
	s.commit()
	if n := len(s.guests.All()); n != 0 {
		t.Errorf("%d guests after the run has ended", n)
	}
	if s.created != 1 || s.ended != 1 {
		t.Errorf("the run begins %d times and ends %d times", s.created, s.ended)
	}
	if len(s.conv.Messages) != 2 || s.conv.Messages[0].Content() != "before" || s.conv.Messages[1].Content() != "behind" {
		t.Errorf("%d messages, the first is %q", len(s.conv.Messages), s.conv.Messages[0].Content())
	}
	if h.fault != "" {
		t.Error(h.fault)
	}
}
