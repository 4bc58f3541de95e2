package gatedrafts

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/displays"
	"weft/backend/conversation/transcript"
	"weft/backend/space/gatecalls"
	"weft/backend/space/toolcalls"
)

const (
	table = "showTable"
	act   = "act"
)

// find knows the tools for messages and tables, and one that draws after it was allowed.
func find(called string) (gatecalls.Tool, bool) {
	name, ok := strings.CutPrefix(called, "mcp__weft__")
	return gatecalls.Tool{Name: name, Exact: true, Draws: name != SendMessage, Acts: name == act}, ok && (name == SendMessage || name == table || name == act)
}

// place is a space with its conversation, in the messages of one run.
type place struct {
	w     *world
	id    string
	box   transcript.Outbox
	conv  transcript.Conversation
	ends  []*transcript.TextEnd
	seq   int64
	turns *transcript.Turns // of the own space
	open  *elsewhere        // the run's message in another one, nil while it has none
}

// settle applies the events to the conversation.
func (p *place) settle() {
	p.w.t.Helper()
	for _, b := range p.box.Take().Bodies {
		p.seq++
		if end, ok := b.(*transcript.TextEnd); ok {
			p.ends = append(p.ends, end)
		}
		if err := p.conv.Apply(&transcript.Event{Seq: p.seq, Body: b}); err != nil {
			p.w.fail("%v", err)
		}
	}
}

// call returns a call in the conversation, or nil.
func (p *place) call(id string) *transcript.ToolCall {
	p.settle()
	for _, m := range p.conv.Messages {
		for _, s := range m.Segments {
			for _, item := range s.Items {
				if item.Call != nil && item.Call.ID == id {
					return item.Call
				}
			}
		}
	}
	return nil
}

// texts returns the texts of the conversation: sent, unsent, still open, and notes.
func (p *place) texts() (sent, unsent, open, notes []string) {
	p.settle()
	for _, m := range p.conv.Messages {
		for i, s := range m.Segments {
			if s.Type != transcript.SegmentText {
				continue
			}
			if s.Author == "app" {
				notes = append(notes, s.Text)
				continue
			}
			state := &open
			for _, end := range p.ends {
				if end.MessageID == m.ID && end.Segment == i {
					if state = &sent; end.Unsent {
						state = &unsent
					}
				}
			}
			*state = append(*state, s.Text)
		}
	}
	return sent, unsent, open, notes
}

// elsewhere is the run's message in another space.
type elsewhere struct {
	in   *place
	fold *transcript.Fold
}

func (e *elsewhere) SpaceID() string   { return e.in.id }
func (e *elsewhere) HomeTitle() string { return "Own" }

func (e *elsewhere) Text(piece, call, text string) {
	e.fold.Apply(&transcript.Update{Kind: transcript.UpdateText, Text: text, MessageID: piece, Apart: true, Via: call}, 1)
}

func (e *elsewhere) Change(_ int, do func(f *transcript.Fold)) { do(e.fold) }

// world is a session in the space "own". Its agent is also a member of the spaces "a" and "b".
type world struct {
	*Drafts[*elsewhere]
	t       *testing.T
	open    toolcalls.Open
	own     *place
	away    map[string]*place
	nowhere place // a space that the agent isn't a member of
	ids     int
	now     time.Time
	out     bool // outside of a run
	name    string
	log     []string
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, open: toolcalls.Open{}, away: map[string]*place{}, now: time.Unix(1000, 0)}
	w.own = &place{w: w, id: "own"}
	w.own.turns = transcript.NewTurns(&w.own.box, transcript.Author{}, transcript.Author{ID: "agent"}, func() string { return w.NewID("msg") })
	w.nowhere = place{w: w, id: "strange"}
	w.own.turns.Begin("run", "")
	for _, id := range []string{"a", "b"} {
		w.away[id] = &place{w: w, id: id}
	}
	w.Drafts = New[*elsewhere](w, "own", find, w.open)
	return w
}

func (w *world) fail(format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("%s: %s\n%s", w.name, fmt.Sprintf(format, args...), strings.Join(w.log, "\n"))
}

func (w *world) InRun() bool                 { return !w.out }
func (w *world) Shows(call string) bool      { return w.own.turns.Current().Knows(call) }
func (w *world) Update(u *transcript.Update) { w.own.turns.Update(u, 1) }
func (w *world) Own() *transcript.Fold       { return w.own.turns.Resume() }
func (w *world) Now() int64                  { return 1 }

func (w *world) From(call string) *displays.From {
	return &displays.From{SpaceID: "own", ToolCallID: call}
}

func (w *world) NewID(kind string) string {
	w.ids++
	return fmt.Sprint(kind, w.ids)
}

func (w *world) Elsewhere(spaceID string) *elsewhere {
	p := w.away[spaceID]
	if p == nil { // not a member
		p = &w.nowhere
	}
	if p.open == nil {
		p.open = &elsewhere{p, transcript.NewFold(&p.box, transcript.MessageStart{MessageID: w.NewID("msg"), RunID: "run", Role: transcript.RoleAgent})}
	}
	return p.open
}

// report makes the agent report an update of a call.
func (w *world) report(p *transcript.ToolPatch) {
	if u := w.Report(&transcript.Update{Kind: transcript.UpdateTool, Tool: p}); u != nil {
		w.Update(u)
	}
	w.open.Update(p, len(w.open))
}

// announces makes the agent announce a call.
func (w *world) announces(id, tool, input string) {
	name, title, pending := "mcp__weft__"+tool, "weft: "+tool, transcript.StatusPending
	w.report(&transcript.ToolPatch{ID: id, Announced: true, Name: &name, Title: &title, Status: &pending, Input: jsontext.Value(input)})
}

func (w *world) writes(id, fragment string) {
	w.report(&transcript.ToolPatch{ID: id, InputDelta: fragment})
}

func (w *world) ends(id string, status transcript.Status) {
	w.report(&transcript.ToolPatch{ID: id, Status: &status})
}

// arrives makes a call arrive at the gateway. It waits for its line if necessary.
func (w *world) arrives(tool, args string) *Arrival[*elsewhere] {
	a := w.Arrive(tool, jsontext.Value(args), w.now)
	if !a.Settled {
		w.now = a.Until
		w.Tick(w.now)
	}
	if a.Patch != nil {
		w.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: a.Patch})
	}
	return a
}

// sent handles an arrived message like a session. pause ends the message that it is in, like a mention.
func (w *world) sent(a *Arrival[*elsewhere], space, text string, pause bool) {
	g := a.Call
	t := w.TakeText(g, space, text, w.NewID("part"))
	if space == "own" {
		f := w.Own()
		if g != nil {
			g.Kept.Stay()
			if t.Rest == "" && g.Kept.In() != nil {
				f = g.Kept.In()
			}
			if w.Shows(g.ID) {
				w.Retitle(g, "Write here", a.Sent)
			}
		} else {
			a.Drawn = true
		}
		if t.Corrects() {
			t.Correct(f)
		}
		f.Apply(&transcript.Update{Kind: transcript.UpdateText, Text: t.Rest, MessageID: t.Piece, Apart: true, Via: t.Call}, 1)
		f.EndText(t.Piece, t.Call, false)
		if pause {
			w.own.turns.Pause()
		}
		return
	}
	var to *elsewhere
	if g != nil && t.Rest == "" {
		to = g.Kept.To()
	}
	if to == nil {
		to = w.Elsewhere(space)
	}
	if g != nil {
		w.ShowHeld(g)
	}
	w.Retitle(g, "Write to "+space, a.Sent)
	if t.Corrects() {
		t.Correct(to.fold)
	}
	if t.Rest != "" {
		to.Text(t.Piece, t.Call, t.Rest)
	}
	to.fold.EndText(t.Piece, t.Call, false)
	if pause {
		w.away[space].open = nil
	}
}

// drawn handles an arrived display like a session, and returns its call where it is drawn.
func (w *world) drawn(a *Arrival[*elsewhere], space string) string {
	g := a.Call
	to, call, drawn := w.TakeDisplay(g, space)
	kind, running := transcript.KindDisplay, transcript.StatusRunning
	p := &transcript.ToolPatch{Name: &a.Tool, Kind: &kind, Status: &running, Input: a.Sent}
	if space == "own" {
		if g != nil {
			p.ID, g.Drawn = g.ID, true
		} else {
			p.ID, p.Announced, a.Drawn = w.NewID("display"), true, true
		}
		w.Own().Apply(&transcript.Update{Kind: transcript.UpdateTool, Tool: p}, 1)
		return p.ID
	}
	if !drawn {
		to, call, p.Announced = w.Elsewhere(space), w.NewID("display"), true
	}
	if g != nil {
		w.UndrawHere(g)
	}
	w.Retitle(g, "Show in "+space, a.Sent)
	p.ID = call
	to.fold.Apply(&transcript.Update{Kind: transcript.UpdateTool, Tool: p}, 1)
	return call
}

// over ends the run.
func (w *world) over() {
	w.EndAhead()
	w.End()
	w.Forget()
}
