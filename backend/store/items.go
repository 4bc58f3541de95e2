package store

import (
	"context"

	"weft/backend/transcript"
)

// indexedItem is an item and where it stands in its group.
type indexedItem struct {
	idx   int
	view  ItemView
	first []byte // of a thought
	parts bool   // item_part continues the thought
}

// readItems reads the items of a group that rest of the query selects; thoughts to their last limit
// bytes, calls without input, content and output; but of an open call what was streamed of its input. bytes is about their size.
func readItems(c *conn, mid int64, seg, limit int, rest string, args ...any) (list []indexedItem, bytes int, err error) {
	err = c.each(`SELECT idx, kind IS NOT NULL, head, parent, started_at, ended_at, text,
		EXISTS (SELECT 1 FROM item_part p WHERE p.mid = item.mid AND p.seg = item.seg AND p.item = item.idx AND p.what = 0)
		FROM item WHERE mid = ? AND seg = ? `+rest, append([]any{mid, seg}, args...),
		func(scan func(...any) error) (bool, error) {
			var it indexedItem
			var call bool
			var head []byte
			v := &it.view
			if err := scan(&it.idx, &call, &head, &v.ParentToolCallID, &v.StartedAt, &v.EndedAt, &it.first, &it.parts); err != nil {
				return false, err
			}
			bytes += len(head) + len(it.first)
			v.Type = transcript.ItemThought
			if call {
				v.Type, v.Call = transcript.ItemToolCall, &transcript.ToolCall{}
				if err := decodeInto(head, v.Call); err != nil {
					return false, err
				}
			}
			list = append(list, it)
			return true, nil
		})
	for i := range list {
		it := &list[i]
		v := &it.view
		if err == nil && v.Call != nil && !v.Call.Status.Ended() {
			v.Call.InputText, err = inputSoFar(c, place{mid, seg, it.idx})
			bytes += len(v.Call.InputText)
		}
		if err != nil || v.Call != nil {
			continue
		}
		text, at := it.first, int64(0)
		if it.parts || len(text) > limit {
			text, v.TextStart, at, err = textTail(c, textKey{place{mid, seg, it.idx}, whatText}, it.first, limit)
			bytes += len(text)
		}
		v.Text, v.EndedAt = string(text), max(v.EndedAt, at)
	}
	return list, bytes, err
}

// inputSoFar is what was streamed of a call's input, which its events continue. One that is longer than viewInput
// is left out: its end cannot be read without its beginning.
func inputSoFar(c *conn, p place) (string, error) {
	text, start, _, err := textTail(c, textKey{p, whatInput}, nil, viewInput)
	if start > 0 {
		return "", err
	}
	return string(text), err
}

// GroupItems answers the items from..to (exclusive) of a tool group, at most 500.
func (s *Store) GroupItems(_ context.Context, spaceID, messageID string, segment, from, to int) ([]ItemView, error) {
	items := []ItemView{}
	err := s.viewMessage(spaceID, messageID, "read the tool calls", func(c *conn, mid int64) error {
		list, _, err := readItems(c, mid, segment, viewThought, "AND idx >= ? AND idx < ? ORDER BY idx LIMIT ?", max(from, 0), to, maxLimit)
		for i := range list {
			items = append(items, list[i].view)
		}
		return err
	})
	return items, err
}

// ToolDetail is a tool call with input, content and output. What was streamed of its
// output is here to its last 256 KiB; see [Store.OutputText] for the rest.
type ToolDetail struct {
	transcript.ToolCall
	OutputTextStart int64 `json:"outputTextStart,omitzero"` // bytes of OutputText that are not here
}

// ToolDetail answers one tool call whole, with references unresolved.
func (s *Store) ToolDetail(_ context.Context, spaceID, messageID string, segment, item int) (d ToolDetail, err error) {
	err = s.viewMessage(spaceID, messageID, "read the tool call", func(c *conn, mid int64) error {
		d, err = readCall(c, place{mid, segment, item}, viewText)
		return err
	})
	return d, err
}

// readCall reads a call, and of what was streamed of it the last limit bytes.
func readCall(c *conn, p place, limit int) (d ToolDetail, err error) {
	var head, body []byte
	found, err := c.one(`SELECT i.head, b.body FROM item i LEFT JOIN call_body b ON b.mid = i.mid AND b.seg = i.seg AND b.item = i.idx
		WHERE i.mid = ? AND i.seg = ? AND i.idx = ? AND i.kind IS NOT NULL`, []any{p.mid, p.seg, p.item}, &head, &body)
	if err == nil && !found {
		err = fail(CodeNotFound, "There is no such tool call in this message.")
	}
	if err != nil {
		return d, err
	}
	if err := decodeCall(&d.ToolCall, head, body); err != nil {
		return d, err
	}
	text, _, _, err := textTail(c, textKey{p, whatInput}, nil, limit)
	if err != nil {
		return d, err
	}
	d.InputText = string(text)
	text, d.OutputTextStart, _, err = textTail(c, textKey{p, whatOutput}, nil, limit)
	d.OutputText = string(text)
	if err != nil {
		return d, err
	}
	return d, readTerminals(c, p, &d.ToolCall, limit)
}
