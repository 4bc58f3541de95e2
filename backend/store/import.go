package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/go-json-experiment/json"

	"weft/backend/transcript"
)

// Flat is a message in the form that other programs and earlier versions keep: a text and
// a list of tool calls, without the order between them.
type Flat struct {
	ID         string // "": one is made
	Role       transcript.Role
	Author     transcript.Author
	Model      string
	CreatedAt  int64 // unix ms
	StopReason string
	Thinking   string
	Content    string
	ToolCalls  []transcript.ToolCall
}

// ImportFlat appends flat messages as ended ones. As nothing tells the order, each is read back as one
// tool group (the thinking, then the calls) and then one text.
func (s *Store) ImportFlat(ctx context.Context, spaceID string, messages ...Flat) error {
	for i := range messages {
		a := flatAppend(&messages[i])
		a.SpaceID = spaceID
		if _, err := s.Append(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

// deltaBytes keeps an event of imported text below MaxEvent, whatever JSON makes of it
// (at worst six bytes for one).
const deltaBytes = 1 << 10

// inlineBytes is the most that a payload of an imported call has inside its event.
const inlineBytes = 1 << 10

func flatAppend(f *Flat) Append {
	if f.ID == "" {
		f.ID = newID()
	}
	a := Append{At: max(f.CreatedAt, 1), MessageID: f.ID}
	a.add(&transcript.MessageStart{MessageID: f.ID, Role: f.Role, Author: f.Author, Model: f.Model})
	segment, item := 0, 0
	if f.Thinking != "" {
		for _, piece := range pieces(f.Thinking) {
			a.add(&transcript.ReasoningDelta{At: transcript.At{MessageID: f.ID}, Content: piece})
		}
		item++
	}
	for i := range f.ToolCalls {
		a.addCall(transcript.At{MessageID: f.ID, Item: item}, &f.ToolCalls[i])
		item++
	}
	if item > 0 {
		segment++
	}
	for _, piece := range pieces(f.Content) {
		a.add(&transcript.TextDelta{MessageID: f.ID, Segment: segment, Content: piece})
	}
	a.add(&transcript.MessageEnd{MessageID: f.ID, StopReason: f.StopReason})
	return a
}

func (a *Append) add(b transcript.Body) { a.Bodies = append(a.Bodies, b) }

func (a *Append) addCall(at transcript.At, c *transcript.ToolCall) {
	kind := c.Kind
	if kind == "" {
		kind = "other"
	}
	a.add(&transcript.ToolCallStart{
		At: at, ToolCallID: c.ID, ToolName: c.Name, Title: c.Title, Kind: kind,
		Status: transcript.StatusRunning, ParentToolCallID: c.ParentID, Visibility: c.Visibility,
	})
	if c.Drawn != nil && len(c.Drawn) <= transcript.MaxDrawn {
		a.add(&transcript.ToolCallUpdate{At: at, ToolCallID: c.ID, Drawn: c.Drawn})
	}
	u := &transcript.ToolCallUpdate{At: at, ToolCallID: c.ID}
	u.Input, u.InputRef = c.Input, a.blob(c.Input)
	if u.InputRef != nil {
		u.Input = nil
	}
	u.Output, u.OutputRef = c.Output, a.blob(c.Output)
	if u.OutputRef != nil {
		u.Output = nil
	}
	if len(c.Content) > 0 {
		list, _ := json.Marshal(c.Content, lenient)
		if u.ContentRef = a.blob(list); u.ContentRef == nil {
			u.Content = &c.Content
		}
	}
	if len(c.Locations) > 0 {
		list, _ := json.Marshal(c.Locations, lenient)
		if u.LocationsRef = a.blob(list); u.LocationsRef == nil {
			u.Locations = &c.Locations
		}
	}
	a.add(u)
	var duration int64
	if c.DurationMs != nil {
		duration = *c.DurationMs
	}
	if c.Status == transcript.StatusFailed {
		a.add(&transcript.ToolCallError{At: at, ToolCallID: c.ID, Error: c.Error, DurationMs: duration})
		return
	}
	status := c.Status
	if !status.Ended() {
		status = transcript.StatusCompleted
	}
	a.add(&transcript.ToolCallEnd{At: at, ToolCallID: c.ID, Status: status, Summary: c.Summary, ResultCount: c.ResultCount, DurationMs: duration})
}

// blob makes a blob of b if it is too large for an event.
func (a *Append) blob(b []byte) *transcript.Ref {
	if len(b) <= inlineBytes {
		return nil
	}
	sum := sha256.Sum256(b)
	ref := transcript.Ref{Hash: hex.EncodeToString(sum[:]), Size: int64(len(b)), Mime: "application/json"}
	a.Blobs = append(a.Blobs, transcript.Blob{Ref: ref, Data: b})
	return &ref
}

// pieces cuts s into pieces of at most deltaBytes, at characters.
func pieces(s string) (list []string) {
	for len(s) > deltaBytes {
		n := len(toRune([]byte(s[:deltaBytes])))
		list, s = append(list, s[:n]), s[n:]
	}
	if s != "" {
		list = append(list, s)
	}
	return list
}
