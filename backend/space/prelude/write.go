package prelude

import (
	"fmt"
	"strings"

	"weft/backend/base/clip"
	"weft/backend/conversation/transcript"
	"weft/backend/store/pages"
)

// message returns the text of one message. Its pieces are newest first.
func (r *reader) message(pieces []pages.MessageView) string {
	var b strings.Builder
	m := &pieces[0]
	if m.Role == transcript.RoleUser {
		b.WriteString("\n[person]\n")
	} else {
		fmt.Fprintf(&b, "\n[agent %s]\n", line(m.Author.Name))
	}
	var body strings.Builder
	for i := len(pieces) - 1; i >= 0; i-- {
		for k := range pieces[i].Segments {
			r.segment(&body, m.Role, &pieces[i].Segments[k])
		}
	}
	text := body.String()
	if len(text) > maxMessage {
		r.cut = true
		text = clip.Start(text, maxMessage/2) + "\n[… cut here …]\n" + clip.End(text, maxMessage/2)
	}
	b.WriteString(defused(text))
	switch m.StopReason {
	case "", "end_turn":
	case transcript.StopBranched:
		b.WriteString("[not finished]\n")
	default:
		fmt.Fprintf(&b, "[ended: %s]\n", line(m.StopReason))
	}
	return b.String()
}

func (r *reader) segment(b *strings.Builder, role transcript.Role, s *pages.SegmentView) {
	switch s.Type {
	case transcript.SegmentText:
		if s.Author != "" {
			return // a note of Weft, or a repetition of the user's text
		}
		r.said = r.said || role == transcript.RoleAgent
		r.cut = r.cut || s.TextStart > 0
		b.WriteString(s.Text)
		b.WriteString("\n")
	case transcript.SegmentDisplay:
		if d := s.Display; d != nil {
			fmt.Fprintf(b, "(with it: %s)\n", line(d.Type+" "+firstOf(d.Path, d.Name, d.URI)))
		}
	case transcript.SegmentToolGroup:
		if s.FirstItem > 0 {
			fmt.Fprintf(b, "- %d earlier steps\n", s.FirstItem)
			r.cut = true
		}
		for i := range s.Items {
			if c := s.Items[i].Call; c != nil {
				r.said = true
				b.WriteString("- " + callLine(c) + "\n")
			}
		}
	}
}

// callLine describes a tool call in one line.
func callLine(c *transcript.ToolCall) string {
	text := firstOf(c.Title, c.Name, c.Kind)
	if !strings.HasPrefix(text, c.Summary) { // the summary may repeat part of the title
		text += ": " + c.Summary
	}
	if c.Status != transcript.StatusCompleted {
		text += " (" + string(c.Status) + ")"
	}
	return line(text)
}

func firstOf(list ...string) string {
	for _, s := range list {
		if strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}

// line returns s on one line, shortened to maxLine.
func line(s string) string {
	return clip.Text(strings.Join(strings.Fields(s), " "), maxLine)
}

// defused returns text in which the end of the prelude's frame is broken up.
func defused(text string) string {
	return strings.ReplaceAll(text, transcript.PreludeEnd, "</ conversation-so-far>")
}
