package store

import (
	"context"

	"weft/backend/transcript"
)

// KeptDisplay is a display in a message that nobody writes any more, waiting or not, with its input and output.
type KeptDisplay struct {
	OpenCall
	MemberID string // of the run
	Source   string // the space of the run that has shown it, "" if that is gone
}

// KeptDisplay finds one by the id of its call; found is false where there is none. It reads the displays of the message.
func (s *Store) KeptDisplay(_ context.Context, spaceID, messageID, callID string) (d KeptDisplay, found bool, err error) {
	err = s.viewMessage(spaceID, messageID, "look for a display", func(c *conn, mid int64) error {
		at, err := displayAt(c, mid, callID)
		if err != nil || at == nil {
			return err
		}
		call, err := readCall(c, *at, viewText)
		if err != nil {
			return err
		}
		d.At, d.Call, found = transcript.At{MessageID: messageID, Segment: at.seg, Item: at.item}, call.ToolCall, true
		_, err = c.one(`SELECT s.id, r.member_id FROM message m JOIN run r ON r.id = m.run_id JOIN space s ON s.sid = r.sid
			WHERE m.mid = ? AND m.run_id <> '' AND s.deleted_at = 0 ORDER BY r.sid = m.sid DESC LIMIT 1`, []any{mid}, &d.Source, &d.MemberID)
		return err
	})
	return d, found, err
}

// displayAt is where the display of that id stands in a message, nil if there is none.
func displayAt(c *conn, mid int64, callID string) (at *place, err error) {
	err = c.each(`SELECT seg, idx, head FROM item WHERE mid = ? AND kind = ?`, []any{mid, transcript.KindDisplay}, func(scan func(...any) error) (bool, error) {
		p := place{mid: mid}
		var head []byte
		var call transcript.ToolCall
		if err := scan(&p.seg, &p.item, &head); err != nil {
			return false, err
		}
		if err := decodeInto(head, &call); err != nil {
			return false, err
		}
		if call.ID == callID {
			at = &p
		}
		return at == nil, nil
	})
	return at, err
}

// SpacesWithDisplays lists the spaces in which calls wait, displays among them. It reads all groups, which takes a while where there are many.
func (s *Store) SpacesWithDisplays(_ context.Context) (list []string, err error) {
	err = s.view("look for displays", func(c *conn) error {
		return c.each(`SELECT DISTINCT space.id FROM group_count g JOIN message m USING (mid) JOIN space USING (sid)
			WHERE g.what = 1 AND g.name = 'waiting' AND g.n > 0 AND space.deleted_at = 0`, nil, func(scan func(...any) error) (bool, error) {
			var id string
			err := scan(&id)
			list = append(list, id)
			return true, err
		})
	})
	return list, err
}

// OpenDisplays lists the displays of a space that wait for an answer, oldest first. Without a message that is being
// written, these are the ones that outlived their run.
func (s *Store) OpenDisplays(_ context.Context, spaceID string) (list []OpenCall, err error) {
	err = s.viewSpace(spaceID, "look for displays", func(c *conn, sid int64) error {
		type place struct {
			mid int64
			id  string
		}
		var in []place
		err := c.each(`SELECT DISTINCT m.mid, m.id FROM message m JOIN group_count g ON g.mid = m.mid
			WHERE m.sid = ? AND g.what = 1 AND g.n > 0 AND g.name = 'waiting' ORDER BY m.mid`, []any{sid}, func(scan func(...any) error) (bool, error) {
			var p place
			err := scan(&p.mid, &p.id)
			in = append(in, p)
			return true, err
		})
		for _, p := range in {
			if err != nil {
				return err
			}
			var open []OpenCall
			open, err = openCalls(c, p.mid, p.id)
			for _, o := range open {
				if o.Call.AwaitsAnswer() {
					list = append(list, o)
				}
			}
		}
		return err
	})
	return list, err
}
