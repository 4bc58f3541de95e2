package store

import "context"

// TreeSpace is a space of a tree of branches.
type TreeSpace struct {
	Space
	Messages int64  // how many it has
	Words    string // the beginning of the person's first message that is its own
}

// maxWords is how much of a message is answered in a tree, in bytes.
const maxWords = 240

// Tree answers the spaces that came from the same one as spaceID, with it, oldest first, the archived and the deleted ones too. It knows what
// is in the rows: prompts always are.
func (s *Store) Tree(_ context.Context, spaceID string) ([]TreeSpace, error) {
	list := []TreeSpace{}
	err := s.viewSpace(spaceID, "read the branches", func(c *conn, sid int64) error {
		err := c.each("SELECT "+spaceColumns+`, (SELECT coalesce(max(ord), 0) FROM message m WHERE m.sid = space.sid),
			coalesce((SELECT CAST(g.text AS TEXT) FROM message m JOIN segment g USING (mid) WHERE m.sid = space.sid AND m.ord > space.origin_ord AND m.role = 'user'
				AND g.type = 'text' ORDER BY m.ord, g.idx LIMIT 1), '')
			FROM space WHERE purging = 0 AND (tree = (SELECT iif(tree = '', id, tree) FROM space WHERE sid = ?1)
				OR id = (SELECT iif(tree = '', id, tree) FROM space WHERE sid = ?1)) ORDER BY sid`, []any{sid},
			func(scan func(...any) error) (bool, error) {
				var t TreeSpace
				var err error
				t.Space, err = scanSpace(func(dest ...any) error { return scan(append(dest, &t.Messages, &t.Words)...) })
				t.Words = string(toRune([]byte(t.Words[:min(len(t.Words), maxWords)])))
				list = append(list, t)
				return true, err
			})
		for i := range list {
			if err == nil {
				err = memberRows(c, &list[i].Members, "space.id = ?", list[i].ID)
			}
		}
		return err
	})
	return list, err
}

// MessageAt answers the id of the message at a place of a space and whether the person wrote it; "" if there is none.
func (s *Store) MessageAt(_ context.Context, spaceID string, ord int64) (id string, prompt bool, err error) {
	err = s.viewSpace(spaceID, "read the branches", func(c *conn, sid int64) error {
		_, err := c.one("SELECT id, role = 'user' FROM message WHERE sid = ? AND ord = ?", []any{sid, ord}, &id, &prompt)
		return err
	})
	return id, prompt, err
}

// leaveTree hands the branches of a space that goes for ever on to the space that it branched from.
func leaveTree(c *conn, sid int64) error {
	return c.exec(`UPDATE space SET origin = p.origin, origin_ord = min(space.origin_ord, p.origin_ord),
		origin_message = iif(space.origin_ord > p.origin_ord, p.origin_message, space.origin_message)
		FROM (SELECT id, origin, origin_ord, origin_message FROM space WHERE sid = ? AND origin <> '') p WHERE space.origin = p.id`, sid)
}

// SessionToFork answers the session of the space that a branch came from, if a copy of it would know just what stands in the branch:
// nothing was said there since, and in the branch at most the prompt that is under way.
func (s *Store) SessionToFork(ctx context.Context, spaceID, memberID, agentID string) (se Session, ok bool, err error) {
	var parent string
	err = s.viewSpace(spaceID, "read where the branch began", func(c *conn, sid int64) error {
		ok, err = c.one(`SELECT p.id FROM space b JOIN space p ON p.id = b.origin JOIN message m ON m.sid = p.sid AND m.ord = b.origin_ord
			JOIN message o ON o.sid = b.sid AND o.ord = b.origin_ord
			WHERE b.sid = ?1 AND m.ended_at > 0 AND m.id = o.id AND m.stop_reason = o.stop_reason
			AND NOT EXISTS (SELECT 1 FROM message x WHERE x.sid = p.sid AND x.ord > b.origin_ord)
			AND NOT EXISTS (SELECT 1 FROM message x WHERE x.sid = b.sid AND x.ord > b.origin_ord + 2)`, []any{sid}, &parent)
		return err
	})
	if err != nil || !ok {
		return se, false, err
	}
	return s.LastSession(ctx, parent, memberID, agentID)
}

// SpaceSessions answers the sessions that agents have kept for a space, and that no other space that is not deleted goes on with.
func (s *Store) SpaceSessions(_ context.Context, spaceID string) ([]Session, error) {
	var list []Session
	err := s.read(func(c *conn) error {
		return c.each(`SELECT x.agent_id, x.acp_id, max(x.cwd) FROM session x JOIN space USING (sid) WHERE space.id = ?1 AND NOT EXISTS
			(SELECT 1 FROM session y JOIN space o USING (sid) WHERE y.acp_id = x.acp_id AND y.agent_id = x.agent_id AND o.id <> ?1 AND o.deleted_at = 0)
			GROUP BY 1, 2 ORDER BY min(x.n)`, []any{spaceID}, func(scan func(...any) error) (bool, error) {
			se := Session{SpaceID: spaceID}
			err := scan(&se.AgentID, &se.SessionID, &se.Cwd)
			list = append(list, se)
			return true, err
		})
	})
	return list, wrap(err, "read the agent's sessions")
}

// Prompts answers the texts of the person's messages in a space, oldest first, the first limit bytes of each.
func (s *Store) Prompts(_ context.Context, spaceID string, limit int) ([]string, error) {
	var list []string
	err := s.viewSpace(spaceID, "read the prompts", func(c *conn, sid int64) error {
		return c.each(`SELECT coalesce((SELECT group_concat(CAST(text AS TEXT), char(10)) FROM (SELECT text FROM segment g WHERE g.mid = m.mid AND g.type = 'text' ORDER BY idx)), '')
			FROM message m WHERE sid = ? AND role = 'user' ORDER BY ord`, []any{sid}, func(scan func(...any) error) (bool, error) {
			var text string
			err := scan(&text)
			list = append(list, string(toRune([]byte(text[:min(len(text), limit)]))))
			return true, err
		})
	})
	return list, err
}
