package archive

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/clip"
	"weft/backend/conversation/transcript"
)

// Maximum sizes of inline values in an event, in bytes of JSON. They are three times those of package transcript,
// because an invalid UTF-8 byte is stored as a character of three bytes. Documents written by Weft never exceed them.
// In others, larger values become blobs.
const (
	inlineMax  = 3 << 10
	maxList    = 3 * 1280
	maxReading = 3 * 4 << 10
	maxLabel   = 3 * 768
	maxNote    = 3 << 10
	maxState   = 3 * 4 << 10
	maxID      = 3*256 + 128
)

const (
	mimeText = "text/plain; charset=utf-8"
	mimeJSON = "application/json"
)

// Bounds replaces values that are too large for an event with references, and collects the payloads in Blobs.
type Bounds struct{ Blobs []transcript.Blob }

func (b *Bounds) store(data []byte, mime string) *transcript.Ref {
	sum := sha256.Sum256(data)
	ref := transcript.Ref{Hash: hex.EncodeToString(sum[:]), Size: int64(len(data)), Mime: mime}
	b.Blobs = append(b.Blobs, transcript.Blob{Ref: ref, Data: data})
	return &ref
}

func fits(s string, most int) bool {
	n, _ := clip.FitJSON(s, most)
	return n == len(s)
}

func (b *Bounds) text(s *string, ref **transcript.Ref) {
	if *ref == nil && !fits(*s, inlineMax) {
		*ref, *s = b.store([]byte(*s), mimeText), ""
	}
}

func (b *Bounds) value(v *jsontext.Value, ref **transcript.Ref, most int) {
	if len(*v) > most {
		if *ref == nil {
			*ref = b.store(*v, mimeJSON)
		}
		*v = nil
	}
}

// note truncates a text that can't become a blob.
func note(s *string, most int) {
	if !fits(*s, most) {
		*s = clip.JSON(*s, most-3) + "…"
	}
}

// Content bounds a piece of content.
func (b *Bounds) Content(c *transcript.Content) {
	b.text(&c.Text, &c.Ref)
	b.text(&c.OldText, &c.OldRef)
	b.text(&c.NewText, &c.NewRef)
	for _, s := range []*string{&c.Type, &c.Path, &c.URI, &c.Name, &c.Mime, &c.Terminal} {
		note(s, maxNote)
	}
	b.value(&c.Raw, &c.Ref, inlineMax)
}

// Call bounds a tool call.
func (b *Bounds) Call(c *transcript.ToolCall) {
	for _, s := range []*string{&c.ID, &c.ParentID, &c.Name, &c.Kind, &c.Visibility} {
		note(s, maxID)
	}
	if !fits(c.Title, maxLabel) {
		if c.TitleRef == nil {
			c.TitleRef = b.store([]byte(c.Title), mimeText)
		}
		c.Title = clip.JSON(c.Title, maxLabel-3) + "…"
	}
	note(&c.Summary, maxNote)
	note(&c.Error, maxNote)
	b.value(&c.Input, &c.InputRef, inlineMax)
	b.value(&c.Output, &c.OutputRef, inlineMax)
	if len(c.Drawn) > 3*transcript.MaxDrawn {
		c.Drawn = nil
	}
	for i := range c.Content {
		b.Content(&c.Content[i])
	}
	if raw := large(c.Content, c.ContentRef); raw != nil {
		c.ContentRef, c.Content = b.store(raw, mimeJSON), nil
	}
	if raw := large(c.Locations, c.LocationsRef); raw != nil {
		c.LocationsRef, c.Locations = b.store(raw, mimeJSON), nil
	}
	for i := range c.Terminals {
		t := &c.Terminals[i]
		note(&t.ID, maxID)
		note(&t.Command, maxNote)
		note(&t.Signal, maxID)
	}
	for i := range c.Permissions {
		p := &c.Permissions[i]
		b.value(&p.Reading, &p.ReadingRef, maxReading)
		note(&p.RequestID, maxID)
		note(&p.OptionID, maxID)
		if raw, err := json.Marshal(p.Options, lenient); err == nil && len(raw) > maxState {
			p.Options = nil
		}
	}
}

// large returns the JSON of a list that is too large for an event, or nil.
func large[T any](list []T, ref *transcript.Ref) []byte {
	if ref != nil || len(list) == 0 {
		return nil
	}
	raw, err := json.Marshal(list, lenient)
	if err != nil || len(raw) <= maxList {
		return nil
	}
	return raw
}

// Item bounds an item.
func (b *Bounds) Item(it *transcript.Item) {
	note(&it.ParentToolCallID, maxID)
	if it.Call != nil {
		b.Call(it.Call)
	}
}

// Segment bounds a segment.
func (b *Bounds) Segment(s *transcript.Segment) {
	note(&s.Author, maxID)
	note(&s.ParentToolCallID, maxID)
	if s.Display != nil {
		b.Content(s.Display)
	}
}

// Opaque bounds an opaque update.
func (b *Bounds) Opaque(o *transcript.Opaque) {
	note(&o.Kind, maxID)
	b.value(&o.Raw, &o.Ref, inlineMax)
}

// Message bounds the beginning and the end of a message.
func (b *Bounds) Message(m *transcript.Message) {
	for _, s := range []*string{&m.RunID, &m.Model, &m.StopReason, &m.Author.Kind, &m.Author.ID, &m.Author.Name, &m.Author.MemberID} {
		note(s, maxID)
	}
	if len(m.Usage) > maxState {
		m.Usage = nil
	}
	failure(m.Error)
}

// Run bounds a run.
func (b *Bounds) Run(r *Run) {
	for _, s := range []*string{&r.ID, &r.MessageID, &r.AgentID, &r.AgentName, &r.MemberID, &r.Model, &r.PromptID, &r.StopReason, &r.Home} {
		note(s, maxID)
	}
	if len(r.Usage) > maxState {
		r.Usage = nil
	}
	failure(r.Error)
}

func failure(f *transcript.Failure) {
	if f == nil {
		return
	}
	note(&f.Code, maxID)
	note(&f.Message, 4<<10)
	note(&f.Detail, 13<<10)
}

// State bounds a part of the state.
func (b *Bounds) State(s *StateValue) {
	if len(s.Value) > maxState {
		s.Ref, s.Value = b.store(s.Value, mimeJSON), nil
	}
}
