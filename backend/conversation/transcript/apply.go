package transcript

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Conversation holds the messages of a space, rebuilt from its events.
type Conversation struct {
	Messages []*Message
	State    map[StateKey]State
	byID     map[string]*Message
}

// Apply applies an event to the conversation. If the event does not fit the events before it, Apply returns an error
// and changes nothing.
func (c *Conversation) Apply(e *Event) error {
	switch b := e.Body.(type) {
	case *MessageStart:
		if c.byID == nil {
			c.byID = map[string]*Message{}
		}
		if c.byID[b.MessageID] != nil {
			return fmt.Errorf("message %s starts twice", b.MessageID)
		}
		m := &Message{ID: b.MessageID, RunID: b.RunID, Role: b.Role, Author: b.Author, Model: b.Model, CreatedAt: e.At, Segments: []*Segment{}}
		c.byID[m.ID] = m
		c.Messages = append(c.Messages, m)
		return nil
	case *State:
		if c.State == nil {
			c.State = map[StateKey]State{}
		}
		c.State[b.Place()] = *b
		return nil
	case *RunCreated, *RunWaitingTool, *RunCompleted:
		return nil
	case *Error:
		if b.MessageID == "" {
			return nil
		}
	}
	m := c.byID[messageOf(e.Body)]
	if m == nil {
		return fmt.Errorf("%s event %d is for message %q, which hasn't started", e.Body.EventType(), e.Seq, messageOf(e.Body))
	}
	return m.apply(e.At, e.Body)
}

func messageOf(b Body) string {
	switch b := b.(type) {
	case *TextDelta:
		return b.MessageID
	case *TextEnd:
		return b.MessageID
	case *Display:
		return b.MessageID
	case *OpaqueUpdate:
		return b.MessageID
	case *Error:
		return b.MessageID
	case *MessageEnd:
		return b.MessageID
	case interface{ place() At }:
		return b.place().MessageID
	}
	return ""
}

func (a At) place() At { return a }

// Place returns the position in its message that a body belongs to. It returns false for bodies that are not about an
// item of a tool group.
func Place(b Body) (at At, ok bool) {
	p, ok := b.(interface{ place() At })
	if !ok {
		return At{}, false
	}
	return p.place(), true
}

func (m *Message) apply(at int64, body Body) error {
	switch b := body.(type) {
	case *TextDelta:
		s, err := m.segment(b.Segment, SegmentText)
		if err != nil {
			return err
		}
		if s.Text == "" {
			s.Author, s.ParentToolCallID = b.Author, b.ParentToolCallID
		}
		s.Text += b.Content
	case *TextEnd: // the text already has it
	case *Display:
		s, err := m.segment(b.Segment, SegmentDisplay)
		if err != nil {
			return err
		}
		d := b.Display
		s.Display, s.Author, s.ParentToolCallID = &d, b.Author, b.ParentToolCallID
	case *ReasoningDelta:
		it, err := m.item(b.At, ItemThought)
		if err != nil {
			return err
		}
		if it.Text == "" {
			it.StartedAt, it.ParentToolCallID = at, b.ParentToolCallID
		}
		it.Text += b.Content
		it.EndedAt = at
	case *OpaqueUpdate:
		m.Opaque = append(m.Opaque, Opaque{Kind: b.Kind, At: at, Raw: b.Raw, Ref: b.Ref})
	case *Error:
		failure := b.Failure
		m.Error = &failure
	case *MessageEnd:
		m.EndedAt, m.StopReason = at, b.StopReason
		if b.Usage != nil {
			m.Usage = b.Usage
		}
		if b.Model != "" {
			m.Model = b.Model
		}
	default:
		place, ok := Place(body)
		if !ok {
			return fmt.Errorf("%s doesn't belong to a message", body.EventType())
		}
		it, err := m.item(place, ItemToolCall)
		if err != nil {
			return err
		}
		if it.Call == nil {
			it.Call = &ToolCall{}
		}
		ApplyToCall(it.Call, at, body)
	}
	return nil
}

func (m *Message) segment(i int, t SegmentType) (*Segment, error) {
	if i == len(m.Segments) {
		m.Segments = append(m.Segments, &Segment{Type: t})
	}
	if i < 0 || i >= len(m.Segments) || m.Segments[i].Type != t {
		return nil, fmt.Errorf("message %s has no %s segment %d", m.ID, t, i)
	}
	return m.Segments[i], nil
}

func (m *Message) item(at At, t ItemType) (*Item, error) {
	s, err := m.segment(at.Segment, SegmentToolGroup)
	if err != nil {
		return nil, err
	}
	if at.Item == len(s.Items) {
		s.Items = append(s.Items, &Item{Type: t})
	}
	if at.Item < 0 || at.Item >= len(s.Items) || s.Items[at.Item].Type != t {
		return nil, fmt.Errorf("message %s has no %s at item %d of segment %d", m.ID, t, at.Item, at.Segment)
	}
	return s.Items[at.Item], nil
}

// ApplyToCall applies a body to a tool call. It returns false for bodies that are not about a tool call.
func ApplyToCall(c *ToolCall, at int64, body Body) bool {
	switch b := body.(type) {
	case *ToolCallStart:
		*c = ToolCall{
			ID: b.ToolCallID, Name: b.ToolName, NameDerived: b.NameDerived, Title: b.Title, TitleRef: b.TitleRef, Kind: b.Kind, Status: b.Status,
			ParentID: b.ParentToolCallID, StartedAt: at, Input: b.Input, InputRef: b.InputRef,
			Content: b.Content, ContentRef: b.ContentRef, Locations: b.Locations, LocationsRef: b.LocationsRef, Visibility: b.Visibility,
		}
	case *ToolInputDelta:
		c.InputText += b.Delta
	case *ToolOutputDelta:
		if b.TerminalID == "" {
			c.OutputText += b.Delta
		} else if t := c.Terminal(b.TerminalID); t != nil {
			t.append(b.Offset, b.Delta)
		}
	case *TerminalStart:
		if c.Terminal(b.TerminalID) == nil {
			c.Terminals = append(c.Terminals, Terminal{ID: b.TerminalID, Command: b.Command, StartedAt: b.StartedAt, Running: true})
		}
	case *TerminalEnd:
		if t := c.Terminal(b.TerminalID); t != nil {
			t.Running, t.TerminalExit, t.DurationMs, t.Size, t.Ref = false, b.TerminalExit, b.DurationMs, b.Size, b.Ref
		}
	case *ToolCallUpdate:
		if b.Status != nil {
			c.runs(*b.Status, at)
		}
		b.applyTo(c)
	case *ToolCallEnd:
		c.Status, c.Summary, c.ResultCount, c.Error = b.Status, b.Summary, b.ResultCount, ""
		c.ended(b.DurationMs, b.Output, b.OutputRef)
		c.Retryable, c.WasRetried, c.Reported = false, b.WasRetried, ""
	case *ToolCallError:
		c.Status, c.Summary, c.ResultCount, c.Error = StatusFailed, "", nil, b.Error
		c.ended(b.DurationMs, b.Output, b.OutputRef)
		c.Retryable, c.WasRetried, c.Reported = b.Retryable, b.WasRetried, b.Reported
		if b.Status != "" {
			c.Status, c.Summary, c.Error = b.Status, b.Summary, ""
		}
	case *PermissionRequest:
		c.Status = StatusWaiting
		c.Permissions = append(c.Permissions, Permission{RequestID: b.RequestID, Options: b.Options, Reading: b.Reading, ReadingRef: b.ReadingRef, RequestedAt: at})
	case *PermissionResolved:
		c.runs(b.Status, at)
		c.Status = b.Status
		for i := range c.Permissions {
			if p := &c.Permissions[i]; p.RequestID == b.RequestID {
				p.Outcome, p.OptionID, p.By, p.ResolvedAt = b.Outcome, b.OptionID, b.By, at
			}
		}
	default:
		return false
	}
	return true
}

// runs starts the clock of a call when the call begins to run after it was announced or waited for the user.
func (c *ToolCall) runs(next Status, at int64) {
	if next == StatusRunning && (c.Status == StatusPending || c.Status == StatusWaiting) {
		c.StartedAt = at
	}
}

// Terminal returns the call's terminal with this id, or nil.
func (c *ToolCall) Terminal(id string) *Terminal {
	for i := range c.Terminals {
		if c.Terminals[i].ID == id {
			return &c.Terminals[i]
		}
	}
	return nil
}

// append adds a piece of the output. A piece that does not start at the end of the text replaces the text.
func (t *Terminal) append(offset int64, text string) {
	if offset != t.TextStart+int64(len(t.Text)) {
		t.TextStart, t.Text = offset, ""
	}
	t.Text += text
}

func (c *ToolCall) ended(durationMs int64, output jsontext.Value, ref *Ref) {
	c.DurationMs = &durationMs
	if output != nil || ref != nil {
		c.Output, c.OutputRef = output, ref
	}
}

func (b *ToolCallUpdate) applyTo(c *ToolCall) {
	if b.ToolName != nil {
		c.Name, c.NameDerived = *b.ToolName, b.NameDerived
	}
	if b.Title != nil {
		c.Title, c.TitleRef = *b.Title, b.TitleRef
	}
	if b.Kind != nil {
		c.Kind = *b.Kind
	}
	if b.Status != nil {
		c.Status = *b.Status
	}
	if b.ParentToolCallID != nil {
		c.ParentID = *b.ParentToolCallID
	}
	if b.Input != nil || b.InputRef != nil {
		c.Input, c.InputRef, c.InputText = b.Input, b.InputRef, ""
	}
	if b.Output != nil || b.OutputRef != nil {
		c.Output, c.OutputRef = b.Output, b.OutputRef
	}
	if b.Content != nil || b.ContentRef != nil {
		c.Content, c.ContentRef = nil, b.ContentRef
		if b.Content != nil && len(*b.Content) > 0 {
			c.Content = *b.Content
		}
	}
	if b.Locations != nil || b.LocationsRef != nil {
		c.Locations, c.LocationsRef = nil, b.LocationsRef
		if b.Locations != nil && len(*b.Locations) > 0 {
			c.Locations = *b.Locations
		}
	}
	if b.Exit != nil {
		c.Exit = b.Exit
	}
	if b.Summary != nil {
		c.Summary, c.ResultCount = *b.Summary, b.ResultCount
	}
	if b.Error != nil {
		c.Error = *b.Error
	}
	if b.StartedAt != 0 {
		c.StartedAt, c.DurationMs, c.Reported, c.Retryable = b.StartedAt, nil, "", false
	}
	if b.Visibility != "" {
		c.Visibility = shown(b.Visibility)
	}
	if b.Drawn != nil {
		c.Drawn = b.Drawn
	}
}
