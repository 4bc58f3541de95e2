package gatedrafts

import (
	"strings"

	"weft/backend/fault"
	"weft/backend/transcript"
)

// Text is what is left to show of a message that has arrived at the gateway.
type Text struct {
	Piece string // the id of the text of which it is a part
	Call  string // the agent's call that sends it, "" if that is not known
	Rest  string // what is not shown yet
	wrong string // the id of a text that is shown with other words, "" if there is none
}

// TakeText returns what is left to show of a message with the given text to a space, which has arrived at the gateway. G is its call, nil if that is not
// known. Piece is the id of a text that is not shown at all yet. What is shown of another text, in a message that the run doesn't write to anymore or in
// another space, is said to be not sent.
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

// isCurrent reports whether the run still writes to the message that has the latest of a text.
func (d *Drafts[M]) isCurrent(k *Draft[M]) bool {
	if k.here {
		return k.in == d.space.Own()
	}
	return k.away != nil && k.to == k.away()
}

// Corrects reports whether other words are shown.
func (t *Text) Corrects() bool { return t.wrong != "" }

// Correct says in the message in which other words are shown that they were not sent.
func (t *Text) Correct(f *transcript.Fold) {
	f.EndText(t.wrong, t.Call, true)
	f.Note(fault.Say(correction))
}

// Stay notes that the message is to the own space: it is no row.
func (k *Draft[M]) Stay() { k.here, k.held = true, nil }

// In returns the message of the own space that has the latest of the text; nil if none has.
func (k *Draft[M]) In() *transcript.Fold { return k.in }

// To returns the message in another space that has the latest of the text; the zero value if none has.
func (k *Draft[M]) To() M { return k.to }
