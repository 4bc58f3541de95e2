package runs

import (
	"context"
	"strings"

	"weft/backend/displays"
	"weft/backend/transcript"
)

// early is a display that is drawn while the model still writes its input, once it is known for which space it is meant. In the run's own
// space what the agent says of the call is drawn as it comes; in another one the input is drawn, and the call stays a row. The call
// that arrives at the gateway takes it over.
type early struct {
	title *string // as the agent called it last
	kind  *string

	drawn bool // in the own space

	to   *message // the message in another space in which it is drawn; nil if it is not
	call string   // there
	raw  strings.Builder
	done bool // it is not drawn in another space (any more)
}

// drawnEarly returns an update of a call as the conversation is to have it. The lock is held.
func (l *link) drawnEarly(g *gateCall, u *transcript.Update) *transcript.Update {
	e, p := g.Kept.early, u.Tool
	if e == nil {
		if !g.Draws || g.Acts {
			return u
		}
		e = &early{}
		g.Kept.early = e
	}
	if p.Title != nil {
		e.title = p.Title
	}
	if p.Kind != nil {
		e.kind = p.Kind
	}
	if e.to == nil && !e.drawn && !e.done && !g.TooLong() {
		e.raw.WriteString(p.InputDelta)
	}
	over := p.Status != nil && p.Status.Ended()
	space := ""
	if !e.drawn && e.to == nil && !over {
		space = g.Target(p)
	}
	var change func(*transcript.ToolPatch)
	switch {
	case e.to != nil || space != "" && space != l.s.space.ID:
		l.drawnAway(g, p, space)
		return u
	case over && e.drawn: // it has not arrived, so that nothing is shown
		e.drawn = false
		change = func(p *transcript.ToolPatch) { p.Title, p.Kind = e.title, e.rowKind() }
	case e.drawn:
		change = func(p *transcript.ToolPatch) { p.Name, p.Title, p.Kind = nil, nil, nil }
	case space != "":
		e.drawn, e.raw = true, strings.Builder{}
		kind := transcript.KindDisplay
		change = func(p *transcript.ToolPatch) {
			p.Name, p.Kind, p.Drawn = &g.Tool, &kind, displays.EncodeDrawn(g.Draw, nil)
		}
	default:
		return u
	}
	return u.ChangeTool(change)
}

// drawnAway draws in another space what is known of the input now.
func (l *link) drawnAway(g *gateCall, p *transcript.ToolPatch, space string) {
	e := g.Kept.early
	switch {
	case e.done:
		return
	case e.to == nil:
		as, err := l.s.m.memberOf(context.Background(), l.s, space)
		if err != nil { // the gateway will say so
			e.done, e.raw = true, strings.Builder{}
			return
		}
		e.to, e.call = l.s.run.in(l.s, space, as), l.s.newID("display")
		kind := transcript.KindDisplay
		e.patch(transcript.ToolPatch{Announced: true, Name: &g.Tool, Title: e.title, Kind: &kind, Input: g.Bare(p.Input), InputDelta: e.raw.String(), Drawn: displays.EncodeDrawn(g.Draw, l.s.asksFrom(g))})
		e.raw = strings.Builder{}
	case p.Status != nil && p.Status.Ended(), len(p.Input) > 0 && g.Target(p) != e.to.SpaceID():
		e.withdraw()
	case len(p.Input) > 0 || p.InputDelta != "":
		e.patch(transcript.ToolPatch{Input: g.Bare(p.Input), InputDelta: p.InputDelta})
	}
}

func (e *early) patch(p transcript.ToolPatch) {
	p.ID = e.call
	e.to.Do(len(p.InputDelta)+len(p.Input), func(t target, f *transcript.Fold) {
		f.Apply(&transcript.Update{Kind: transcript.UpdateTool, Tool: &p}, t.m.now())
	})
}

// withdraw ends what was drawn in another space and has come to nothing.
func (e *early) withdraw() {
	if e.to == nil {
		return
	}
	failed, words := transcript.StatusFailed, "It was written, but not shown."
	e.patch(transcript.ToolPatch{Status: &failed, Error: &words})
	e.to, e.done = nil, true
}

// takeAway returns the message in which a display was drawn that now arrives for a space, and its call there; nil if it was not.
func takeAway(g *gateCall, space string) (*message, string) {
	if g == nil || g.Kept.early == nil || g.Kept.early.to == nil {
		return nil, ""
	}
	if g.Kept.early.to.SpaceID() != space { // the agent has thought better of it
		g.Kept.early.withdraw()
		return nil, ""
	}
	return g.Kept.early.to, g.Kept.early.call
}

// undraw takes back what was drawn early of a call that has come to nothing. The lock is held.
func (s *Session) undraw(g *gateCall) {
	if g.Kept.early != nil {
		g.Kept.early.withdraw()
		s.undrawHere(g)
	}
}

// undrawHere makes a row again of a call that was drawn in the own space. The lock is held.
func (s *Session) undrawHere(g *gateCall) {
	e := g.Kept.early
	if e == nil || !e.drawn {
		return
	}
	e.drawn = false
	s.turns.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: &transcript.ToolPatch{ID: g.ID, Title: e.title, Kind: e.rowKind()}}, s.m.now())
}

// rowKind is the kind of the call as a row.
func (e *early) rowKind() *string {
	if e.kind != nil {
		return e.kind
	}
	other := "other"
	return &other
}
