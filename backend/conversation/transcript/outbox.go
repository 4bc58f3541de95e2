package transcript

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"unsafe"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/clip"
	"weft/backend/conversation/transcript/results"
)

// Limits that keep an event below MaxEvent, in bytes of JSON.
const (
	maxDelta  = 6 << 10 // of a text, thought, input or output delta
	inlineMax = 1 << 10 // of one text inside a tool event; a longer one becomes a blob
	maxList   = 1280    // of a list inside a tool event; a longer one becomes a blob
	maxLabel  = 768     // of a title; a longer one is truncated, with the whole title as a blob
	maxNote   = 512     // of a summary or an error
	maxID     = 256     // of an agent's id; a longer one is replaced by its hash
)

// Output is the result of folding since the last [Outbox.Take].
type Output struct {
	Bodies []Body
	Blobs  []Blob
	// Superseded has the hash of a blob for each reference that the messages dropped. Blobs has an entry for each new
	// reference, even if the blob is stored already.
	Superseded []string
}

// Outbox collects the events that folding causes, and joins deltas at the same position. Several folds may share an
// Outbox to keep the order between messages.
type Outbox struct {
	out    Output
	urgent bool
	bytes  int

	held  held
	grows bool // an agent sent an input that grows

	// The delta that can still grow. Its body is the last of out.Bodies.
	open    Body
	buf     []byte // its content so far
	bufSize int    // JSON bytes of buf
}

// Take returns the collected output and empties the box.
func (o *Outbox) Take() Output {
	o.seal()
	o.settleStarts()
	out := o.out
	o.out, o.urgent, o.bytes, o.held = Output{}, false, 0, held{}
	return out
}

// Empty reports whether the box is empty.
func (o *Outbox) Empty() bool { return len(o.out.Bodies) == 0 }

// Urgent reports whether the box has something to show at once: anything except deltas, intermediate changes of a tool
// call, and the agent's state.
func (o *Outbox) Urgent() bool { return o.urgent }

// Size returns the approximate size of the collected JSON and blobs, in bytes.
func (o *Outbox) Size() int { return o.bytes }

// Add adds an event that the fold itself does not make (run_created and the like).
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
			o.markUrgent()
		}
	default:
		o.markUrgent()
		if len(o.held.fresh) > 0 {
			at, _ := Place(b) // later reports about the call stay after this event
			o.held.fresh = slices.DeleteFunc(o.held.fresh, func(s *ToolCallStart) bool { return s.At == at })
		}
	}
}

// markUrgent makes the content of the box urgent.
func (o *Outbox) markUrgent() {
	o.urgent = true
	o.settleStarts()
}

// addUpdate adds an update of a call, merging it into the start or update of the same call in the box. whole says that
// its input is complete as far as known.
func (o *Outbox) addUpdate(b *ToolCallUpdate, whole bool) {
	if b = o.mergeIntoStart(b, whole); b == nil {
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

// merge merges b into prev. Both change the same call, and prev has not been sent.
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

// seal writes the open delta's content into its body.
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

// extend appends s to the open delta if same reports that it has the same position. For the rest it opens new deltas
// made by fresh, which gets the number of remaining bytes.
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

// store stores data as a blob and returns its reference.
func (o *Outbox) store(data []byte, mime string) *Ref {
	sum := sha256.Sum256(data)
	r := Ref{Hash: hex.EncodeToString(sum[:]), Size: int64(len(data)), Mime: mime}
	o.out.Blobs = append(o.out.Blobs, Blob{Ref: r, Data: data})
	o.bytes += len(data)
	return &r
}

// text keeps a short s inline and stores a long one as a blob.
func (o *Outbox) text(s, mime string) (string, *Ref) {
	if n, _ := clip.FitJSON(s, inlineMax); n == len(s) {
		return s, nil
	}
	return "", o.store(bytesOf(s), mime)
}

// bytesOf returns the bytes of s without copying, so that a large text is in memory only once. Blob data is never
// modified.
func bytesOf(s string) []byte {
	return unsafe.Slice(unsafe.StringData(s), len(s)) //nolint:gosec // only read
}

// value keeps a short v inline and stores a long one as a blob.
func (o *Outbox) value(v jsontext.Value) (jsontext.Value, *Ref) {
	if len(v) <= inlineMax {
		return v, nil
	}
	return nil, o.store(v, mimeJSON)
}

// Large returns v as a blob if it is too large for an event that is written without a fold.
func Large(v jsontext.Value) (blob Blob, large bool) {
	if len(v) <= inlineMax {
		return blob, false
	}
	var o Outbox
	ref := o.store(v, mimeJSON)
	return Blob{Ref: *ref, Data: v}, true
}

// label truncates a title that is too long for a row, and stores the whole title as a blob.
func (o *Outbox) label(s string) (string, *Ref) {
	short := clip.JSON(s, maxLabel)
	if len(short) == len(s) {
		return s, nil
	}
	return short + "…", o.store([]byte(s), mimeText)
}

// content moves large texts, images and audio into blobs and returns the list for an event.
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

// boundedList returns list, or its reference if it is too large for an event.
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

// boundID limits the length of an agent's id.
func boundID(id string) string {
	if n, _ := clip.FitJSON(id, maxID); n == len(id) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return clip.JSON(id, 64) + "…" + hex.EncodeToString(sum[:])
}

// SetState adds the event that replaces one part of the state of the space or of a member.
func (o *Outbox) SetState(key StateKey, memberID string, value []byte) {
	o.state(State{Key: key, MemberID: MemberField(memberID)}, value)
}
