package store

import (
	"context"
	"slices"

	"weft/backend/transcript"
)

// LiveTerminal is a terminal that has no end, at the start of Weft one that was lost.
type LiveTerminal struct {
	SpaceID    string
	At         transcript.At
	ToolCallID string
	TerminalID string
}

// LiveTerminals lists, after a start, the terminals that the last session of Weft did not end, so
// that the caller can append the events that end them.
func (s *Store) LiveTerminals(ctx context.Context) ([]LiveTerminal, error) {
	return s.LiveTerminalsIn(ctx, "")
}

// LiveTerminalsIn is [Store.LiveTerminals] for one space; "" is all of them.
func (s *Store) LiveTerminalsIn(_ context.Context, spaceID string) ([]LiveTerminal, error) {
	var list []LiveTerminal
	err := s.view("look for terminals without an end", func(c *conn) error {
		return c.each(`SELECT s.id, m.id, t.seg, t.item, t.id, i.head FROM live_terminal t
			JOIN message m ON m.mid = t.mid JOIN space s ON s.sid = m.sid
			JOIN item i ON i.mid = t.mid AND i.seg = t.seg AND i.idx = t.item
			WHERE s.purging = 0 AND ? IN ('', s.id) ORDER BY t.mid, t.seg, t.item`, []any{spaceID}, func(scan func(...any) error) (bool, error) {
			var l LiveTerminal
			var head []byte
			if err := scan(&l.SpaceID, &l.At.MessageID, &l.At.Segment, &l.At.Item, &l.TerminalID, &head); err != nil {
				return false, err
			}
			var call transcript.ToolCall
			err := decodeInto(head, &call)
			l.ToolCallID = call.ID
			list = append(list, l)
			return true, err
		})
	})
	return list, err
}

// terminalEvent sees to what a terminal has besides its entry in the call.
func (r *rows) terminalEvent(c *callRow, body transcript.Body) error {
	switch b := body.(type) {
	case *transcript.TerminalStart:
		return r.c.exec("INSERT OR IGNORE INTO live_terminal (mid, seg, item, id) VALUES (?, ?, ?, ?)", c.mid, c.seg, c.item, b.TerminalID)
	case *transcript.TerminalEnd:
		return r.c.exec("DELETE FROM live_terminal WHERE mid = ? AND seg = ? AND item = ? AND id = ?", c.mid, c.seg, c.item, b.TerminalID)
	}
	return nil
}

// terminalDelta appends to the output of a terminal of c, or replaces what is there of it.
func (r *rows) terminalDelta(c *callRow, at int64, b *transcript.ToolOutputDelta) error {
	i := slices.IndexFunc(c.call.Terminals, func(t transcript.Terminal) bool { return t.ID == b.TerminalID })
	if i < 0 {
		return nil
	}
	key := textKey{c.place, whatTerminal + i}
	n, err := r.length(key)
	if err != nil {
		return err
	}
	r.lengths[key] = n
	if t := r.texts[key]; t != nil {
		n += int64(len(t.buf))
	}
	if t := &c.call.Terminals[i]; b.Offset != t.TextStart+n {
		if err := r.dropText(key); err != nil {
			return err
		}
		t.TextStart = b.Offset
		r.touch(c)
	}
	r.add(key, b.Delta, at, false)
	return nil
}

// readTerminals adds to the terminals of a call the last limit bytes of what was streamed of each.
func readTerminals(c *conn, p place, call *transcript.ToolCall, limit int) error {
	for i := range call.Terminals {
		text, start, _, err := textTail(c, textKey{p, whatTerminal + i}, nil, limit)
		if err != nil {
			return err
		}
		t := &call.Terminals[i]
		t.Text, t.TextStart = string(text), t.TextStart+start
	}
	return nil
}
