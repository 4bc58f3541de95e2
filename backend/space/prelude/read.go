package prelude

import (
	"context"
	"slices"

	"weft/backend/conversation/transcript"
	"weft/backend/store/pages"
)

// pageSize is how many segments are read at once, headSize how many from the beginning.
const (
	pageSize = 200
	headSize = 60
)

// maxBeside is how many messages before the member's own last one are checked for messages that were still being
// written after it.
const maxBeside = 40

// maxLeftOut limits how far left out messages are counted.
const maxLeftOut = 1000

// reader reads a conversation from both ends.
type reader struct {
	ctx  context.Context //nolint:containedctx // lives for one call
	from Source
	q    Query
	cut  bool // a part of a message was left out
	said bool // an agent has said or done something
}

// before returns the conversation before the prompt.
func (r *reader) before() (*Prelude, error) {
	var tail []string
	size, first, found := 0, int64(0), false
	err := r.backwards(func(m *pages.MessageView, pieces []pages.MessageView) bool {
		if !found {
			found = m.ID == r.q.PromptID
			first = m.Ord
			return true
		}
		text := r.message(pieces)
		if size += len(text); size > maxTail && len(tail) > 0 {
			return false
		}
		tail, first = append(tail, text), m.Ord
		return size < maxTail
	})
	if err != nil || !found {
		return nil, err
	}
	slices.Reverse(tail)
	head, last, err := r.head(first)
	if err != nil || !r.said && (!r.q.Company || len(tail) == 0) {
		return nil, err
	}
	return written(openingNew, head, int(max(first-max(last, r.q.Me.Since)-1, 0)), tail, r.cut), nil
}

// news returns what others have said since the member's last message, including what they were still writing then.
func (r *reader) news() (*Prelude, error) {
	var tail []string
	size, leftOut, own, beside := 0, 0, int64(0), 0
	err := r.backwards(func(m *pages.MessageView, pieces []pages.MessageView) bool {
		mine := m.Role == transcript.RoleAgent && transcript.MemberField(r.q.Me.ID) == m.Author.MemberID
		switch {
		case m.ID == r.q.PromptID, m.RunID == r.q.RunID:
			return true
		case mine:
			if own == 0 {
				own = m.CreatedAt
			}
			return true
		case own > 0:
			if beside++; beside > maxBeside {
				return false
			}
			if m.Role != transcript.RoleAgent || m.EndedAt > 0 && m.EndedAt < own {
				return true
			}
		}
		text := r.message(pieces)
		if size += len(text); size > maxTail && len(tail) > 0 {
			leftOut++
			return leftOut < maxLeftOut
		}
		tail = append(tail, text)
		return true
	})
	if err != nil || len(tail) == 0 {
		return nil, err
	}
	slices.Reverse(tail)
	return written(openingSince, nil, leftOut, tail, r.cut), nil
}

// backwards yields the messages after q.Me.Since with their pieces, newest first, until yield returns false.
func (r *reader) backwards(yield func(m *pages.MessageView, pieces []pages.MessageView) bool) error {
	var at *pages.Cursor
	var views []pages.MessageView // parts of a message that spans several pages, newest first
	for {
		page, err := r.from.Before(r.ctx, r.q.SpaceID, at, pageSize)
		if err != nil {
			return err
		}
		for i := len(page.Messages) - 1; i >= 0; i-- {
			m := &page.Messages[i]
			if m.Ord <= r.q.Me.Since {
				return nil
			}
			views = append(views, *m)
			if m.FirstSegment > 0 && len(views) < maxPages {
				continue
			}
			more := m.FirstSegment > 0
			if more { // the rest of it isn't read
				r.cut, m.FirstSegment = true, 0
			}
			if !yield(m, views) {
				return nil
			}
			views = nil
		}
		if !page.HasBefore || len(page.Messages) == 0 {
			return nil
		}
		at = &pages.Cursor{Ord: page.Messages[0].Ord, Segment: page.Messages[0].FirstSegment}
	}
}

// head returns the beginning of the conversation, before message ord, and the position of its last message.
func (r *reader) head(ord int64) (head []string, last int64, err error) {
	since := r.q.Me.Since
	if ord <= since+1 {
		return nil, 0, nil
	}
	page, err := r.from.After(r.ctx, r.q.SpaceID, pages.Cursor{Ord: since + 1}, headSize)
	size := 0
	for _, m := range page.Messages {
		if m.Ord >= ord {
			break
		}
		if m.FirstSegment+len(m.Segments) < m.SegmentCount { // the rest of it is on the next page
			if len(head) > 0 {
				break
			}
			r.cut = true
		}
		text := r.message([]pages.MessageView{m})
		if size += len(text); size > maxHead && len(head) > 0 {
			break
		}
		head, last = append(head, text), m.Ord
	}
	return head, last, err
}
