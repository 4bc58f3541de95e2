package gatedrafts

import (
	"strings"

	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
)

// Text is the part of an arrived message that isn't shown yet.
type Text struct {
	Piece string // the id of the text that it belongs to
	Call  string // the agent's call that sends it, "" if unknown
	Rest  string // the text that isn't shown yet
	wrong string // the id of a text that is shown with different words, or ""
}

// TakeText returns what is left to show of a message that has arrived at the gateway. g is its call, or nil if
// unknown. piece is the text id to use if nothing of it is shown yet. If a different text was shown in another space,
// or in a message that the run no longer writes to, that is marked as not sent.
func (d *Drafts[M]) TakeText(g *Call[M], spaceID, text, piece string) Text {
	t := Text{Piece: piece, Rest: text}
	if g == nil {
		return t
	}
	t.Call = g.ID
	if k := &g.Kept; k.sent > 0 {
		unseen, ok := strings.CutPrefix(text, k.text.String()[:k.sent])
		switch {
		case k.space != spaceID || !ok && !d.isCurrent(k):
			d.unsent(g)
		case ok:
			t.Piece, t.Rest = g.PartID(), unseen
		default:
			t.wrong = g.PartID()
		}
		k.sent, k.text = 0, strings.Builder{}
	}
	return t
}

// isCurrent reports whether the run still writes to the message with the latest part of the text.
func (d *Drafts[M]) isCurrent(k *Draft[M]) bool {
	if k.here {
		return k.in == d.space.Own()
	}
	var none M
	return k.to != none && k.to == d.space.Elsewhere(k.space)
}

// Corrects reports whether different words are shown.
func (t *Text) Corrects() bool { return t.wrong != "" }

// Correct adds a note to the message that shows different words: they were not sent.
func (t *Text) Correct(f *transcript.Fold) {
	f.EndText(t.wrong, t.Call, true)
	f.Note(fault.Say(correction))
}

// Stay records that the message goes to the own space, so it has no row.
func (k *Draft[M]) Stay() { k.here, k.held = true, nil }

// In returns the message of the own space with the latest part of the text, or nil.
func (k *Draft[M]) In() *transcript.Fold { return k.in }

// To returns the message in another space with the latest part of the text, or the zero value.
func (k *Draft[M]) To() M { return k.to }
