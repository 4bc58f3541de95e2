// Package rows folds events into the rows of messages, segments, items and runs. It is the only package that writes to
// these tables, except for copies and deletions of whole spaces; backend/store/pages reads them.
//
// A fold's work is proportional to its events, never to what is already stored: text is added in parts, a tool call is
// one bounded row with a second one for its input, content and output, and rows that grow are never rewritten.
package rows

// Location is an item of a group or, with item -1, a text segment.
type Location struct {
	Mid       int64 // the message
	Seg, Item int
}

// TextKey identifies a text that is stored in parts.
type TextKey struct {
	Location
	What int // Text, Input, Output, or Terminal and above
}

// The texts of an item: values of the column item_part.what.
const (
	Text     = 0
	Input    = 1
	Output   = 2
	Terminal = 3 // the output of a call's first terminal; those of the others follow
)

// The counts of a group: values of the column group_count.what.
const (
	CountKind   = 0
	CountStatus = 1
)

// MaxPart is the size of the largest piece of text in one row, in bytes.
const MaxPart = 64 << 10

// At returns the location of an item.
func At(mid int64, seg, item int) Location { return Location{mid, seg, item} }

// Text returns the key of a text of the item.
func (l Location) Text(what int) TextKey { return TextKey{l, what} }

// SegmentText returns the key of the text of a text segment.
func SegmentText(mid int64, seg int) TextKey { return TextKey{Location{mid, seg, -1}, Text} }

// PartsQuery returns the query for the parts of a text: their offsets, times and bytes. The caller adds conditions and
// the order.
func PartsQuery(key TextKey) (query string, args []any) {
	if key.Item < 0 {
		return "SELECT pos, 0, text FROM text_part WHERE mid = ? AND seg = ?", []any{key.Mid, key.Seg}
	}
	return "SELECT pos, at, text FROM item_part WHERE mid = ? AND seg = ? AND item = ? AND what = ?", []any{key.Mid, key.Seg, key.Item, key.What}
}
