package archive

import (
	"unicode/utf8"

	"weft/backend/base/clip"
	"weft/backend/conversation/transcript"
)

// maxDelta is the maximum size of a delta's text in bytes of JSON. Its event stays below [transcript.MaxEvent].
const maxDelta = 6 << 10

// Each function returns the events of a piece of a message, with only At and Body set. Folded in the order of the
// pieces, they recreate the message.

// Begin returns the events that begin a message.
func Begin(m *transcript.Message) []transcript.Event {
	return []transcript.Event{{At: m.CreatedAt, Body: &transcript.MessageStart{MessageID: m.ID, RunID: m.RunID, Role: m.Role, Author: m.Author, Model: m.Model}}}
}

// End returns the events that end a message. There is no MessageEnd if it hasn't ended.
func End(m *transcript.Message) (list []transcript.Event) {
	if m.Error != nil {
		list = append(list, transcript.Event{At: max(m.EndedAt, m.CreatedAt), Body: &transcript.Error{MessageID: m.ID, RunID: m.RunID, Failure: *m.Error}})
	}
	if m.EndedAt != 0 {
		list = append(list, transcript.Event{At: m.EndedAt, Body: &transcript.MessageEnd{MessageID: m.ID, StopReason: m.StopReason, Usage: m.Usage}})
	}
	return list
}

// Opaque returns the event of an opaque update.
func Opaque(m *transcript.Message, o *transcript.Opaque) []transcript.Event {
	return []transcript.Event{{At: o.At, Body: &transcript.OpaqueUpdate{MessageID: m.ID, Kind: o.Kind, Raw: o.Raw, Ref: o.Ref}}}
}

// Segment returns the events of a text or a display. A group has none.
func Segment(m *transcript.Message, n int, s *transcript.Segment) (list []transcript.Event) {
	switch s.Type {
	case transcript.SegmentText:
		for i, text := range deltas(s.Text) {
			d := &transcript.TextDelta{MessageID: m.ID, Segment: n, Content: text}
			if i == 0 {
				d.Author, d.ParentToolCallID = s.Author, s.ParentToolCallID
			}
			list = append(list, transcript.Event{At: m.CreatedAt, Body: d})
		}
	case transcript.SegmentDisplay:
		if s.Display != nil {
			list = append(list, transcript.Event{At: m.CreatedAt, Body: &transcript.Display{MessageID: m.ID, Segment: n, Display: *s.Display, Author: s.Author, ParentToolCallID: s.ParentToolCallID}})
		}
	case transcript.SegmentToolGroup:
	}
	return list
}

// Item returns the events of an item of a group.
func Item(m *transcript.Message, segment, n int, it *transcript.Item) []transcript.Event {
	at := transcript.At{MessageID: m.ID, Segment: segment, Item: n}
	if it.Call != nil {
		c := caller{at: at, want: it.Call}
		c.call()
		return c.list
	}
	return thought(at, it)
}

// thought returns the events of a thought. The first and the last one have the times of its start and end.
func thought(at transcript.At, it *transcript.Item) (list []transcript.Event) {
	texts := deltas(it.Text)
	if last := texts[len(texts)-1]; it.EndedAt != it.StartedAt && len(texts) == 1 {
		_, n := utf8.DecodeRuneInString(last)
		texts = []string{last[:n], last[n:]} // the second may be empty
	}
	for i, text := range texts {
		d := &transcript.ReasoningDelta{At: at, Content: text}
		when := it.StartedAt
		if i == 0 {
			d.ParentToolCallID = it.ParentToolCallID
		}
		if i > 0 && i == len(texts)-1 {
			when = it.EndedAt
		}
		list = append(list, transcript.Event{At: when, Body: d})
	}
	return list
}

// deltas splits a text into one or more pieces that each fit into an event.
func deltas(text string) (list []string) {
	for {
		n, _ := clip.FitJSON(text, maxDelta)
		if n == len(text) || n == 0 {
			return append(list, text)
		}
		list, text = append(list, text[:n]), text[n:]
	}
}

// caller builds the events of a tool call. It applies each event to have, to know how that still differs from want.
type caller struct {
	at   transcript.At
	want *transcript.ToolCall
	have transcript.ToolCall
	list []transcript.Event
}

// tell adds an event with the start time of the call. Except for permission requests, a call doesn't store other event
// times.
func (c *caller) tell(b transcript.Body) { c.tellAt(c.want.StartedAt, b) }

func (c *caller) tellAt(at int64, b transcript.Body) {
	transcript.ApplyToCall(&c.have, at, b)
	c.list = append(c.list, transcript.Event{At: at, Body: b})
}

func (c *caller) call() {
	w := c.want
	c.tell(&transcript.ToolCallStart{
		At: c.at, ToolCallID: w.ID, ToolName: w.Name, NameDerived: w.NameDerived, Title: w.Title, TitleRef: w.TitleRef, Kind: w.Kind, Status: w.Status,
		Input: w.Input, InputRef: w.InputRef, ParentToolCallID: w.ParentID, Locations: w.Locations, LocationsRef: w.LocationsRef,
		Content: w.Content, ContentRef: w.ContentRef, Visibility: w.Visibility,
	})
	if w.InputText != "" {
		for _, text := range deltas(w.InputText) {
			c.tell(&transcript.ToolInputDelta{At: c.at, ToolCallID: w.ID, Delta: text})
		}
	}
	c.terminals()
	c.permissions()
	c.end()
	if w.Drawn != nil {
		c.tell(&transcript.ToolCallUpdate{At: c.at, ToolCallID: w.ID, Drawn: w.Drawn})
	}
}

func (c *caller) terminals() {
	w := c.want
	if w.OutputText != "" {
		for _, text := range deltas(w.OutputText) {
			c.tell(&transcript.ToolOutputDelta{At: c.at, ToolCallID: w.ID, Delta: text})
		}
	}
	for i := range w.Terminals {
		t := &w.Terminals[i]
		c.tell(&transcript.TerminalStart{At: c.at, ToolCallID: w.ID, TerminalID: t.ID, Command: t.Command, StartedAt: t.StartedAt})
		if t.Text != "" || t.TextStart != 0 {
			offset := t.TextStart
			for _, text := range deltas(t.Text) {
				c.tell(&transcript.ToolOutputDelta{At: c.at, ToolCallID: w.ID, TerminalID: t.ID, Delta: text, Offset: offset})
				offset += int64(len(text))
			}
		}
		if !t.Running {
			c.tell(&transcript.TerminalEnd{At: c.at, ToolCallID: w.ID, TerminalID: t.ID, TerminalExit: t.TerminalExit, DurationMs: t.DurationMs, Size: t.Size, Ref: t.Ref})
		}
	}
	if w.Exit != nil {
		c.tell(&transcript.ToolCallUpdate{At: c.at, ToolCallID: w.ID, Exit: w.Exit})
	}
}

func (c *caller) permissions() {
	w := c.want
	for i := range w.Permissions {
		p := &w.Permissions[i]
		c.tellAt(p.RequestedAt, &transcript.PermissionRequest{At: c.at, ToolCallID: w.ID, RequestID: p.RequestID, Options: p.Options, Reading: p.Reading, ReadingRef: p.ReadingRef})
		if p.Outcome != "" {
			status := w.Status
			if status == transcript.StatusRunning {
				status = transcript.StatusPending // running would start its clock now; end sets the status
			}
			c.tellAt(p.ResolvedAt, &transcript.PermissionResolved{At: c.at, ToolCallID: w.ID, RequestID: p.RequestID, Outcome: p.Outcome, OptionID: p.OptionID, Status: status, By: p.By})
		}
	}
}

// end adds the end of the call and the changes after it.
func (c *caller) end() {
	w := c.want
	if w.DurationMs != nil || w.WasRetried || w.Retryable || w.Reported != "" {
		duration := int64(0)
		if w.DurationMs != nil {
			duration = *w.DurationMs
		}
		switch {
		case w.Status == transcript.StatusCancelled || w.Status == transcript.StatusRejected:
			b := transcript.NotDone(c.at, w.ID, w.Status)
			b.Summary, b.Retryable, b.WasRetried, b.Reported = w.Summary, w.Retryable, w.WasRetried, w.Reported
			b.DurationMs, b.Output, b.OutputRef = duration, w.Output, w.OutputRef
			c.tell(b)
		case w.Status == transcript.StatusFailed || w.Retryable || w.Reported != "":
			c.tell(&transcript.ToolCallError{
				At: c.at, ToolCallID: w.ID, Error: w.Error, Retryable: w.Retryable, WasRetried: w.WasRetried, Reported: w.Reported,
				DurationMs: duration, Output: w.Output, OutputRef: w.OutputRef,
			})
		default:
			status := w.Status
			if !status.Ended() {
				status = transcript.StatusCompleted // the update below corrects it
			}
			c.tell(&transcript.ToolCallEnd{
				At: c.at, ToolCallID: w.ID, Status: status, Summary: w.Summary, ResultCount: w.ResultCount, WasRetried: w.WasRetried,
				DurationMs: duration, Output: w.Output, OutputRef: w.OutputRef,
			})
		}
	}
	u, changed := transcript.ToolCallUpdate{At: c.at, ToolCallID: w.ID}, false
	if (w.Output != nil || w.OutputRef != nil) && c.have.Output == nil && c.have.OutputRef == nil {
		u.Output, u.OutputRef, changed = w.Output, w.OutputRef, true
	}
	if w.Status != c.have.Status {
		u.Status, changed = &w.Status, true
	}
	if w.Summary != c.have.Summary || (w.ResultCount == nil) != (c.have.ResultCount == nil) || w.ResultCount != nil && *w.ResultCount != *c.have.ResultCount {
		u.Summary, u.ResultCount, changed = &w.Summary, w.ResultCount, true
	}
	if w.Error != c.have.Error {
		u.Error, changed = &w.Error, true
	}
	if w.DurationMs == nil && c.have.DurationMs != nil && w.StartedAt != 0 {
		u.StartedAt, changed = w.StartedAt, true
	}
	if changed {
		c.tell(&u)
	}
}
