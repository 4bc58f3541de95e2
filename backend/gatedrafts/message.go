package gatedrafts

import (
	"strings"

	"github.com/go-json-experiment/json"

	"weft/backend/fault"
	"weft/backend/partialjson"
	"weft/backend/transcript"
)

// Notes behind what is shown of a message.
const (
	notSent    fault.Template = "The text above was written, but not sent."
	correction fault.Template = "The text above was changed before it was sent. This was sent:"
)

// maxHeld is how many updates of a call wait until it is known where it writes to.
const maxHeld = 1 << 14

// messageShown is Report for a message to a space: the call is a row if it goes to another space, and not shown if it goes to the own
// one, where its text stands. Until that is known it waits. Changes are what the update brings of its input.
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
	case d.space.Shows(p.ID): // it is a row already: permission was asked, or it waited long enough
		return u
	case k.here && (!over || *p.Status == transcript.StatusCompleted || g.Taken):
		k.held = nil
		return nil
	case k.space == "" && !over && len(k.held) < maxHeld:
		kept := *u // what u points to may be kept, u may not
		k.held = append(k.held, &kept)
		return nil
	}
	d.ShowHeld(g)
	return u
}

// written shows what an agent writes to a space while it writes it. Until the space is known, the text waits.
func (d *Drafts[M]) written(g *Call[M], p *transcript.ToolPatch, changes []partialjson.Change) {
	k, was := &g.Kept, g.Kept.space
	if p.InputDelta != "" {
		for _, ch := range changes {
			if ch.Kind == partialjson.Text && ch.Field == "text" && ch.Path == "" {
				k.text.WriteString(ch.Text)
			}
			if ch.Kind == partialjson.Complete && ch.Field == "spaceId" {
				k.space = g.Text("spaceId")
			}
		}
	} else if p.Input != nil {
		var in struct{ SpaceID, Text string }
		if json.Unmarshal(g.Whole, &in, json.MatchCaseInsensitiveNames(true)) != nil {
			return
		}
		if in.SpaceID != "" { // some agents report an input without arguments meanwhile
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
	if k.away == nil {
		away, err := d.space.Elsewhere(k.space)
		if err != nil {
			k.space = ""
			return
		}
		k.away = away
	}
	k.to = k.away() // another one after a mention
	k.to.Text(g.PartID(), g.ID, rest)
	k.sent = k.text.Len()
}

// moves starts a message over that goes to another space than was known: what is shown of it is said to be not sent.
func (d *Drafts[M]) moves(g *Call[M]) {
	k := &g.Kept
	if k.sent > 0 {
		text := k.text.String()
		d.unsent(g)
		k.text.WriteString(text)
	}
	var none M
	k.away, k.to, k.in = nil, none, nil
}

// unsent says behind what was shown of a message that its call has ended without sending it: the gateway refused it, or the agent
// has not made the call at all.
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

// ShowHeld makes a row of a call that has waited for it.
func (d *Drafts[M]) ShowHeld(g *Call[M]) {
	held := g.Kept.held
	g.Kept.held = nil
	for _, u := range held {
		d.space.Update(u)
	}
}
