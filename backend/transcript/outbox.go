package transcript

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"unsafe"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/clip"
	"weft/backend/transcript/results"
)

// The sizes that keep an event below MaxEvent. They are bytes of JSON.
const (
	maxDelta  = 6 << 10 // of a text, thought, input or output delta
	inlineMax = 1 << 10 // of one text inside a tool event; more leaves as a blob
	maxList   = 1280    // of a list inside a tool event; more leaves as a blob
	maxLabel  = 768     // of a title; more is cut, and kept whole as a blob
	maxNote   = 512     // of a summary or an error
	maxID     = 256     // of an id that an agent made up; more is replaced by its hash
)

// Output is what folding has caused since the last [Outbox.Take].
type Output struct {
	Bodies []Body
	Blobs  []Blob
	// Superseded are hashes of blobs that the messages refer to once less; Blobs has an
	// entry for every reference, also of a blob that is there already.
	Superseded []string
}

// Outbox collects what folding causes, joining deltas of the same place. Several folds
// may share one, so that the order between messages is kept.
type Outbox struct {
	out    Output
	urgent bool
	bytes  int

	held  held
	grows bool // an agent has told an input as it grew

	// The delta that can still grow: its body is the last of out.Bodies.
	open    Body
	buf     []byte // its content so far
	bufSize int    // JSON bytes of buf
}

// Take returns everything collected so far and empties the box.
func (o *Outbox) Take() Output {
	o.seal()
	o.settleStarts()
	out := o.out
	o.out, o.urgent, o.bytes, o.held = Output{}, false, 0, held{}
	return out
}

// Empty reports whether there is nothing to take.
func (o *Outbox) Empty() bool { return len(o.out.Bodies) == 0 }

// Urgent reports whether something is waiting that must be shown at once: anything
// but deltas, intermediate changes of a tool call and the agent's state.
func (o *Outbox) Urgent() bool { return o.urgent }

// Size is about how many bytes of JSON and blobs are waiting.
func (o *Outbox) Size() int { return o.bytes }

// Add puts an event into the box that the fold itself does not make (run_created and the like).
func (o *Outbox) Add(b Body) {
	if _, ok := b.(*ToolCallStart); ok {
		o.begin()
	}
	o.add(b)
}

func (o *Outbox) add(b Body) {
	o.seal()
	o.out.Bodies = append(o.out.Bodies, b)
	o.bytes += 256
	switch b := b.(type) {
	case *ToolCallUpdate, *ToolOutputDelta, *State, *OpaqueUpdate:
	case *ToolCallStart:
		if !o.hold(b) {
			o.hurry()
		}
	default:
		o.hurry()
		if len(o.held.fresh) > 0 {
			at, _ := Place(b) // what the call says from now on comes behind it
			o.held.fresh = slices.DeleteFunc(o.held.fresh, func(s *ToolCallStart) bool { return s.At == at })
		}
	}
}

// hurry has what is in the box shown at once.
func (o *Outbox) hurry() {
	o.urgent = true
	o.settleStarts()
}

// addUpdate puts an update of a call into the box, joining it to the start or the update of the same call that is there. Whole says that an input in it is
// complete, for all that is known.
func (o *Outbox) addUpdate(b *ToolCallUpdate, whole bool) {
	if b = o.intoStart(b, whole); b == nil {
		return
	}
	if last := len(o.out.Bodies) - 1; last >= 0 {
		if prev, ok := o.out.Bodies[last].(*ToolCallUpdate); ok && prev.At == b.At && prev.Status == nil && prev.Drawn == nil && o.open == nil {
			merge(prev, b)
			return
		}
	}
	o.add(b)
}

// merge lays b over prev: both change the same call, and nobody has seen prev yet.
func merge(prev, b *ToolCallUpdate) {
	if b.ToolName != nil {
		prev.ToolName, prev.NameDerived = b.ToolName, b.NameDerived
	}
	if b.Title != nil {
		prev.Title, prev.TitleRef = b.Title, b.TitleRef
	}
	if b.Kind != nil {
		prev.Kind = b.Kind
	}
	if b.ParentToolCallID != nil {
		prev.ParentToolCallID = b.ParentToolCallID
	}
	if b.Input != nil || b.InputRef != nil {
		prev.Input, prev.InputRef = b.Input, b.InputRef
	}
	if b.Output != nil || b.OutputRef != nil {
		prev.Output, prev.OutputRef = b.Output, b.OutputRef
	}
	if b.Content != nil || b.ContentRef != nil {
		prev.Content, prev.ContentRef = b.Content, b.ContentRef
	}
	if b.Locations != nil || b.LocationsRef != nil {
		prev.Locations, prev.LocationsRef = b.Locations, b.LocationsRef
	}
	if b.Summary != nil {
		prev.Summary, prev.ResultCount = b.Summary, b.ResultCount
	}
	if b.Exit != nil {
		prev.Exit = b.Exit
	}
	if b.Error != nil {
		prev.Error = b.Error
	}
	if b.Visibility != "" {
		prev.Visibility = b.Visibility
	}
}

func (o *Outbox) supersede(r *Ref) {
	if r != nil {
		o.out.Superseded = append(o.out.Superseded, r.Hash)
	}
}

// seal writes the content of the open delta into its body.
func (o *Outbox) seal() {
	if o.open == nil {
		return
	}
	content := string(o.buf)
	switch b := o.open.(type) {
	case *TextDelta:
		b.Content = content
	case *ReasoningDelta:
		b.Content = content
	case *ToolInputDelta:
		b.Delta = content
	case *ToolOutputDelta:
		b.Delta = content
	}
	o.open, o.buf, o.bufSize = nil, o.buf[:0], 0
}

// extend appends s to the open delta if that is a delta of the same place, as told by
// same; it opens new deltas for what does not fit, made by fresh, which is told how many bytes of s
// are still to come.
func (o *Outbox) extend(s string, same func(Body) bool, fresh func(rest int) Body) {
	for len(s) > 0 {
		if o.open == nil || !same(o.open) || o.bufSize >= maxDelta {
			o.seal()
			o.open = fresh(len(s))
			o.out.Bodies = append(o.out.Bodies, o.open)
			o.bytes += 128
		}
		n, size := clip.FitJSON(s, maxDelta-o.bufSize)
		if n == 0 {
			o.bufSize = maxDelta // full: the next round opens another
			continue
		}
		o.buf = append(o.buf, s[:n]...)
		o.bufSize += size
		o.bytes += n
		s = s[n:]
	}
}

// store makes a blob of data and returns its reference.
func (o *Outbox) store(data []byte, mime string) *Ref {
	sum := sha256.Sum256(data)
	r := Ref{Hash: hex.EncodeToString(sum[:]), Size: int64(len(data)), Mime: mime}
	o.out.Blobs = append(o.out.Blobs, Blob{Ref: r, Data: data})
	o.bytes += len(data)
	return &r
}

// text keeps s inline if it is short, otherwise stores it.
func (o *Outbox) text(s, mime string) (string, *Ref) {
	if n, _ := clip.FitJSON(s, inlineMax); n == len(s) {
		return s, nil
	}
	return "", o.store(bytesOf(s), mime)
}

// bytesOf returns s without copying it: a large text is in memory once. Nobody changes the data of a blob.
func bytesOf(s string) []byte {
	return unsafe.Slice(unsafe.StringData(s), len(s)) //nolint:gosec // only read
}

// value keeps v inline if it is short, otherwise stores it.
func (o *Outbox) value(v jsontext.Value) (jsontext.Value, *Ref) {
	if len(v) <= inlineMax {
		return v, nil
	}
	return nil, o.store(v, mimeJSON)
}

// Large is a payload of an event that is written without a fold, where it is too large to be in it.
func Large(v jsontext.Value) (blob Blob, large bool) {
	if len(v) <= inlineMax {
		return blob, false
	}
	var o Outbox
	ref := o.store(v, mimeJSON)
	return Blob{Ref: *ref, Data: v}, true
}

// label cuts a title that is too long for a row, keeping the whole as a blob.
func (o *Outbox) label(s string) (string, *Ref) {
	short := clip.JSON(s, maxLabel)
	if len(short) == len(s) {
		return s, nil
	}
	return short + "…", o.store([]byte(s), mimeText)
}

// content moves large texts, images and sounds of the pieces out and returns the list as it goes into an event.
func (o *Outbox) content(list []Content) []Content {
	out := make([]Content, len(list))
	for i, c := range list {
		mime := c.Mime
		if mime == "" {
			mime = mimeText
		}
		if c.Type == "image" || c.Type == "audio" {
			if data, err := base64.StdEncoding.DecodeString(c.Text); err == nil && c.Text != "" {
				c.Text, c.Ref = "", o.store(data, mime)
			}
		}
		if c.Ref == nil {
			c.Text, c.Ref = o.text(c.Text, mimeText)
		}
		if c.Type == "diff" {
			c.Added, c.Removed = results.DiffStat(c.OldText, c.NewText)
			c.OldText, c.OldRef = o.text(c.OldText, mimeText)
			c.NewText, c.NewRef = o.text(c.NewText, mimeText)
		}
		if len(c.Raw) > inlineMax {
			c.Ref, c.Raw = o.store(c.Raw, mimeJSON), nil
		}
		out[i] = c
	}
	return out
}

// boundedList returns list as it is, or, where it is too large for an event, its reference.
func boundedList[T any](o *Outbox, list []T) ([]T, *Ref) {
	b, err := json.Marshal(list, wire)
	if err != nil || len(b) <= maxList {
		return list, nil
	}
	return nil, o.store(b, mimeJSON)
}

const (
	mimeText = "text/plain; charset=utf-8"
	mimeJSON = "application/json"
)

// boundID keeps ids that an agent made up from growing an event.
func boundID(id string) string {
	if n, _ := clip.FitJSON(id, maxID); n == len(id) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return clip.JSON(id, 64) + "…" + hex.EncodeToString(sum[:])
}

// SetState puts the event into the box that replaces one part of the state of the space, or of a member.
func (o *Outbox) SetState(key StateKey, memberID string, value []byte) {
	o.state(State{Key: key, MemberID: MemberField(memberID)}, value)
}
