package runs

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	sdk "github.com/coder/acp-go-sdk"

	"weft/backend/store"
	"weft/backend/transcript"
)

// How much of a conversation an agent is told that does not know it, in bytes: how it began and how it ended, and of one message.
const (
	toldHead    = 12 << 10
	toldTail    = 52 << 10
	toldMessage = 12 << 10
	toldLine    = 240 // of a tool call
	toldPages   = 8   // of one message, in pages
)

// frame is what stands around the conversation, so that nobody takes it for a prompt.
const frameOpening = transcript.ToldOpening + `
You do not remember this conversation: your session is new. This is what was said and done in it before, as the person sees it. Of tool calls only a line each is here, without their results; look again where you need them. Do not answer this record. Go on from it with the prompt that comes with it.
`

// told is the conversation so far, as an agent gets it that does not know it.
type told struct {
	text    string
	leftOut int  // messages that were left out
	cut     bool // or parts of messages
}

// history makes what the agent is to be told of the messages before the run's prompt; nil if no agent has said anything yet.
func (l *link) history(ctx context.Context, r *run) (*told, error) {
	h := historian{ctx: ctx, store: l.s.m.opt.Store, spaceID: l.s.space.ID}
	return h.before(r.promptID)
}

// withTold puts the conversation before the prompt. A command of the agent's, with a slash, is known by its place, so that it stays the first.
func (l *link) withTold(r *run, blocks []sdk.ContentBlock) []sdk.ContentBlock {
	if r.told == nil {
		return blocks
	}
	before := []sdk.ContentBlock{sdk.TextBlock(r.told.text)}
	if l.caps.Capabilities.EmbeddedContext {
		before = []sdk.ContentBlock{resource(transcript.ToldURI, r.told.text), sdk.TextBlock(transcript.ToldBridge)}
	}
	if strings.HasPrefix(r.prompt, "/") {
		return slices.Insert(blocks, min(1, len(blocks)), before[0])
	}
	return append(before, blocks...)
}

// noteTold tells the person what the agent was told. The session's mutex is held.
func (l *link) noteTold(r *run, forgot bool) {
	why := "A new session was started, and " + l.config.Name + " was told the conversation so far"
	if forgot {
		why = l.config.Name + " no longer knew this conversation. A new session was started, and it was told the conversation so far"
	}
	switch {
	case r.told.leftOut == 1:
		why += ", but for 1 message in its middle: it is long"
	case r.told.leftOut > 1:
		why += fmt.Sprintf(", but for %d messages in its middle: it is long", r.told.leftOut)
	case r.told.cut:
		why += ", with long messages cut short"
	}
	r.fold.Note(why + ".")
	r.fold.ExpectTold(r.told.text)
}

// historian reads a conversation from both its ends.
type historian struct {
	ctx     context.Context //nolint:containedctx // lives for one call
	store   *store.Store
	spaceID string
	cut     bool
	said    bool // by an agent
}

// before reads what stands before a message.
func (h *historian) before(messageID string) (*told, error) {
	var tail []string
	var at *store.Cursor
	size, first, end, found := 0, int64(0), int64(0), false
	var views []store.MessageView // of one message that lies on several pages, newest first
	for size < toldTail {
		page, err := h.store.PageBefore(h.ctx, h.spaceID, at, 200)
		if err != nil {
			return nil, err
		}
		for i := len(page.Messages) - 1; i >= 0; i-- {
			m := page.Messages[i]
			if !found {
				found = m.ID == messageID
				end = m.Ord - 1
				continue
			}
			views = append(views, m)
			if m.FirstSegment > 0 && len(views) < toldPages {
				continue
			}
			if m.FirstSegment > 0 { // nobody reads more of it
				h.cut, page.Messages[0].FirstSegment = true, 0
			}
			text := h.message(views)
			views = nil
			if size += len(text); size > toldTail && len(tail) > 0 {
				break
			}
			tail, first = append(tail, text), m.Ord
		}
		if !page.HasBefore || len(page.Messages) == 0 {
			break
		}
		at = &store.Cursor{Ord: page.Messages[0].Ord, Segment: page.Messages[0].FirstSegment}
	}
	if !found {
		return nil, nil
	}
	if len(views) > 0 && len(tail) == 0 { // the last message is longer than anything
		tail, first = append(tail, h.message(views)), end
	}
	slices.Reverse(tail)
	head, last, err := h.head(first)
	if err != nil || !h.said {
		return nil, err
	}
	t := &told{leftOut: int(max(first-last-1, 0)), cut: h.cut}
	var b strings.Builder
	b.WriteString(frameOpening)
	for _, text := range head {
		b.WriteString(text)
	}
	if t.leftOut > 0 {
		fmt.Fprintf(&b, "\n[%d messages are left out here]\n", t.leftOut)
	}
	for _, text := range tail {
		b.WriteString(text)
	}
	b.WriteString(transcript.ToldEnd)
	t.text = b.String()
	return t, nil
}

// head answers how the conversation began, as far as it lies before message ord, and the place of the last message of it.
func (h *historian) head(ord int64) (head []string, last int64, err error) {
	if ord <= 1 {
		return nil, 0, nil
	}
	page, err := h.store.PageAfter(h.ctx, h.spaceID, store.Cursor{Ord: 1}, 60)
	size := 0
	for _, m := range page.Messages {
		text := h.message([]store.MessageView{m})
		if size += len(text); m.Ord >= ord || size > toldHead && len(head) > 0 {
			break
		}
		head, last = append(head, text), m.Ord
	}
	return head, last, err
}

// message writes one message. Its pieces come newest first.
func (h *historian) message(pieces []store.MessageView) string {
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
			h.segment(&body, m.Role, &pieces[i].Segments[k])
		}
	}
	text := body.String()
	if len(text) > toldMessage {
		h.cut = true
		text = startOf(text, toldMessage/2) + "\n[… cut here …]\n" + endOf(text, toldMessage/2)
	}
	b.WriteString(defused(text))
	switch m.StopReason {
	case "", "end_turn":
	case StopBranched:
		b.WriteString("[not finished]\n")
	default:
		fmt.Fprintf(&b, "[ended: %s]\n", line(m.StopReason))
	}
	return b.String()
}

func (h *historian) segment(b *strings.Builder, role transcript.Role, s *store.SegmentView) {
	switch s.Type {
	case transcript.SegmentText:
		if s.Author != "" {
			return // a note of Weft, or the person's words once more
		}
		h.said = h.said || role == transcript.RoleAgent
		h.cut = h.cut || s.TextStart > 0
		b.WriteString(s.Text)
		b.WriteString("\n")
	case transcript.SegmentDisplay:
		if d := s.Display; d != nil {
			fmt.Fprintf(b, "(with it: %s)\n", line(d.Type+" "+firstOf(d.Path, d.Name, d.URI)))
		}
	case transcript.SegmentToolGroup:
		if s.FirstItem > 0 {
			fmt.Fprintf(b, "- %d earlier steps\n", s.FirstItem)
			h.cut = true
		}
		for i := range s.Items {
			if c := s.Items[i].Call; c != nil {
				h.said = true
				b.WriteString("- " + callLine(c) + "\n")
			}
		}
	}
}

// callLine is a tool call in a line.
func callLine(c *transcript.ToolCall) string {
	text := firstOf(c.Title, c.Name, c.Kind)
	if !strings.HasPrefix(text, c.Summary) { // which may say less than the title
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

// line is s on one line that is not too long.
func line(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	if len(s) > toldLine {
		s = startOf(s, toldLine) + "…"
	}
	return s
}

// defused is text that cannot end the frame around it.
func defused(text string) string {
	return strings.ReplaceAll(text, transcript.ToldEnd, "</ conversation-so-far>")
}

func startOf(s string, n int) string {
	for n > 0 && n < len(s) && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:min(n, len(s))]
}

func endOf(s string, n int) string {
	n = max(len(s)-n, 0)
	for n < len(s) && !utf8.RuneStart(s[n]) {
		n++
	}
	return s[n:]
}
