package transcript

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// toolEvents writes what a program reads of the tool events: their types with input, status and delta.
func toolEvents(bodies []Body) string {
	var out []string
	for _, body := range bodies {
		switch b := body.(type) {
		case *ToolCallStart:
			out = append(out, fmt.Sprintf("start %s %s %s%s", b.ToolCallID, b.Status, b.Title, string(b.Input)))
		case *ToolCallUpdate:
			s := "update " + b.ToolCallID
			if b.Status != nil {
				s += " " + string(*b.Status)
			}
			if b.Title != nil {
				s += " " + *b.Title
			}
			out = append(out, s+string(b.Input))
		case *ToolInputDelta:
			out = append(out, "delta "+b.Delta)
		case *ToolCallEnd:
			out = append(out, "end "+b.ToolCallID)
		case *TextDelta:
			out = append(out, "text "+b.Content)
		}
	}
	return strings.Join(out, "; ")
}

// TestStartOfACallWaitsForItsInput: agents show a call and tell its input in the next message.
func TestStartOfACallWaitsForItsInput(t *testing.T) {
	t.Parallel()
	call := func(id, status, title, input string, announced bool) *Update {
		p := &ToolPatch{ID: id, Announced: announced}
		if status != "" {
			s := Status(status)
			p.Status = &s
		}
		if title != "" {
			p.Title = &title
		}
		if input != "" {
			p.Input = jsontext.Value(input)
		}
		return &Update{Kind: UpdateTool, Tool: p}
	}
	delta := func(id, s string) *Update { return &Update{Kind: UpdateTool, Tool: &ToolPatch{ID: id, InputDelta: s}} }
	text := &Update{Kind: UpdateText, Text: "x"}
	start, title := call("a", "pending", "A", "{}", true), call("a", "", "B", "", false)
	input := call("a", "in_progress", "", `{"p":1}`, false)
	input.Tool.Status = new(Status)
	*input.Tool.Status = StatusRunning
	for name, c := range map[string]struct {
		updates []*Update
		ready   string // what goes before the start
		holds   bool
		rest    string
	}{
		"with its input":          {[]*Update{call("a", "pending", "A", `{"p":1}`, true)}, "", false, `start a pending A{"p":1}`},
		"its input follows":       {[]*Update{start, input}, "", false, `start a running A{"p":1}`},
		"its input is awaited":    {[]*Update{start}, "", true, `start a pending A{}`},
		"behind text":             {[]*Update{text, start}, "text x", true, `start a pending A{}`},
		"a title comes before":    {[]*Update{start, title, input}, "", false, `start a running B{"p":1}`},
		"written in fragments":    {[]*Update{call("a", "pending", "A", "", true), delta("a", `{"p"`), delta("a", `:1}`), input}, "", false, `start a running A{"p":1}`},
		"fragments so far":        {[]*Update{call("a", "pending", "A", "", true), delta("a", `{"p"`)}, "", true, `start a pending A; delta {"p"`},
		"grown":                   {[]*Update{start, call("a", "", "", `{"p":"a"}`, false), call("a", "", "", `{"p":"ab"}`, false)}, "", true, `start a pending A{}; update a{"p":"a"}; delta {"p":"ab`},
		"a first input alone":     {[]*Update{start, call("a", "", "", `{"p":"a"}`, false)}, "", true, `start a pending A{"p":"a"}`},
		"an input, then it runs":  {[]*Update{start, call("a", "", "", `{"p":"a"}`, false), call("a", "running", "", "", false)}, "", true, `start a running A{"p":"a"}`},
		"ended":                   {[]*Update{start, call("a", "completed", "", "", false)}, "", false, `start a pending A{}; end a`},
		"two, and both inputs":    {[]*Update{start, call("b", "pending", "B", "", true), call("b", "running", "", `{"q":2}`, false), input}, "", false, `start a running A{"p":1}; start b running B{"q":2}`},
		"two, and one input":      {[]*Update{start, call("b", "pending", "B", "", true), input}, "", true, `start a running A{"p":1}; start b pending B`},
		"the next has its input":  {[]*Update{start, call("b", "pending", "B", `{"q":2}`, true)}, "", false, `start a pending A{}; start b pending B{"q":2}`},
		"text follows meanwhile":  {[]*Update{start, text, input}, "", false, `start a running A{"p":1}; text x`},
		"without arguments, runs": {[]*Update{start, call("a", "running", "", "{}", false)}, "", true, `start a running A{}`},
	} {
		var box Outbox
		f := NewFold(&box, MessageStart{MessageID: "m", Role: RoleAgent, Author: Author{Kind: "agent"}})
		box.Take()
		for _, u := range c.updates {
			f.Apply(u, 1)
		}
		ready := ""
		if box.Ready() {
			ready = toolEvents(box.TakeReady().Bodies)
		}
		holds := box.Holds()
		if rest := toolEvents(box.Take().Bodies); ready != c.ready || holds != c.holds || rest != c.rest {
			t.Errorf("%s: %q, then %q, held: %v; want %q, %q, %v", name, ready, rest, holds, c.ready, c.rest, c.holds)
		}
	}
}

// TestHeldStartsChangeNothing: whatever is taken ahead of the start of a call that waits, the messages and what they refer to are the same.
func TestHeldStartsChangeNothing(t *testing.T) {
	t.Parallel()
	seed := testSeed(t)
	for i := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, i))
		steps := randomSteps(r, 80)
		each := play(t, steps, func() bool { return true })
		b := newBench(t)
		for _, s := range steps {
			s(b)
			switch r.IntN(4) {
			case 0:
				b.flushReady()
			case 1:
				if !b.box.Holds() {
					b.flush()
				}
			}
		}
		b.flush()
		for _, m := range append(append([]*Message(nil), each.conv.Messages...), b.conv.Messages...) {
			clearTimes(m)
		}
		if !reflect.DeepEqual(each.conv.Messages, b.conv.Messages) {
			x, _ := json.Marshal(each.conv.Messages, wire)
			y, _ := json.Marshal(b.conv.Messages, wire)
			t.Fatalf("seed %d, case %d:\n%s\n%s", seed, i, x, y)
		}
	}
}
