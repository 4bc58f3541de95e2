package gatedrafts

import (
	"strings"

	"weft/backend/displays"
	"weft/backend/fault"
	"weft/backend/transcript"
)

// display is one that is drawn while the model still writes its input, once it is known for which space it is meant. In the run's own
// space what the agent says of the call is drawn as it comes; in another one the input is drawn, and the call stays a row. The call
// that arrives at the gateway takes it over.
type display[M Message] struct {
	title *string // as the agent called it last
	kind  *string

	drawn bool // in the own space

	to    M      // the message in another space in which it is drawn
	away  bool   // it is drawn there
	call  string // there
	raw   strings.Builder
	ended bool // it is not drawn in another space (any more)
}

// drawnEarly returns an update of a call as the conversation is to have it.
func (d *Drafts[M]) drawnEarly(g *Call[M], u *transcript.Update) *transcript.Update {
	e, p := g.Kept.display, u.Tool
	if e == nil {
		if !g.Tool.Draws || g.Tool.Acts {
			return u
		}
		e = &display[M]{}
		g.Kept.display = e
	}
	if p.Title != nil {
		e.title = p.Title
	}
	if p.Kind != nil {
		e.kind = p.Kind
	}
	if !e.away && !e.drawn && !e.ended && !g.TooLong() {
		e.raw.WriteString(p.InputDelta)
	}
	over := p.Status != nil && p.Status.Ended()
	space := ""
	if !e.drawn && !e.away && !over {
		space = g.Target(p)
	}
	var change func(*transcript.ToolPatch)
	switch {
	case e.away || space != "" && space != d.spaceID:
		d.drawnAway(g, p, space)
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
			p.Name, p.Kind, p.Drawn = &g.Tool.Name, &kind, displays.EncodeDrawn(g.Tool.Draw, nil)
		}
	default:
		return u
	}
	return u.ChangeTool(change)
}

// drawnAway draws in another space what is known of the input now.
func (d *Drafts[M]) drawnAway(g *Call[M], p *transcript.ToolPatch, space string) {
	e := g.Kept.display
	switch {
	case e.ended:
		return
	case !e.away:
		away, err := d.space.Elsewhere(space)
		if err != nil { // the gateway will say so
			e.ended, e.raw = true, strings.Builder{}
			return
		}
		e.to, e.away, e.call = away(), true, d.space.NewID("display")
		kind := transcript.KindDisplay
		d.patch(e, transcript.ToolPatch{Announced: true, Name: &g.Tool.Name, Title: e.title, Kind: &kind, Input: g.Bare(p.Input), InputDelta: e.raw.String(), Drawn: displays.EncodeDrawn(g.Tool.Draw, d.space.From(g.ID))})
		e.raw = strings.Builder{}
	case p.Status != nil && p.Status.Ended(), len(p.Input) > 0 && g.Target(p) != e.to.SpaceID():
		d.withdraw(e)
	case len(p.Input) > 0 || p.InputDelta != "":
		d.patch(e, transcript.ToolPatch{Input: g.Bare(p.Input), InputDelta: p.InputDelta})
	}
}

func (d *Drafts[M]) patch(e *display[M], p transcript.ToolPatch) {
	p.ID = e.call
	now := d.space.Now
	e.to.Change(len(p.InputDelta)+len(p.Input), func(f *transcript.Fold) {
		f.Apply(&transcript.Update{Kind: transcript.UpdateTool, Tool: &p}, now())
	})
}

// withdraw ends what was drawn in another space and has come to nothing.
func (d *Drafts[M]) withdraw(e *display[M]) {
	if !e.away {
		return
	}
	failed, words := transcript.StatusFailed, fault.Text("It was written, but not shown.")
	d.patch(e, transcript.ToolPatch{Status: &failed, Error: &words})
	e.away, e.ended = false, true
}

// TakeDisplay returns the message in which a display was drawn that now arrives for another space, and its call there. Drawn is false if it was not. G is
// its call, nil if that is not known.
func (d *Drafts[M]) TakeDisplay(g *Call[M], spaceID string) (to M, call string, drawn bool) {
	if g == nil || g.Kept.display == nil || !g.Kept.display.away {
		return to, "", false
	}
	e := g.Kept.display
	if e.to.SpaceID() != spaceID { // the agent has thought better of it
		d.withdraw(e)
		return to, "", false
	}
	return e.to, e.call, true
}

// Undraw takes back what was drawn early of a call that has come to nothing.
func (d *Drafts[M]) Undraw(g *Call[M]) {
	if g.Kept.display != nil {
		d.withdraw(g.Kept.display)
		d.UndrawHere(g)
	}
}

// UndrawHere makes a row again of a call that was drawn in the own space.
func (d *Drafts[M]) UndrawHere(g *Call[M]) {
	e := g.Kept.display
	if e == nil || !e.drawn {
		return
	}
	e.drawn = false
	d.space.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: &transcript.ToolPatch{ID: g.ID, Title: e.title, Kind: e.rowKind()}})
}

// rowKind is the kind of the call as a row.
func (e *display[M]) rowKind() *string {
	if e.kind != nil {
		return e.kind
	}
	other := "other"
	return &other
}
