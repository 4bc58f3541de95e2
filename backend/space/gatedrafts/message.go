package gatedrafts

import (
	"strings"

	"github.com/go-json-experiment/json"

	"weft/backend/base/fault"
	"weft/backend/conversation/partialjson"
	"weft/backend/conversation/transcript"
)

// Notes after the text of a message.
const (
	notSent    fault.Template = "The text above was written, but not sent."
	correction fault.Template = "The text above was changed before it was sent. This was sent:"
)

// maxHeld is how many updates of a call are held back until its target space is known.
const maxHeld = 1 << 14

// messageShown is Report for a message to a space. The call is a row if the message goes to another space, and hidden
// if it goes to the own space, which contains the text. Its updates are held back until the space is known. changes
// are what this update adds to the input.
func (d *Drafts[M]) messageShown(g *Call[M], u *transcript.Update, changes []partialjson.Change) *transcript.Update {
	p, k := u.Tool, &g.Kept
	if !g.Taken {
		d.written(g, p, changes)
	}
	over := p.Status != nil && p.Status.Ended()
	if over && !g.Taken && k.sent > 0 {
		d.unsent(g)
	}
	switch {
	case d.space.Shows(p.ID): // already a row: permission was asked, or too many updates were held
		return u
	case k.here && (!over || *p.Status == transcript.StatusCompleted || g.Taken):
		k.held = nil
		return nil
	case k.space == "" && !over && len(k.held) < maxHeld:
		kept := *u // the pointers of u may be kept, u itself may not
		k.held = append(k.held, &kept)
		return nil
	}
	d.ShowHeld(g)
	return u
}

// written shows a message to a space while it is written, once the space is known.
func (d *Drafts[M]) written(g *Call[M], p *transcript.ToolPatch, changes []partialjson.Change) {
	k, was := &g.Kept, g.Kept.space
	if p.InputDelta != "" {
		for _, ch := range changes {
			if ch.Field == "text" {
				k.text.WriteString(ch.Text)
			}
			if ch.Field == "spaceId" && ch.Raw != nil {
				k.space = g.Text("spaceId")
			}
		}
	} else if p.Input != nil {
		var in struct{ SpaceID, Text string }
		if json.Unmarshal(g.Whole, &in, json.MatchCaseInsensitiveNames(true)) != nil {
			return
		}
		if in.SpaceID != "" { // some agents report an empty input in between
			k.space = in.SpaceID
		}
		if rest, ok := strings.CutPrefix(in.Text, k.text.String()); ok {
			k.text.WriteString(rest)
		}
	}
	if k.space != was {
		d.moves(g)
	}
	k.here = k.space == d.spaceID
	if k.space == "" || k.text.Len() == k.sent || k.here && g.Ahead || !d.space.InRun() {
		return
	}
	rest := k.text.String()[k.sent:]
	if k.here {
		k.in = d.space.Own()
		k.in.Apply(&transcript.Update{Kind: transcript.UpdateText, Text: rest, MessageID: g.PartID(), Apart: true, Via: g.ID}, d.space.Now())
		k.sent = k.text.Len()
		return
	}
	k.to = d.space.Elsewhere(k.space) // a different one after a mention
	k.to.Text(g.PartID(), g.ID, rest)
	k.sent = k.text.Len()
}

// moves restarts a message whose target space changed: what is already shown is marked as not sent.
func (d *Drafts[M]) moves(g *Call[M]) {
	k := &g.Kept
	if k.sent > 0 {
		text := k.text.String()
		d.unsent(g)
		k.text.WriteString(text)
	}
	var none M
	k.to, k.in = none, nil
}

// unsent adds a note below the text of a message whose call ended without sending it: the gateway refused it, or the
// agent never made the call.
func (d *Drafts[M]) unsent(g *Call[M]) {
	k := &g.Kept
	k.sent, k.text = 0, strings.Builder{}
	var none M
	if k.to != none {
		k.to.Change(0, func(f *transcript.Fold) {
			f.EndText(g.PartID(), g.ID, true)
			f.Note(fault.Say(notSent))
		})
		return
	}
	k.in.EndText(g.PartID(), g.ID, true)
	k.in.Note(fault.Say(notSent))
}

// ShowHeld shows the updates of a call that were held back, as a row.
func (d *Drafts[M]) ShowHeld(g *Call[M]) {
	held := g.Kept.held
	g.Kept.held = nil
	for _, u := range held {
		d.space.Update(u)
	}
}
