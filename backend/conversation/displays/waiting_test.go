package displays

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"weft/backend/conversation/transcript"
)

// drawn is a display and the state that the test expects.
type drawn struct {
	*Display
	await    bool
	filled   bool
	expired  bool // the agent stopped waiting
	left     bool // its run has ended
	gone     bool // it can't be answered anymore
	hand     func() bool
	resolved bool
	cancel   bool
	got      []string // answers that the waiting agent received
	closed   bool
	told     int // how often the answer was in the agent's next prompt
}

// shown is a space with displays.
type shown struct {
	t     *rapid.T
	w     Waiting
	box   transcript.Outbox
	conv  transcript.Conversation
	seq   int64
	runs  []*transcript.Fold // in progress
	begun int
	all   []*drawn
	now   int64
}

func (s *shown) pick(name string, fits func(d *drawn) bool) *drawn {
	var list []*drawn
	for _, d := range s.all {
		if fits(d) {
			list = append(list, d)
		}
	}
	if len(list) == 0 {
		s.t.Skip("there is none")
	}
	return rapid.SampledFrom(list).Draw(s.t, name)
}

func (s *shown) begin() {
	s.begun++
	id := fmt.Sprintf("run%d", s.begun)
	s.box.Add(&transcript.RunCreated{RunID: id})
	s.runs = append(s.runs, transcript.NewFold(&s.box, transcript.MessageStart{MessageID: "msg-" + id, RunID: id, Role: transcript.RoleAgent}))
}

func (s *shown) draw(t *rapid.T) {
	f := rapid.SampledFrom(s.runs).Draw(t, "run")
	id := fmt.Sprintf("ask%d", len(s.all))
	d := &drawn{await: rapid.Bool().Draw(t, "await")}
	d.Display = New(Display{Request: id, Tool: "showForm", Title: "Form", At: s.now, RunID: f.RunID, Input: jsontext.Value(`{"n":1}`), Open: !d.await && rapid.Bool().Draw(t, "open")})
	d.Fold = f
	if rapid.Bool().Draw(t, "known") { // the agent has shown the call
		d.Call = "own-" + id
		name := "showForm"
		f.Apply(&transcript.Update{Kind: transcript.UpdateTool, Tool: &transcript.ToolPatch{ID: d.Call, Name: &name, Announced: true}}, s.now)
	}
	s.w.Draw(d.Display, d.await, jsontext.Value(`{"render":"card"}`), func() string { return "call-" + id }, s.now)
	s.all = append(s.all, d)
}

// TestEveryDisplayIsAnsweredOnce draws, fills, answers, expires and leaves displays in random order. An answer reaches
// the agent once: while it waits, or as its next prompt.
func TestEveryDisplayIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := &shown{t: t}
		s.begin()
		s.begin()
		t.Repeat(map[string]func(*rapid.T){
			"draw": func(t *rapid.T) { s.draw(t) },
			"fill": func(t *rapid.T) {
				d := s.pick("filled", func(d *drawn) bool { return !d.await && !d.filled && !d.left })
				var err error
				if rapid.Bool().Draw(t, "fails") {
					err, d.gone = errors.New("no"), true
				}
				d.filled = true
				s.w.Fill(d.Display, jsontext.Value(`{"content":[]}`), err, s.now)
			},
			"answer": func(t *rapid.T) {
				d := s.pick("answered", func(d *drawn) bool { return s.w.Takes(d.Display, false) })
				cancel := rapid.Bool().Draw(t, "cancel")
				if takes := s.w.Takes(d.Display, cancel); takes != (!cancel || !d.Open) {
					t.Fatalf("it takes an answer, cancel %v: %v", cancel, takes)
				} else if !takes {
					return
				}
				if s.w.Find(d.Fold.ID, d.Call) != d.Display || s.w.Find("another", d.Call) != nil {
					t.Fatal("it is not found as its call")
				}
				if next := d.Next(); next != (d.Open || d.expired || d.left) {
					t.Fatalf("the answer is the next prompt: %v; %+v", next, d)
				} else if next {
					d.told++
				}
				_, d.hand = s.w.Resolve(d.Display, jsontext.Value(`{"a":1}`), "a", cancel, s.now)
				d.resolved, d.gone, d.cancel = true, true, cancel
			},
			"store": func(t *rapid.T) {
				d := s.pick("stored", func(d *drawn) bool { return d.hand != nil })
				if !d.hand() {
					d.told++
				}
				d.hand = nil
			},
			"give up": func(t *rapid.T) { // as the waiting agent does after its timeout
				d := s.pick("given up", func(d *drawn) bool { return d.await && !d.expired && !d.closed })
				if d.expired = d.Expire(); !d.expired {
					answer, ok := <-d.Answer()
					s.read(d, answer, ok)
				}
			},
			"read": func(t *rapid.T) {
				d := s.pick("read", func(d *drawn) bool { return d.await && !d.expired && !d.closed })
				select {
				case answer, ok := <-d.Answer():
					s.read(d, answer, ok)
				default:
				}
			},
			"end of a run": func(t *rapid.T) {
				i := rapid.IntRange(0, len(s.runs)-1).Draw(t, "run")
				f := s.runs[i]
				s.runs = slices.Delete(s.runs, i, i+1)
				if rapid.Bool().Draw(t, "cancelled") {
					f.CancelOpen(s.now)
				}
				f.End("end_turn", nil, s.now)
				for _, d := range s.w.Leave(f.RunID) {
					d.End()
					i := slices.IndexFunc(s.all, func(o *drawn) bool { return o.Display == d })
					if d.Open || f.Waits(d.Request) || s.all[i].resolved {
						t.Fatalf("%s is withdrawn", d.Request)
					}
					s.all[i].gone = true
				}
				for _, d := range s.all {
					if d.RunID != f.RunID || d.left {
						continue
					}
					d.left = true
					d.gone = d.gone || d.Open
				}
				s.begin()
			},
			"": func(t *rapid.T) { s.check(t) },
		})
		for _, d := range s.all {
			if d.hand != nil && !d.hand() {
				d.told++
			}
			if !d.gone || !d.await {
				continue
			}
			for !d.closed {
				select {
				case answer, ok := <-d.Answer():
					s.read(d, answer, ok)
				default:
					t.Fatalf("%s: whoever waits for it waits forever", d.Request)
				}
			}
			switch reached := len(d.got) + d.told; {
			case d.resolved && !d.cancel && reached != 1:
				t.Fatalf("%s: the answer reaches the agent %d times: %+v", d.Request, reached, d)
			case (!d.resolved || d.cancel) && len(d.got) > 0:
				t.Fatalf("%s: an answer that was not given", d.Request)
			}
		}
	})
}

// read records what the waiting agent receives.
func (s *shown) read(d *drawn, answer jsontext.Value, ok bool) {
	if !ok {
		d.closed = true
		return
	}
	d.got = append(d.got, string(answer))
}

// check checks the invariants after every step.
func (s *shown) check(t *rapid.T) {
	s.now++
	for _, b := range s.box.Take().Bodies {
		s.seq++
		if err := s.conv.Apply(&transcript.Event{Seq: s.seq, Body: b}); err != nil {
			t.Fatalf("%s: %v", b.EventType(), err)
		}
	}
	calls := map[string]*transcript.ToolCall{}
	for _, m := range s.conv.Messages {
		for _, seg := range m.Segments {
			for _, it := range seg.Items {
				if it.Call != nil {
					calls[it.Call.ID] = it.Call
				}
			}
		}
	}
	waiting := 0
	for _, d := range s.all {
		takes := s.w.Takes(d.Display, false)
		if want := !d.gone && (d.await || d.Open && d.filled); takes != want {
			t.Fatalf("%s takes an answer: %v; %+v", d.Request, takes, d)
		}
		if takes && !d.Open {
			waiting++
		}
		call := calls[d.Call]
		switch {
		case call == nil || call.Kind != transcript.KindDisplay:
			t.Fatalf("%s is not drawn: %+v", d.Request, call)
		case string(call.Input) != `{"n":1}` || string(call.Drawn) != `{"render":"card"}`:
			t.Fatalf("%s is drawn with %s as %s", d.Request, call.Input, call.Drawn)
		case d.await && d.resolved && (len(call.Permissions) != 1 || call.Permissions[0].Outcome != "selected"):
			t.Fatalf("%s was answered, and its request was not: %+v", d.Request, call.Permissions)
		case d.await && d.resolved && d.cancel && call.Status != transcript.StatusRejected, d.resolved && !d.cancel && call.Status != transcript.StatusCompleted:
			t.Fatalf("%s was answered, cancel %v, and is %s", d.Request, d.cancel, call.Status)
		case d.await && !d.gone && !call.AwaitsAnswer():
			t.Fatalf("%s takes an answer, and does not show that: %+v", d.Request, call)
		}
	}
	if all := s.w.All(); len(all) != waiting || !slices.IsSortedFunc(all, func(a, b *Display) int { return int(a.At - b.At) }) {
		t.Fatalf("%d wait, and these are told: %v", waiting, all)
	}
}
