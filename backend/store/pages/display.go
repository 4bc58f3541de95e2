package pages

import (
	"context"

	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
	"weft/backend/store/rows"
	"weft/backend/store/spaces"
)

// KeptDisplay is a display read from rows, with its input and output. It may still wait for an answer.
type KeptDisplay struct {
	OpenCall
	Asker
}

// Asker is the member whose run wrote a message. The run may have worked in another space than that of the message.
type Asker struct {
	Source   string // the space of the run, "" if it is deleted or unknown
	MemberID string // of that space
}

// Display returns the display of a message with a call id. found is false if there is none. It reads all displays of
// the message.
func (p *Pages) Display(ctx context.Context, spaceID, messageID, callID string) (d KeptDisplay, found bool, err error) {
	err = p.viewMessage(ctx, spaceID, messageID, "read the display", func(c *db.Conn, mid int64) error {
		at, err := displayAt(c, mid, callID)
		if err != nil || at == nil {
			return err
		}
		call, err := readCall(c, *at, viewText)
		if err != nil {
			return err
		}
		d.At, d.Call, found = transcript.At{MessageID: messageID, Segment: at.Seg, Item: at.Item}, call.ToolCall, true
		d.Asker, err = asker(c, mid)
		return err
	})
	return d, found, err
}

// Asker returns the member whose run wrote a message.
func (p *Pages) Asker(ctx context.Context, spaceID, messageID string) (a Asker, err error) {
	err = p.viewMessage(ctx, spaceID, messageID, "read the run", func(c *db.Conn, mid int64) error {
		a, err = asker(c, mid)
		return err
	})
	return a, err
}

// asker finds the run of a message in the space that the run worked in. A space that a run only writes to also has a
// run with that id, whose home is the other space. A branch has messages of runs that only the other space has.
func asker(c *db.Conn, mid int64) (a Asker, err error) {
	_, err = c.One(`SELECT s.id, r.member_id FROM message m JOIN run r ON r.id = m.run_id AND r.home = '' JOIN space s ON s.sid = r.sid
		LEFT JOIN run here ON here.id = m.run_id AND here.sid = m.sid
		WHERE m.mid = ? AND m.run_id <> '' AND s.deleted_at = 0 AND coalesce(here.home, '') IN ('', s.id)
		ORDER BY r.sid = m.sid DESC, r.rid LIMIT 1`, []any{mid}, &a.Source, &a.MemberID)
	return a, err
}

// displayAt returns the location of the display with that id in a message, or nil if there is none.
func displayAt(c *db.Conn, mid int64, callID string) (at *rows.Location, err error) {
	err = c.Each(`SELECT seg, idx, head FROM item WHERE mid = ? AND kind = ?`, []any{mid, transcript.KindDisplay}, func(scan db.Scan) (bool, error) {
		p := rows.Location{Mid: mid}
		var head []byte
		var call transcript.ToolCall
		if err := scan(&p.Seg, &p.Item, &head); err != nil {
			return false, err
		}
		if err := db.Decode(head, &call); err != nil {
			return false, err
		}
		if call.ID == callID {
			at = &p
		}
		return at == nil, nil
	})
	return at, err
}

// SpacesWithDisplays returns the spaces that have waiting calls, which may be displays. It reads the counts of all
// groups, which is slow in a large database.
func (u *Unfinished) SpacesWithDisplays(ctx context.Context) (list []string, err error) {
	err = u.db.View(ctx, "look for displays", func(c *db.Conn) error {
		return c.Each(`SELECT DISTINCT space.id FROM group_count g JOIN message m USING (mid) JOIN space USING (sid)
			WHERE g.what = 1 AND g.name = 'waiting' AND g.n > 0 AND space.deleted_at = 0`, nil, func(scan db.Scan) (bool, error) {
			var id string
			err := scan(&id)
			list = append(list, id)
			return true, err
		})
	})
	return list, err
}

// Displays returns the displays of a space that wait for an answer, oldest first. In a space without a message in
// progress, these are the displays that have outlived their run.
func (u *Unfinished) Displays(ctx context.Context, spaceID string) (list []OpenCall, err error) {
	err = spaces.View(ctx, u.db, spaceID, "look for displays", func(c *db.Conn, sid int64) error {
		type message struct {
			mid int64
			id  string
		}
		var in []message
		err := c.Each(`SELECT DISTINCT m.mid, m.id FROM message m JOIN group_count g ON g.mid = m.mid
			WHERE m.sid = ? AND g.what = 1 AND g.n > 0 AND g.name = 'waiting' ORDER BY m.mid`, []any{sid}, func(scan db.Scan) (bool, error) {
			var m message
			err := scan(&m.mid, &m.id)
			in = append(in, m)
			return true, err
		})
		for _, m := range in {
			if err != nil {
				return err
			}
			var open []OpenCall
			open, err = openCalls(c, m.mid, m.id)
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
