package pages

import (
	"context"
	"iter"
	"strconv"

	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
	"weft/backend/store/rows"
	"weft/backend/store/spaces"
)

// whole is a limit in bytes that no text exceeds.
const whole = 1 << 62

// Message returns a complete message from rows, with references unresolved. It loads the whole message into memory, so
// it is for exports and tests, not for display.
func (p *Pages) Message(ctx context.Context, spaceID, messageID string) (m *transcript.Message, err error) {
	err = spaces.View(ctx, p.db, spaceID, "read the message", func(c *db.Conn, sid int64) error {
		head, err := readHead(c, "sid = ? AND id = ?", sid, messageID)
		if err == nil && head == nil {
			err = noMessage(messageID)
		}
		if err == nil {
			m, err = readMessage(c, head)
		}
		return err
	})
	return m, err
}

// Messages returns the complete messages of a space from rows, oldest first. It reads each in its own transaction.
func (p *Pages) Messages(ctx context.Context, spaceID string) iter.Seq2[*transcript.Message, error] {
	return func(yield func(*transcript.Message, error) bool) {
		for ord := int64(1); ctx.Err() == nil; {
			var m *transcript.Message
			err := spaces.View(ctx, p.db, spaceID, "read the conversation", func(c *db.Conn, sid int64) error {
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

func readMessage(c *db.Conn, h *messageHead) (*transcript.Message, error) {
	m := &transcript.Message{
		ID: h.ID, RunID: h.RunID, Role: h.Role, Author: h.Author, Model: h.Model, CreatedAt: h.CreatedAt, EndedAt: h.EndedAt,
		StopReason: h.StopReason, Usage: h.Usage, Error: h.Error, Segments: []*transcript.Segment{},
	}
	var groups []int
	err := c.Each("SELECT idx, type, author, parent, text, display FROM segment WHERE mid = ? ORDER BY idx", []any{h.mid},
		func(scan db.Scan) (bool, error) {
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
			return true, db.Decode(display, &s.Display)
		})
	if err != nil {
		return nil, err
	}
	for seg, sg := range m.Segments {
		if sg.Type != transcript.SegmentText {
			continue
		}
		text, _, _, err := textTail(c, rows.SegmentText(h.mid, seg), []byte(sg.Text), whole)
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

func readGroup(c *db.Conn, mid int64, seg int) ([]*transcript.Item, error) {
	list, _, err := readItems(c, mid, seg, whole, "ORDER BY idx")
	if err != nil {
		return nil, err
	}
	items := make([]*transcript.Item, len(list))
	for i := range list {
		it := &list[i].view.Item
		if it.Call != nil {
			d, err := readCall(c, rows.At(mid, seg, list[i].idx), whole)
			if err != nil {
				return nil, err
			}
			it.Call = &d.ToolCall
		}
		items[i] = it
	}
	return items, nil
}

// Prompts returns the texts of the user's messages in a space, oldest first, at most limit bytes of each.
func (p *Pages) Prompts(ctx context.Context, spaceID string, limit int) ([]string, error) {
	var list []string
	err := spaces.View(ctx, p.db, spaceID, "read the prompts", func(c *db.Conn, sid int64) error {
		return c.Each(`SELECT coalesce((SELECT group_concat(CAST(text AS TEXT), char(10)) FROM (SELECT text FROM segment g WHERE g.mid = m.mid AND g.type = 'text' ORDER BY idx)), '')
			FROM message m WHERE sid = ? AND role = 'user' ORDER BY ord`, []any{sid}, func(scan db.Scan) (bool, error) {
			var text string
			err := scan(&text)
			list = append(list, string(db.TrimEnd([]byte(text[:min(len(text), limit)]))))
			return true, err
		})
	})
	return list, err
}

// MessageAt returns the id of the message at a position of a space, and whether it is a prompt. The id is "" if there
// is none.
func (p *Pages) MessageAt(ctx context.Context, spaceID string, ord int64) (id string, prompt bool, err error) {
	err = spaces.View(ctx, p.db, spaceID, "read the branches", func(c *db.Conn, sid int64) error {
		_, err := c.One("SELECT id, role = 'user' FROM message WHERE sid = ? AND ord = ?", []any{sid, ord}, &id, &prompt)
		return err
	})
	return id, prompt, err
}

// viewMessage calls f with a message, in one read transaction.
func (p *Pages) viewMessage(ctx context.Context, spaceID, messageID string, doing fault.Template, f func(c *db.Conn, mid int64) error) error {
	return spaces.View(ctx, p.db, spaceID, doing, func(c *db.Conn, sid int64) error {
		var mid int64
		found, err := c.One("SELECT mid FROM message WHERE sid = ? AND id = ?", []any{sid, messageID}, &mid)
		if err != nil {
			return err
		}
		if !found {
			return noMessage(messageID)
		}
		return f(c, mid)
	})
}

func noMessage(id string) error {
	return db.Fail(db.CodeNotFound, "Message {{id}} wasn't found in this conversation.", strconv.Quote(id))
}
