package pages

import (
	"context"

	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
)

// Unfinished reads the messages, tool calls, terminals and displays that have not ended.
type Unfinished struct{ db *db.DB }

// NewUnfinished returns an Unfinished that reads d.
func NewUnfinished(d *db.DB) *Unfinished { return &Unfinished{d} }

// Interrupted is a message, or a run without one, that Weft did not end before it was closed or killed.
type Interrupted struct {
	SpaceID   string
	MessageID string // "" if the run had none yet
	RunID     string // "" if the message belongs to no run, or the run has ended
	Home      string // the space that the run works in, "" for this one
	Ended     bool   // the message has ended and has open calls, but its run has not ended
	Role      transcript.Role
	AgentID   string // of the run
	AgentName string
	Segments  int // number of segments of the message
	OpenCalls []OpenCall
}

// OpenCall is a tool call that has not ended.
type OpenCall struct {
	At   transcript.At
	Call transcript.ToolCall // without input, content and output
}

// Messages returns the messages and runs that have not ended, so that the caller can append the events that end them:
// in all spaces (spaceID "") at startup, or in a new branch.
func (u *Unfinished) Messages(ctx context.Context, spaceID string) ([]Interrupted, error) {
	var list []Interrupted
	err := u.db.View(ctx, "look for unfinished work", func(c *db.Conn) error {
		var mids []int64
		err := c.Each(`SELECT m.mid, s.id, m.id, coalesce(r.id, ''), m.role, coalesce(r.agent_id, ''), coalesce(r.agent_name, ''), coalesce(r.home, ''),
			coalesce((SELECT max(idx) + 1 FROM segment g WHERE g.mid = m.mid), 0)
			FROM message m JOIN space s ON s.sid = m.sid LEFT JOIN run r ON r.sid = m.sid AND r.id = m.run_id AND r.ended_at = 0
			WHERE m.ended_at = 0 AND s.purging = 0 AND ?1 IN ('', s.id) ORDER BY m.mid`, []any{spaceID}, func(scan db.Scan) (bool, error) {
			var in Interrupted
			var mid int64
			err := scan(&mid, &in.SpaceID, &in.MessageID, &in.RunID, &in.Role, &in.AgentID, &in.AgentName, &in.Home, &in.Segments)
			list, mids = append(list, in), append(mids, mid)
			return true, err
		})
		if err != nil {
			return err
		}
		err = c.Each(`SELECT m.mid, s.id, m.id, m.role, r.agent_id, r.agent_name FROM run r JOIN message m ON m.run_id = r.id AND m.sid = r.sid
			JOIN space s ON s.sid = m.sid WHERE r.ended_at = 0 AND m.ended_at > 0 AND s.purging = 0 AND ?1 IN ('', s.id)
			AND EXISTS (SELECT 1 FROM group_count g WHERE g.mid = m.mid AND what = 1 AND n > 0 AND name IN ('pending', 'running', 'waiting')) ORDER BY m.mid`, []any{spaceID},
			func(scan db.Scan) (bool, error) {
				in := Interrupted{Ended: true}
				var mid int64
				err := scan(&mid, &in.SpaceID, &in.MessageID, &in.Role, &in.AgentID, &in.AgentName)
				list, mids = append(list, in), append(mids, mid)
				return true, err
			})
		if err != nil {
			return err
		}
		for i, mid := range mids {
			if list[i].OpenCalls, err = openCalls(c, mid, list[i].MessageID); err != nil {
				return err
			}
		}
		return c.Each(`SELECT s.id, r.id, r.agent_id, r.home FROM run r JOIN space s ON s.sid = r.sid
			WHERE r.ended_at = 0 AND s.purging = 0 AND ?1 IN ('', s.id)
			AND NOT EXISTS (SELECT 1 FROM message m WHERE m.sid = r.sid AND m.run_id = r.id AND m.ended_at = 0)`, []any{spaceID},
			func(scan db.Scan) (bool, error) {
				var in Interrupted
				err := scan(&in.SpaceID, &in.RunID, &in.AgentID, &in.Home)
				list = append(list, in)
				return true, err
			})
	})
	return list, err
}

// openCalls reads only the groups that count open calls.
func openCalls(c *db.Conn, mid int64, messageID string) (list []OpenCall, err error) {
	var groups []int
	err = c.Each("SELECT DISTINCT seg FROM group_count WHERE mid = ? AND what = 1 AND n > 0 AND name IN ('pending', 'running', 'waiting') ORDER BY seg",
		[]any{mid}, func(scan db.Scan) (bool, error) {
			var seg int
			err := scan(&seg)
			groups = append(groups, seg)
			return true, err
		})
	for _, seg := range groups {
		if err != nil {
			return nil, err
		}
		var items []indexedItem
		items, _, err = readItems(c, mid, seg, 0, "AND status IN ('pending', 'running', 'waiting') ORDER BY idx")
		for i := range items {
			list = append(list, OpenCall{At: transcript.At{MessageID: messageID, Segment: seg, Item: items[i].idx}, Call: *items[i].view.Call})
		}
	}
	return list, err
}
