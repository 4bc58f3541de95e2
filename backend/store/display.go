package store

import (
	"context"

	"weft/backend/transcript"
)

// OpenDisplay is a display that waits for an answer in a message that nobody writes any more.
type OpenDisplay struct {
	OpenCall
	MemberID string // of the run
	Source   string // the space of the run that has shown it, "" if that is gone
}

// OpenDisplay finds a display of a message by the id of its call; found is false if it is not there or has ended.
func (s *Store) OpenDisplay(_ context.Context, spaceID, messageID, callID string) (d OpenDisplay, found bool, err error) {
	err = s.viewMessage(spaceID, messageID, "look for a display", func(c *conn, mid int64) error {
		open, err := openCalls(c, mid, messageID)
		if err != nil {
			return err
		}
		for _, o := range open {
			if o.Call.ID == callID && o.Call.Kind == "display" && o.Call.Status == transcript.StatusWaiting {
				d.OpenCall, found = o, true
			}
		}
		_, err = c.one(`SELECT s.id, r.member_id FROM message m JOIN run r ON r.id = m.run_id JOIN space s ON s.sid = r.sid
			WHERE m.mid = ? AND m.run_id <> '' AND s.deleted_at = 0 ORDER BY r.sid = m.sid DESC LIMIT 1`, []any{mid}, &d.Source, &d.MemberID)
		return err
	})
	return d, found, err
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
				if o.Call.Kind == "display" && o.Call.Status == transcript.StatusWaiting {
					list = append(list, o)
				}
			}
		}
		return err
	})
	return list, err
}
