package pages

import (
	"context"

	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
)

// LiveTerminal is a terminal that has not ended. At startup, its process is gone.
type LiveTerminal struct {
	SpaceID    string
	At         transcript.At
	ToolCallID string
	TerminalID string
}

// Terminals returns the terminals that have not ended, so that the caller can append the events that end them. The
// spaceID "" means all spaces.
func (u *Unfinished) Terminals(ctx context.Context, spaceID string) ([]LiveTerminal, error) {
	var list []LiveTerminal
	err := u.db.View(ctx, "look for unfinished terminals", func(c *db.Conn) error {
		return c.Each(`SELECT s.id, m.id, t.seg, t.item, t.id, i.head FROM live_terminal t
			JOIN message m ON m.mid = t.mid JOIN space s ON s.sid = m.sid
			JOIN item i ON i.mid = t.mid AND i.seg = t.seg AND i.idx = t.item
			WHERE s.purging = 0 AND ? IN ('', s.id) ORDER BY t.mid, t.seg, t.item`, []any{spaceID}, func(scan db.Scan) (bool, error) {
			var l LiveTerminal
			var head []byte
			if err := scan(&l.SpaceID, &l.At.MessageID, &l.At.Segment, &l.At.Item, &l.TerminalID, &head); err != nil {
				return false, err
			}
			var call transcript.ToolCall
			err := db.Decode(head, &call)
			l.ToolCallID = call.ID
			list = append(list, l)
			return true, err
		})
	})
	return list, err
}
