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

// What stands before the conversation, so that nobody takes it for a prompt.
const (
	openingNew = `You do not remember this conversation: your session is new. This is what was said and done in it before, as the person sees it. Of tool calls only a line each is here, without their results; look again where you need them. Do not answer this record. Go on from it with the prompt that comes with it.
`
	openingSince = `This is what others have said and done in this space since you last did. Do not answer this record. Go on from it with the prompt that comes with it.
`
)

// told is what an agent is told of the conversation, and of its place in it.
type told struct {
	text    string
	brief   bool // there is no conversation in it
	leftOut int  // messages that were left out
	cut     bool // or parts of messages
}

// history makes what the agent is to be told before the run's prompt: in a new session the conversation so far, later what others have said
// since; and who it is in a space with several members. Nil if there is nothing to tell.
func (l *link) history(ctx context.Context, r *run, first bool) (t *told, err error) {
	l.s.mu.Lock()
	space, me := l.s.room.space, l.s.member
	l.s.mu.Unlock()
	h := historian{ctx: ctx, store: l.s.m.opt.Store, spaceID: l.s.space.ID, since: me.Since, company: len(space.Members) > 1}
	switch {
	case first:
		t, err = h.before(r.promptID)
	default:
		t, err = h.news(r, me)
	}
	if err != nil {
		return nil, err
	}
	brief, err := l.s.briefing(ctx, &space, me, first)
	if err != nil || t == nil && brief == "" {
		return nil, err
	}
	if t == nil {
		t = &told{brief: true}
	}
	t.text = transcript.ToldOpening + "\n" + brief + t.text + transcript.ToldEnd
	return t, nil
}

// withTold puts the conversation before the prompt. A command of the agent's, with a slash, is known by its place, so that it stays the first.
func (l *link) withTold(r *run, blocks []sdk.ContentBlock) []sdk.ContentBlock {
	if r.told == nil {
		return blocks
	}
	before := l.toldBlocks(r.told.text)
	if strings.HasPrefix(r.prompt, "/") {
		return slices.Insert(blocks, min(1, len(blocks)), before[0])
	}
	return append(before, blocks...)
}

// noteTold tells the person what the agent was told. The session's mutex is held.
func (l *link) noteTold(r *run, first, forgot bool) {
	r.fold.ExpectTold(r.told.text)
	if r.told.brief || (!first || len(l.s.room.space.Members) > 1) && r.told.leftOut == 0 && !r.told.cut {
		return // in company that is how it is
	}
	why := "A new session was started, and " + l.s.member.Name + " was told the conversation so far"
	switch {
	case !first:
		why = l.s.member.Name + " was told what others have said since it last did"
	case forgot:
		why = l.s.member.Name + " no longer knew this conversation. A new session was started, and it was told the conversation so far"
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
}

// historian reads a conversation from both its ends.
type historian struct {
	ctx     context.Context //nolint:containedctx // lives for one call
	store   *store.Store
	spaceID string
	since   int64 // what stands up to this place is not told
	company bool  // there are several members: what the person said to others is told, too
	cut     bool
	said    bool // by an agent
}

// backwards yields the messages of the space with their pieces, newest first, until yield answers false.
func (h *historian) backwards(yield func(m *store.MessageView, pieces []store.MessageView) bool) error {
	var at *store.Cursor
	var views []store.MessageView // of one message that lies on several pages, newest first
	for {
		page, err := h.store.PageBefore(h.ctx, h.spaceID, at, 200)
		if err != nil {
			return err
		}
		for i := len(page.Messages) - 1; i >= 0; i-- {
			m := &page.Messages[i]
			if m.Ord <= h.since {
				return nil
			}
			views = append(views, *m)
			if m.FirstSegment > 0 && len(views) < toldPages {
				continue
			}
			more := m.FirstSegment > 0
			if more { // nobody reads more of it
				h.cut, m.FirstSegment = true, 0
			}
			if !yield(m, views) {
				return nil
			}
			views = nil
		}
		if !page.HasBefore || len(page.Messages) == 0 {
			return nil
		}
		at = &store.Cursor{Ord: page.Messages[0].Ord, Segment: page.Messages[0].FirstSegment}
	}
}

// before tells what stands before a message.
func (h *historian) before(messageID string) (*told, error) {
	var tail []string
	size, first, found := 0, int64(0), false
	err := h.backwards(func(m *store.MessageView, pieces []store.MessageView) bool {
		if !found {
			found = m.ID == messageID
			first = m.Ord
			return true
		}
		text := h.message(pieces)
		if size += len(text); size > toldTail && len(tail) > 0 {
			return false
		}
		tail, first = append(tail, text), m.Ord
		return size < toldTail
	})
	if err != nil || !found {
		return nil, err
	}
	slices.Reverse(tail)
	head, last, err := h.head(first)
	if err != nil || !h.said && (!h.company || len(tail) == 0) {
		return nil, err
	}
	return h.tell(openingNew, head, int(max(first-max(last, h.since)-1, 0)), tail), nil
}

// How many messages before the member's own last one are looked at for such as were written on beside it.
const besides = 40

// news tells what others have said since the member's last message, and what of theirs was still being written then.
func (h *historian) news(r *run, me Member) (*told, error) {
	if !h.company {
		return nil, nil
	}
	var tail []string
	size, leftOut, own, beside := 0, 0, int64(0), 0
	err := h.backwards(func(m *store.MessageView, pieces []store.MessageView) bool {
		mine := m.Role == transcript.RoleAgent && transcript.MemberField(me.ID) == m.Author.MemberID
		switch {
		case m.ID == r.promptID, m.RunID == r.id:
			return true
		case mine:
			if own == 0 {
				own = m.CreatedAt
			}
			return true
		case own > 0:
			if beside++; beside > besides {
				return false
			}
			if m.Role != transcript.RoleAgent || m.EndedAt > 0 && m.EndedAt < own {
				return true
			}
		}
		text := h.message(pieces)
		if size += len(text); size > toldTail && len(tail) > 0 {
			leftOut++
			return leftOut < 1000
		}
		tail = append(tail, text)
		return true
	})
	if err != nil || len(tail) == 0 {
		return nil, err
	}
	slices.Reverse(tail)
	return h.tell(openingSince, nil, leftOut, tail), nil
}

// tell puts together what was read.
func (h *historian) tell(opening string, head []string, leftOut int, tail []string) *told {
	t := &told{leftOut: leftOut, cut: h.cut}
	var b strings.Builder
	b.WriteString(opening)
	for _, text := range head {
		b.WriteString(text)
	}
	if leftOut > 0 {
		fmt.Fprintf(&b, "\n[%d messages are left out here]\n", leftOut)
	}
	for _, text := range tail {
		b.WriteString(text)
	}
	t.text = b.String()
	return t
}

// head answers how the conversation began, as far as it lies before message ord, and the place of the last message of it.
func (h *historian) head(ord int64) (head []string, last int64, err error) {
	if ord <= h.since+1 {
		return nil, 0, nil
	}
	page, err := h.store.PageAfter(h.ctx, h.spaceID, store.Cursor{Ord: h.since + 1}, 60)
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
