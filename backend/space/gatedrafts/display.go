package gatedrafts

import (
	"strings"

	"weft/backend/base/fault"
	"weft/backend/conversation/displays"
	"weft/backend/conversation/transcript"
)

// display is drawn while the model still writes its input, once its target space is known. In the run's own space,
// the agent's updates of the call are drawn as they arrive. In another space, the input is drawn there and the call
// stays a row. The call that arrives at the gateway takes over the display.
type display[M Message] struct {
	title *string // the agent's latest title
	kind  *string

	drawn bool // in the own space

	to    M      // the message in another space in which it is drawn
	away  bool   // it is drawn there
	call  string // its id there
	raw   strings.Builder
	ended bool // not drawn in another space (anymore)
}

// drawnEarly returns an update for the conversation in which the call is drawn as a display if its space is known.
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
	case over && e.drawn: // it never arrived, so make it a row again
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

// drawnAway draws the input so far in another space.
func (d *Drafts[M]) drawnAway(g *Call[M], p *transcript.ToolPatch, space string) {
	e := g.Kept.display
	switch {
	case e.ended:
		return
	case !e.away:
		e.to, e.away, e.call = d.space.Elsewhere(space), true, d.space.NewID("display")
		kind := transcript.KindDisplay
		d.patch(g, transcript.ToolPatch{Announced: true, Name: &g.Tool.Name, Title: e.title, Kind: &kind, Input: g.Bare(p.Input), InputDelta: e.raw.String()}, d.space.From(g.ID))
		e.raw = strings.Builder{}
	case p.Status != nil && p.Status.Ended(), len(p.Input) > 0 && g.Target(p) != e.to.SpaceID():
		d.withdraw(g)
	case len(p.Input) > 0 || p.InputDelta != "":
		d.patch(g, transcript.ToolPatch{Input: g.Bare(p.Input), InputDelta: p.InputDelta}, nil)
	}
}

// patch changes the call of a display in another space. from is set for the first change.
func (d *Drafts[M]) patch(g *Call[M], p transcript.ToolPatch, from *displays.From) {
	e := g.Kept.display
	p.ID = e.call
	to, now := e.to, d.space.Now
	to.Change(len(p.InputDelta)+len(p.Input), func(f *transcript.Fold) {
		if from != nil {
			from.SpaceName = to.HomeTitle()
			p.Drawn = displays.EncodeDrawn(g.Tool.Draw, from)
		}
		f.Apply(&transcript.Update{Kind: transcript.UpdateTool, Tool: &p}, now())
	})
}

// withdraw marks a display in another space as not shown.
func (d *Drafts[M]) withdraw(g *Call[M]) {
	e := g.Kept.display
	if !e.away {
		return
	}
	failed, words := transcript.StatusFailed, fault.Text("It was written, but not shown.")
	d.patch(g, transcript.ToolPatch{Status: &failed, Error: &words}, nil)
	e.away, e.ended = false, true
}

// TakeDisplay returns the message in which an arriving display was already drawn in another space, and its call id
// there. drawn is false if it wasn't. g is its call, or nil if unknown.
func (d *Drafts[M]) TakeDisplay(g *Call[M], spaceID string) (to M, call string, drawn bool) {
	if g == nil || g.Kept.display == nil || !g.Kept.display.away {
		return to, "", false
	}
	e := g.Kept.display
	if e.to.SpaceID() != spaceID { // the agent changed the target
		d.withdraw(g)
		return to, "", false
	}
	return e.to, e.call, true
}

// Undraw removes what was drawn early for a call that failed.
func (d *Drafts[M]) Undraw(g *Call[M]) {
	if g.Kept.display != nil {
		d.withdraw(g)
		d.UndrawHere(g)
	}
}

// UndrawHere turns a call that was drawn in the own space back into a row.
func (d *Drafts[M]) UndrawHere(g *Call[M]) {
	e := g.Kept.display
	if e == nil || !e.drawn {
		return
	}
	e.drawn = false
	d.space.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: &transcript.ToolPatch{ID: g.ID, Title: e.title, Kind: e.rowKind()}})
}

// rowKind returns the kind of the call when it is a row.
func (e *display[M]) rowKind() *string {
	if e.kind != nil {
		return e.kind
	}
	other := "other"
	return &other
}
