package store

import (
	"context"
	"iter"

	"weft/backend/transcript"
)

// whole is more than any text has.
const whole = 1 << 62

// Message answers a message as its rows have it, complete, with references unresolved. It
// is built in memory whole: for export and tests, not for showing it.
func (s *Store) Message(_ context.Context, spaceID, messageID string) (m *transcript.Message, err error) {
	err = s.viewSpace(spaceID, "read the message", func(c *conn, sid int64) error {
		head, err := readHead(c, "sid = ? AND id = ?", sid, messageID)
		if err == nil && head == nil {
			err = fail(CodeNotFound, "There is no message %q in this conversation.", messageID)
		}
		if err == nil {
			m, err = readMessage(c, head)
		}
		return err
	})
	return m, err
}

// Messages answers the messages of a space as the rows have them, oldest first, one read each.
func (s *Store) Messages(ctx context.Context, spaceID string) iter.Seq2[*transcript.Message, error] {
	return func(yield func(*transcript.Message, error) bool) {
		for ord := int64(1); ctx.Err() == nil; {
			var m *transcript.Message
			err := s.viewSpace(spaceID, "read the conversation", func(c *conn, sid int64) error {
				head, err := readHead(c, messageAbove, sid, ord)
				if err != nil || head == nil {
					return err
				}
				ord = head.Ord + 1
				m, err = readMessage(c, head)
				return err
			})
			if m == nil && err == nil {
				return
			}
			if !yield(m, err) || err != nil {
				return
			}
		}
	}
}

func readMessage(c *conn, h *messageHead) (*transcript.Message, error) {
	m := &transcript.Message{
		ID: h.ID, RunID: h.RunID, Role: h.Role, Author: h.Author, Model: h.Model, CreatedAt: h.CreatedAt, EndedAt: h.EndedAt,
		StopReason: h.StopReason, Usage: h.Usage, Error: h.Error, Segments: []*transcript.Segment{},
	}
	var groups []int
	err := c.each("SELECT idx, type, author, parent, text, display FROM segment WHERE mid = ? ORDER BY idx", []any{h.mid},
		func(scan func(...any) error) (bool, error) {
			s := &transcript.Segment{}
			var idx int
			var text, display []byte
			if err := scan(&idx, &s.Type, &s.Author, &s.ParentToolCallID, &text, &display); err != nil {
				return false, err
			}
			s.Text = string(text)
			if s.Type == transcript.SegmentToolGroup {
				groups = append(groups, idx)
			}
			m.Segments = append(m.Segments, s)
			return true, decodeInto(display, &s.Display)
		})
	if err != nil {
		return nil, err
	}
	for seg, sg := range m.Segments {
		if sg.Type != transcript.SegmentText {
			continue
		}
		text, _, _, err := textTail(c, textKey{place{h.mid, seg, -1}, whatText}, []byte(sg.Text), whole)
		if err != nil {
			return nil, err
		}
		sg.Text = string(text)
	}
	for _, seg := range groups {
		if m.Segments[seg].Items, err = readGroup(c, h.mid, seg); err != nil {
			return nil, err
		}
	}
	list, err := readOpaque(c, h.mid, -1)
	if len(list) > 0 {
		m.Opaque = list
	}
	return m, err
}

func readGroup(c *conn, mid int64, seg int) ([]*transcript.Item, error) {
	list, _, err := readItems(c, mid, seg, whole, "ORDER BY idx")
	if err != nil {
		return nil, err
	}
	items := make([]*transcript.Item, len(list))
	for i := range list {
		it := &list[i].view.Item
		if it.Call != nil {
			d, err := readCall(c, place{mid, seg, list[i].idx}, whole)
			if err != nil {
				return nil, err
			}
			it.Call = &d.ToolCall
		}
		items[i] = it
	}
	return items, nil
}
