package transcript

import (
	"fmt"
	"strings"
)

// dump writes messages as the tests read them.
func dump(c *Conversation) string {
	var b strings.Builder
	for _, m := range c.Messages {
		fmt.Fprintf(&b, "%s", m.Role)
		if m.StopReason != "" {
			fmt.Fprintf(&b, " (%s)", m.StopReason)
		}
		if m.EndedAt == 0 {
			b.WriteString(" …")
		}
		b.WriteByte('\n')
		for _, s := range m.Segments {
			dumpSegment(&b, s)
		}
		for _, o := range m.Opaque {
			fmt.Fprintf(&b, "  opaque %s\n", o.Kind)
		}
		if m.Error != nil {
			fmt.Fprintf(&b, "  error %s: %s\n", m.Error.Code, m.Error.Message)
		}
	}
	return b.String()
}

func dumpSegment(b *strings.Builder, s *Segment) {
	by := ""
	if s.Author != "" {
		by += " by " + s.Author
	}
	if s.ParentToolCallID != "" {
		by += " under " + s.ParentToolCallID
	}
	switch s.Type {
	case SegmentText:
		fmt.Fprintf(b, "  text%s %q\n", by, s.Text)
	case SegmentDisplay:
		fmt.Fprintf(b, "  display%s %s\n", by, s.Display.Type)
	case SegmentToolGroup:
		b.WriteString("  group\n")
		for _, it := range s.Items {
			dumpItem(b, it)
		}
	}
}

func dumpItem(b *strings.Builder, it *Item) {
	if it.Type == ItemThought {
		fmt.Fprintf(b, "    thought %q", it.Text)
		if it.ParentToolCallID != "" {
			fmt.Fprintf(b, " under %s", it.ParentToolCallID)
		}
		b.WriteByte('\n')
		return
	}
	c := it.Call
	fmt.Fprintf(b, "    %s %s", c.ID, c.Status)
	if c.Title != "" {
		fmt.Fprintf(b, " %q", c.Title)
	}
	if c.ParentID != "" {
		fmt.Fprintf(b, " under %s", c.ParentID)
	}
	if c.DurationMs != nil {
		fmt.Fprintf(b, " %dms", *c.DurationMs)
	}
	if c.Summary != "" {
		fmt.Fprintf(b, " — %s", c.Summary)
	}
	if c.Error != "" {
		fmt.Fprintf(b, " ✗ %s", c.Error)
	}
	for _, t := range c.Terminals {
		fmt.Fprintf(b, " [%s %q %d+%q", t.ID, t.Command, t.TextStart, t.Text)
		switch {
		case t.Running:
			b.WriteString(" …")
		case t.Code != nil:
			fmt.Fprintf(b, " = %d", *t.Code)
		default:
			fmt.Fprintf(b, " = %s", t.Signal)
		}
		if t.Ref != nil {
			fmt.Fprintf(b, " last %d of %d", t.Ref.Size, t.Size)
		}
		b.WriteByte(']')
	}
	for _, p := range c.Permissions {
		fmt.Fprintf(b, " ?%s=%s%s", p.RequestID, p.Outcome, p.OptionID)
	}
	b.WriteByte('\n')
}
