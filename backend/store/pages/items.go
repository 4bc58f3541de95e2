package pages

import (
	"context"

	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
	"weft/backend/store/rows"
)

// indexedItem is an item and its index in its group.
type indexedItem struct {
	idx   int
	view  ItemView
	first []byte // of a thought
	parts bool   // item_part continues the thought
}

// readItems reads the items of a group that rest, the end of the query, selects: the last limit bytes of thoughts, and
// calls without input, content and output, except that an open call has its streamed input. bytes is their approximate
// size.
func readItems(c *db.Conn, mid int64, seg, limit int, rest string, args ...any) (list []indexedItem, bytes int, err error) {
	err = c.Each(`SELECT idx, kind IS NOT NULL, head, parent, started_at, ended_at, text,
		EXISTS (SELECT 1 FROM item_part p WHERE p.Mid = item.mid AND p.Seg = item.seg AND p.Item = item.idx AND p.What = 0)
		FROM item WHERE mid = ? AND seg = ? `+rest, append([]any{mid, seg}, args...),
		func(scan db.Scan) (bool, error) {
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
				var h rows.CallHead
				if err := db.Decode(head, &h); err != nil {
					return false, err
				}
				v.Type, v.Call, v.Place = transcript.ItemToolCall, &h.ToolCall, h.Place
			}
			list = append(list, it)
			return true, nil
		})
	for i := range list {
		it := &list[i]
		v := &it.view
		if err == nil && v.Call != nil && !v.Call.Status.Ended() {
			v.Call.InputText, err = inputSoFar(c, rows.At(mid, seg, it.idx))
			bytes += len(v.Call.InputText)
		}
		if err != nil || v.Call != nil {
			continue
		}
		text, at := it.first, int64(0)
		if it.parts || len(text) > limit {
			text, v.TextStart, at, err = textTail(c, rows.At(mid, seg, it.idx).Text(rows.Text), it.first, limit)
			bytes += len(text)
		}
		v.Text, v.EndedAt = string(text), max(v.EndedAt, at)
	}
	return list, bytes, err
}

// inputSoFar returns the input streamed so far for a call, which later events continue. It omits an input longer than
// viewInput, because its end can't be parsed without its beginning.
func inputSoFar(c *db.Conn, p rows.Location) (string, error) {
	text, start, _, err := textTail(c, p.Text(rows.Input), nil, viewInput)
	if start > 0 {
		return "", err
	}
	return string(text), err
}

// GroupItems returns the items from..to (exclusive) of a tool group, at most 500.
func (p *Pages) GroupItems(ctx context.Context, spaceID, messageID string, segment, from, to int) ([]ItemView, error) {
	items := []ItemView{}
	err := p.viewMessage(ctx, spaceID, messageID, "read the tool calls", func(c *db.Conn, mid int64) error {
		list, _, err := readItems(c, mid, segment, viewThought, "AND idx >= ? AND idx < ? ORDER BY idx LIMIT ?", max(from, 0), to, maxLimit)
		for i := range list {
			items = append(items, list[i].view)
		}
		return err
	})
	return items, err
}

// ToolDetail is a tool call with input, content and output. Of its streamed output it has the last 256 KiB.
type ToolDetail struct {
	transcript.ToolCall
	OutputTextStart int64 `json:"outputTextStart,omitzero"` // how many bytes before OutputText are left out
}

// ToolDetail returns a complete tool call, with references unresolved.
func (p *Pages) ToolDetail(ctx context.Context, spaceID, messageID string, segment, item int) (d ToolDetail, err error) {
	err = p.viewMessage(ctx, spaceID, messageID, "read the tool call", func(c *db.Conn, mid int64) error {
		d, err = readCall(c, rows.At(mid, segment, item), viewText)
		return err
	})
	return d, err
}

// readCall reads a call and the last limit bytes of its streamed input and output.
func readCall(c *db.Conn, p rows.Location, limit int) (d ToolDetail, err error) {
	var head, body []byte
	found, err := c.One(`SELECT i.head, b.body FROM item i LEFT JOIN call_body b ON b.mid = i.mid AND b.seg = i.seg AND b.item = i.idx
		WHERE i.mid = ? AND i.seg = ? AND i.idx = ? AND i.kind IS NOT NULL`, []any{p.Mid, p.Seg, p.Item}, &head, &body)
	if err == nil && !found {
		err = db.Fail(db.CodeNotFound, "The tool call wasn't found in this message.")
	}
	if err != nil {
		return d, err
	}
	if err := rows.DecodeCall(&d.ToolCall, head, body); err != nil {
		return d, err
	}
	text, _, _, err := textTail(c, p.Text(rows.Input), nil, limit)
	if err != nil {
		return d, err
	}
	d.InputText = string(text)
	text, d.OutputTextStart, _, err = textTail(c, p.Text(rows.Output), nil, limit)
	d.OutputText = string(text)
	if err != nil {
		return d, err
	}
	return d, readTerminals(c, p, &d.ToolCall, limit)
}

// readTerminals adds to each terminal of a call the last limit bytes of its output.
func readTerminals(c *db.Conn, p rows.Location, call *transcript.ToolCall, limit int) error {
	for i := range call.Terminals {
		text, start, _, err := textTail(c, p.Text(rows.Terminal+i), nil, limit)
		if err != nil {
			return err
		}
		t := &call.Terminals[i]
		t.Text, t.TextStart = string(text), t.TextStart+start
	}
	return nil
}
